/* GGUF: what is written is read again, blocks of few bits by their definition, and what is damaged is refused. */
#include <math.h>
#include <stdio.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "files/gguf_folder.h"
#include "files/tensors.h"
#include "files/tokenizer_file.h"
#include "base/half.h"

enum { ROWS = 3, COLS = 64 };

static float cell(size_t row, size_t col) {
    return (float)(lh_random_uniform((lh_random_place){.seed = row, .step = (uint32_t)col}) - 0.5) *
           (float)(1 + row);
}

static void read_row(void *from, size_t row, float *out) {
    (void)from;
    for (size_t i = 0; i < COLS; i++) out[i] = cell(row, i);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    static const lh_gguf_type type[] = {LH_GGUF_TYPE_F32, LH_GGUF_TYPE_BF16, LH_GGUF_TYPE_F16,
                                        LH_GGUF_TYPE_Q8_0};
    static const char *const words[] = {"a", "", "\xE2\x96\x81the"};
    static const float floats[] = {0, -1.5f};
    static const int wholes[] = {-3, 70000};
    char path[] = "/tmp/longhand-gguf-XXXXXX";
    lh_context *ctx = lh_context_new();
    close(mkstemp(path));
    for (size_t k = 0; k < 4; k++) {
        const lh_gguf_field field[] = {
            {.name = "general.architecture", .kind = LH_GGUF_TEXT, .words = "llama"},
            {.name = "llama.block_count", .kind = LH_GGUF_U32, .number = 2},
            {.name = "rope", .kind = LH_GGUF_F32, .number = 10000.5},
            {.name = "adds", .kind = LH_GGUF_BOOL, .number = 1},
            {.name = "tokens", .kind = LH_GGUF_LIST, .of = LH_GGUF_TEXT, .text = words, .n = 3},
            {.name = "scores", .kind = LH_GGUF_LIST, .of = LH_GGUF_F32, .floats = floats, .n = 2},
            {.name = "types", .kind = LH_GGUF_LIST, .of = LH_GGUF_I32, .wholes = wholes, .n = 2}};
        const lh_gguf_entry entry[] = {
            {.name = "w", .type = type[k], .rank = 2, .size = {COLS, ROWS}, .read = read_row},
            {.name = "norm", .type = type[k], .rank = 1, .size = {COLS}, .read = read_row}};
        assert_true(lh_gguf_write(ctx, path, field, 7, entry, 2));
        lh_gguf *f = lh_gguf_open(ctx, path);
        if (!f) fail_msg("%s", lh_context_error(ctx)->what);
        uint64_t n = 0;
        double x = 0;
        assert_string_equal(lh_gguf_words(f, "general.architecture"), "llama");
        assert_true(lh_gguf_whole(f, "llama.block_count", &n) && n == 2);
        assert_true(lh_gguf_number(f, "rope", &x) && x == 10000.5);
        assert_true(lh_gguf_number(f, "adds", &x) && x == 1);
        assert_false(lh_gguf_number(f, "tokens", &x));
        const lh_gguf_value *list = lh_gguf_value_of(f, "tokens");
        assert_int_equal(list->n, 3);
        assert_true(list->text[2].n == 6 && memcmp(list->text[2].s, words[2], 6) == 0);
        assert_true(lh_gguf_item(lh_gguf_value_of(f, "scores"), 1) == -1.5);
        assert_true(lh_gguf_item(lh_gguf_value_of(f, "types"), 0) == -3);
        const lh_gguf_tensor *t = lh_gguf_find(f, "w");
        assert_true(t && t->type == type[k] && t->size[0] == COLS && t->size[1] == ROWS);
        assert_int_equal(lh_gguf_find(f, "norm")->type,
                         LH_GGUF_TYPE_F32); /* a row stays as it is */
        float back[ROWS * COLS];
        lh_gguf_copy(t, 0, t->cells, back);
        for (size_t i = 0; i < ROWS * COLS; i++) {
            float want = cell(i / COLS, i % COLS), far = fabsf(back[i] - want);
            float most = k == 0   ? 0
                         : k == 1 ? fabsf(want) / 200
                         : k == 2 ? fabsf(want) / 1000 + 1e-6f
                                  : 1.6f / 127 * 0.51f * 1.01f;
            if (far > most)
                fail_msg("%s: cell %zu is %g, not %g", lh_gguf_type_name(type[k]), i,
                         (double)back[i], (double)want);
        }
        lh_gguf_close(f);
    }
    unlink(path);
    lh_context_free(ctx);
}

