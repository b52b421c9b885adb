/* Every kind of tokenizer.json against Hugging Face's: 10,000 strings each, ids and decoded text, as hashes in tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"

typedef struct fnv {
    uint64_t h;
} fnv;

static void fnv_bytes(fnv *f, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        f->h = (f->h ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u;
}

static void fnv_ids(fnv *f, const int *id, size_t n) {
    for (size_t i = 0; i <= n; i++) {
        uint32_t x = i < n ? (uint32_t)id[i] : UINT32_MAX;
        unsigned char b[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                              (unsigned char)(x >> 24)};
        fnv_bytes(f, b, 4);
    }
}

/* Without what the post-processor adds; the reference cuts such a text too. */
static const int *bare_ids(const lh_tokenizer *t, const int *id, size_t *n) {
    size_t most = t->frame.most < 0 ? SIZE_MAX : (size_t)t->frame.most;
    if (*n <= most) return id;
    if (t->frame.cuts_left) id += *n - most;
    *n = most;
    return id;
}

static void add_string(fnv *f, const lh_tokenizer *t, lh_arena *a, const lh_text *s,
                       bool ids_only) {
    size_t n, m;
    const int *framed = lh_tokenizer_prompt(t, a, s->s, s->n, true, &n);
    const int *bare = bare_ids(t, lh_tokenizer_ids(t, a, s->s, s->n, true, &m), &m);
    if (lh_failed(t->ctx)) fail_msg("%s: %s", s->s, lh_context_error(t->ctx)->what);
    lh_text text = lh_text_new(a), read = lh_text_new(a);
    lh_tokenizer_decode(t, framed, n, false, &text);
    lh_tokenizer_decode(t, framed, n, true, &read);
    fnv_ids(f, framed, n);
    fnv_ids(f, bare, m);
    if (ids_only) return;
    fnv_bytes(f, text.s, text.n + 1);
    fnv_bytes(f, read.s, read.n + 1);
}

static uint32_t block_hash(const lh_tokenizer *t, const cJSON *atoms, int block, bool ids_only) {
    fnv f = {0xCBF29CE484222325u};
    lh_arena *a = lh_arena_new(t->ctx);
    for (int i = block * GOLDEN_BLOCK; i < (block + 1) * GOLDEN_BLOCK; i++) {
        lh_text s = lh_text_new(a);
        golden_string(atoms, (uint32_t)i, &s);
        add_string(&f, t, a, &s, ids_only);
    }
    lh_arena_free(a);
    return (uint32_t)f.h;
}

static void every_kind_agrees_with_the_reference(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    cJSON *kinds = golden_json(ctx, a, "tokenizers.json"),
          *atoms = golden_json(ctx, a, "nasty.json");
    assert_true(cJSON_GetArraySize(kinds) >= 24);
    for (const cJSON *k = kinds->child; k; k = k->next) {
        const char *name = golden_get(k, "name")->valuestring,
                   *hashes = golden_get(k, "hashes")->valuestring;
        lh_tokenizer *t = golden_tokenizer(ctx, a, k);
        if (!t) fail_msg("%s: %s", name, lh_context_error(ctx)->what);
        assert_int_equal(strlen(hashes), GOLDEN_STRINGS / GOLDEN_BLOCK * 8);
        for (int b = 0; b < GOLDEN_STRINGS / GOLDEN_BLOCK; b += getenv("LH_QUICK") ? 10 : 1) {
            char ours[9];
            snprintf(ours, sizeof ours, "%08x",
                     block_hash(t, atoms, b, cJSON_IsTrue(golden_get(k, "ids_only"))));
            if (memcmp(ours, hashes + 8 * b, 8) != 0)
                fail_msg("%s: strings %d to %d differ from the reference", name, b * GOLDEN_BLOCK,
                         (b + 1) * GOLDEN_BLOCK - 1);
        }
        lh_tokenizer_free(t);
    }
    cJSON_Delete(kinds), cJSON_Delete(atoms);
    lh_arena_free(a), lh_context_free(ctx);
}

/* What is read is written again, and read again means the same. */
static void what_was_read_is_written_as_it_was(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    cJSON *kinds = golden_json(ctx, a, "tokenizers.json"),
          *atoms = golden_json(ctx, a, "nasty.json");
    for (const cJSON *k = kinds->child; k; k = k->next) {
        lh_tokenizer *t = golden_tokenizer(ctx, a, k);
        lh_text once = lh_text_new(a);
        assert_non_null(t);
        lh_tokenizer_write_json(&once, t);
        lh_tokenizer *again = lh_tokenizer_read_json(ctx, "again", once.s, once.n);
        if (!again) fail_msg("%s", lh_context_error(ctx)->what);
        for (int b = 0; b < 3; b++)
            assert_int_equal(block_hash(t, atoms, b, false), block_hash(again, atoms, b, false));
        lh_tokenizer_free(t), lh_tokenizer_free(again);
    }
    cJSON_Delete(kinds), cJSON_Delete(atoms);
    lh_arena_free(a), lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_agrees_with_the_reference),
        cmocka_unit_test(what_was_read_is_written_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