/* Blocks put together by hand: scales of 1 and of 2, every value of the bits. */
static void blocks_mean_what_their_definition_says(void **state) {
    (void)state;
    unsigned char b[256] = {0};
    float x[256];
    uint16_t one = lh_f16_from_float(1), half = lh_f16_from_float(0.5f);
    b[0] = (unsigned char)half, b[1] = (unsigned char)(half >> 8);
    for (int i = 0; i < 16; i++) b[2 + i] = (unsigned char)(i | (15 - i) << 4);
    lh_gguf_copy(&(lh_gguf_tensor){.type = LH_GGUF_TYPE_Q4_0, .data = b}, 0, 32, x);
    for (int i = 0; i < 16; i++)
        assert_true(x[i] == 0.5f * (float)(i - 8) && x[16 + i] == 0.5f * (float)(7 - i));
    for (int i = 0; i < 32; i++) b[2 + i] = (unsigned char)(signed char)(4 * i - 64);
    lh_gguf_copy(&(lh_gguf_tensor){.type = LH_GGUF_TYPE_Q8_0, .data = b}, 0, 32, x);
    for (int i = 0; i < 32; i++) assert_true(x[i] == 0.5f * (float)(4 * i - 64));
    /* Q4_K: d = 1, m = 0.5; scales g + 33 and leasts 2 g + 17 of group g, six bits each */
    memset(b, 0, sizeof b);
    b[0] = (unsigned char)one, b[1] = (unsigned char)(one >> 8);
    b[2] = (unsigned char)half, b[3] = (unsigned char)(half >> 8);
    for (int g = 0; g < 8; g++) {
        int s = g + 33, m = 2 * g + 17;
        if (g < 4)
            b[4 + g] = (unsigned char)(b[4 + g] | s), b[8 + g] = (unsigned char)(b[8 + g] | m);
        else
            b[8 + g] = (unsigned char)((s & 15) | (m & 15) << 4),
                  b[g] = (unsigned char)(b[g] | (s >> 4) << 6),
                  b[4 + g] = (unsigned char)(b[4 + g] | (m >> 4) << 6);
    }
    for (int i = 0; i < 128; i++) b[16 + i] = (unsigned char)(i % 16 | (i / 16 + 3) % 16 << 4);
    lh_gguf_copy(&(lh_gguf_tensor){.type = LH_GGUF_TYPE_Q4_K, .data = b}, 0, 256, x);
    for (int g = 0; g < 8; g++)
        for (int i = 0; i < 32; i++) {
            int k = g / 2 * 32 + i, q = g % 2 ? (k / 16 + 3) % 16 : k % 16;
            float want = (float)(g + 33) * (float)q - 0.5f * (float)(2 * g + 17);
            if (x[32 * g + i] != want)
                fail_msg("Q4_K: %d is %g, not %g", 32 * g + i, (double)x[32 * g + i], (double)want);
        }
}

/* Llama's: names, rows of queries that stand in pairs, and merges that come from scores. */
static void turned_row(void *from, size_t row, float *out) {
    (void)from;
    for (int i = 0; i < 8; i++) out[i] = (float)row;
}

static void a_llama_becomes_a_folder(void **state) {
    (void)state;
    static const char *const words[] = {"<unk>",
                                        "<s>",
                                        "</s>",
                                        "<0x41>",
                                        "\xE2\x96\x81",
                                        "a",
                                        "b",
                                        "ab",
                                        "\xE2\x96\x81"
                                        "a",
                                        "\xE2\x96\x81"
                                        "ab"};
    static const float scores[] = {0, 0, 0, 0, -9, -8, -7, -1, -2, -3};
    static const int types[] = {2, 3, 3, 6, 1, 1, 1, 1, 1, 1};
    const lh_gguf_field field[] = {
        {.name = "general.architecture", .kind = LH_GGUF_TEXT, .words = "llama"},
        {.name = "llama.block_count", .kind = LH_GGUF_U32, .number = 1},
        {.name = "llama.embedding_length", .kind = LH_GGUF_U32, .number = 8},
        {.name = "llama.feed_forward_length", .kind = LH_GGUF_U32, .number = 16},
        {.name = "llama.attention.head_count", .kind = LH_GGUF_U32, .number = 2},
        {.name = "llama.attention.head_count_kv", .kind = LH_GGUF_U32, .number = 1},
        {.name = "llama.context_length", .kind = LH_GGUF_U32, .number = 64},
        {.name = "llama.attention.layer_norm_rms_epsilon", .kind = LH_GGUF_F32, .number = 1e-5},
        {.name = "tokenizer.ggml.model", .kind = LH_GGUF_TEXT, .words = "llama"},
        {.name = "tokenizer.ggml.tokens",
         .kind = LH_GGUF_LIST,
         .of = LH_GGUF_TEXT,
         .text = words,
         .n = 10},
        {.name = "tokenizer.ggml.scores",
         .kind = LH_GGUF_LIST,
         .of = LH_GGUF_F32,
         .floats = scores,
         .n = 10},
        {.name = "tokenizer.ggml.token_type",
         .kind = LH_GGUF_LIST,
         .of = LH_GGUF_I32,
         .wholes = types,
         .n = 10},
        {.name = "tokenizer.ggml.bos_token_id", .kind = LH_GGUF_U32, .number = 1},
        {.name = "tokenizer.ggml.eos_token_id", .kind = LH_GGUF_U32, .number = 2}};
    const lh_gguf_entry entry[] = {
        {.name = "token_embd.weight", .rank = 2, .size = {8, 10}, .read = turned_row},
        {.name = "blk.0.attn_q.weight", .rank = 2, .size = {8, 8}, .read = turned_row},
        {.name = "blk.0.attn_k.weight", .rank = 2, .size = {8, 4}, .read = turned_row},
        {.name = "blk.0.attn_v.weight", .rank = 2, .size = {8, 4}, .read = turned_row}};
    /* heads of 4: rows 0 2 1 3 of each stand there */
    static const float q[] = {0, 2, 1, 3, 4, 6, 5, 7};
    char path[] = "/tmp/longhand-gguf-XXXXXX", folder[] = "/tmp/longhand-gguf-folder-XXXXXX";
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    close(mkstemp(path));
    assert_non_null(mkdtemp(folder));
    assert_true(lh_gguf_write(ctx, path, field, 14, entry, 4));
    lh_gguf *f = lh_gguf_open(ctx, path);
    if (!f || !lh_gguf_to_folder(f, folder)) fail_msg("%s", lh_context_error(ctx)->what);
    lh_tensors *t = lh_tensors_open(ctx, folder);
    assert_non_null(t);
    const lh_tensor *w = lh_tensors_find(t, "model.layers.0.self_attn.q_proj.weight"),
                    *v = lh_tensors_find(t, "model.layers.0.self_attn.v_proj.weight");
    assert_true(w && v && w->size[0] == 8 && v->size[0] == 4 && v->size[1] == 8);
    for (size_t r = 0; r < 8; r++) {
        float x;
        lh_tensor_copy_float(w, r * 8, 1, &x);
        assert_true(x == q[r]);
        if (r < 4) lh_tensor_copy_float(v, r * 8, 1, &x), assert_true(x == (float)r);
    }
    lh_tokenizer *tokens = lh_tokenizer_load(ctx, folder);
    if (!tokens) fail_msg("%s", lh_context_error(ctx)->what);
    size_t n;
    const int *id = lh_tokenizer_prompt(tokens, a, "ab ab", 5, false, &n);
    assert_true(n == 3 && id[0] == 1 && id[1] == 9 && id[2] == 9);
    lh_tokenizer_free(tokens);
    lh_tensors_close(t);
    lh_gguf_close(f);
    static const char *const made[] = {"config.json", "tokenizer.json", "tokenizer_config.json",
                                       "model.safetensors"};
    for (int i = 0; i < 4; i++) assert_int_equal(unlink(lh_printf(a, "%s/%s", folder, made[i])), 0);
    rmdir(folder), unlink(path);
    lh_arena_free(a), lh_context_free(ctx);
}

static void damaged_files_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"wrong_version", "neither 2 nor 3"},
                                         {"wrong_magic", "not a GGUF file"},
                                         {"wrong_short", "ends after the end"},
                                         {"wrong_type", "type 10"},
                                         {"wrong_block", "fill its blocks"},
                                         {"wrong_twice", "occurs twice"},
                                         {"wrong_tensor_twice", "occurs twice"},
                                         {"wrong_list", "continues after the end"},
                                         {"wrong_size", "too large"},
                                         {"wrong_alignment", "alignment"},
                                         {"wrong_deep", "list of lists"}};
    const char *root = getenv("LH_SOURCE_ROOT") ? getenv("LH_SOURCE_ROOT") : ".";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lh_context *ctx = lh_context_new();
        char path[500];
        snprintf(path, sizeof path, "%s/tests/corpus/gguf/%s.gguf", root, bad[i][0]);
        assert_null(lh_gguf_open(ctx, path));
        if (!strstr(lh_context_error(ctx)->what, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], lh_context_error(ctx)->what);
        assert_true(strstr(lh_context_error(ctx)->file, bad[i][0]) != NULL);
        lh_context_free(ctx);
    }
}

/* Each value of a model's own is honoured, harmless or named. */
static void no_value_is_passed_over(void **state) {
    (void)state;
    static const struct {
        lh_gguf_field odd;
        const char *says; /* NULL: nothing */
    } trial[] = {
        {{.name = "llama.vocab_size", .kind = LH_GGUF_U32, .number = 10}, NULL},
        {{.name = "llama.rope.dimension_count", .kind = LH_GGUF_U32, .number = 4}, NULL},
        {{.name = "llama.expert_count", .kind = LH_GGUF_U32, .number = 0}, NULL},
        {{.name = "other.attention.scale", .kind = LH_GGUF_F32, .number = 2}, NULL},
        {{.name = "llama.rope.dimension_count", .kind = LH_GGUF_U32, .number = 2},
         "llama.rope.dimension_count is 2, but a head has 4 columns"},
        {{.name = "llama.attention.value_length", .kind = LH_GGUF_U32, .number = 2},
         "llama.attention.value_length is 2, but a key has 4 columns"},
        {{.name = "llama.expert_count", .kind = LH_GGUF_U32, .number = 8},
         "llama.expert_count is 8, but only 0 is supported"},
        {{.name = "llama.attention.sliding_window", .kind = LH_GGUF_U32, .number = 8},
         "llama.attention.sliding_window is 8, but only 0 is supported"},
        {{.name = "llama.rope.freq_base", .kind = LH_GGUF_TEXT, .words = "10000"},
         "llama.rope.freq_base must be a number"},
        {{.name = "llama.rope.scaling.type", .kind = LH_GGUF_U32, .number = 1},
         "llama.rope.scaling.type must be a text"},
        {{.name = "llama.attention.scale", .kind = LH_GGUF_F32, .number = 2},
         "llama.attention.scale is not a known value, and it may change the numbers of the "
         "model"},
        {{.name = "general.alignment", .kind = LH_GGUF_TEXT, .words = "32"},
         "general.alignment is not a multiple of 8"},
    };
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        const lh_gguf_field field[] = {
            {.name = "general.architecture", .kind = LH_GGUF_TEXT, .words = "llama"},
            {.name = "llama.block_count", .kind = LH_GGUF_U32, .number = 1},
            {.name = "llama.embedding_length", .kind = LH_GGUF_U32, .number = 8},
            {.name = "llama.feed_forward_length", .kind = LH_GGUF_U32, .number = 16},
            {.name = "llama.attention.head_count", .kind = LH_GGUF_U32, .number = 2},
            {.name = "llama.context_length", .kind = LH_GGUF_U32, .number = 64},
            trial[i].odd};
        const lh_gguf_entry entry = {
            .name = "token_embd.weight", .rank = 2, .size = {8, 10}, .read = turned_row};
        char path[] = "/tmp/longhand-gguf-XXXXXX";
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        lh_text json = lh_text_new(a);
        close(mkstemp(path));
        assert_true(lh_gguf_write(ctx, path, field, 7, &entry, 1));
        lh_gguf *f = lh_gguf_open(ctx, path);
        if (f) lh_gguf_config_json(f, &json);
        const char *what = lh_failed(ctx) ? lh_context_error(ctx)->what : "";
        const char *says = trial[i].says ? trial[i].says : "";
        if (!strstr(what, says) || !*what != !*says) fail_msg("%zu: %s", i, what);
        lh_gguf_close(f);
        unlink(path);
        lh_arena_free(a), lh_context_free(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(blocks_mean_what_their_definition_says),
        cmocka_unit_test(a_llama_becomes_a_folder),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(no_value_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
