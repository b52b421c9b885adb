/* Vocabularies as files: written and read again they give the same ids; what is damaged or not supported is refused with a
 * message that says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/tokenizer_file.h"
#include "text/alphabet.h"
#include "tokens.h"
#include "scarce.h"

typedef struct desk {
    lh_context *ctx;
    lh_arena *arena;
} desk;

static desk desk_open(void) {
    desk d = {.ctx = lh_context_new()};
    d.arena = lh_arena_new(d.ctx);
    return d;
}

static void desk_close(desk *d) {
    lh_arena_free(d->arena);
    lh_context_free(d->ctx);
}

static void assert_no_error(const desk *d) {
    const lh_error *e = lh_context_error(d->ctx);
    if (lh_failed(d->ctx)) fail_msg("%s:%d: %s (%s)", e->file, e->at.line, e->what, e->cure);
}

/* All three kinds, open and closed. */
static lh_tokenizer *example(desk *d, int which) {
    static const char *const special[] = {"<|endoftext|>", "<pad>"};
    lh_tokenizer_how how = {.kind = (lh_tokenizer_kind)(which % 3),
                            .is_closed = which >= 3,
                            .size = which % 3 == LH_TOKENS_BPE ? 300 : 0,
                            .special = special,
                            .n_specials = 2};
    lh_tokenizer *t = lh_tokenizer_train(d->ctx, tokens_text, TOKENS_TEXT, &how);
    assert_no_error(d);
    return t;
}

static void assert_same(const lh_tokenizer *a, const lh_tokenizer *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->n_tokens, b->n_tokens);
    assert_int_equal(a->n_merges, b->n_merges);
    assert_int_equal(a->unknown, b->unknown);
    for (int i = 0; i < a->n_tokens; i++) {
        assert_int_equal(a->token[i].length, b->token[i].length);
        assert_memory_equal(a->token[i].bytes, b->token[i].bytes, a->token[i].length);
        assert_int_equal(a->token[i].role, b->token[i].role);
        assert_int_equal(a->token[i].is_whole, b->token[i].is_whole);
    }
    if (a->n_merges)
        assert_memory_equal(a->merge, b->merge, (size_t)a->n_merges * sizeof *a->merge);
}

static void what_is_written_is_read_again(void **state) {
    (void)state;
    for (int which = 0; which < 6; which++) {
        desk d = desk_open();
        lh_tokenizer *t = example(&d, which);
        lh_text text = lh_text_new(d.arena), again = lh_text_new(d.arena);
        lh_tokenizer_write_json(&text, t);
        lh_tokenizer *back = lh_tokenizer_read_json(d.ctx, "tokenizer.json", text.s, text.n);
        assert_no_error(&d);
        assert_same(t, back);
        lh_tokenizer_write_json(&again, back);
        assert_string_equal(text.s, again.s);
        lh_tokenizer_free(back);
        lh_tokenizer_free(t);
        desk_close(&d);
    }
}

static void the_pair_of_files_is_read_again(void **state) {
    (void)state;
    desk d = desk_open();
    lh_tokenizer *t = example(&d, LH_TOKENS_BPE);
    lh_text vocab = lh_text_new(d.arena), merges = lh_text_new(d.arena);
    lh_tokenizer_write_vocab(&vocab, t);
    lh_tokenizer_write_merges(&merges, t);
    lh_tokenizer *back = lh_tokenizer_read_pair(d.ctx, vocab.s, vocab.n, merges.s, merges.n);
    assert_no_error(&d);
    assert_same(t, back); /* the special ones too: no merge makes them */
    lh_tokenizer_free(back);
    lh_tokenizer_free(t);
    desk_close(&d);
}

static void a_folder_is_written_and_read(void **state) {
    (void)state;
    char folder[] = "/tmp/longhand-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    for (int which = 0; which < 3; which++) {
        desk d = desk_open();
        lh_tokenizer *t = example(&d, which);
        snprintf(path, sizeof path, "%s/%d", folder, which);
        assert_true(lh_tokenizer_save(t, path));
        assert_true(lh_tokenizer_save(t, path)); /* over what is there */
        lh_tokenizer *back = lh_tokenizer_load(d.ctx, path);
        assert_no_error(&d);
        assert_same(t, back);
        lh_tokenizer_free(back);
        snprintf(path, sizeof path, "%s/%d/tokenizer.json", folder, which);
        back = lh_tokenizer_load(d.ctx, path); /* the file itself */
        assert_no_error(&d);
        assert_same(t, back);
        assert_false(lh_tokenizer_save(t, path)); /* which is not a folder */
        assert_non_null(strstr(lh_context_error(d.ctx)->what, "a file of this name is there"));
        lh_context_clear(d.ctx);
        remove(path);
        lh_tokenizer_free(back);
        snprintf(path, sizeof path, "%s/%d", folder, which);
        back = lh_tokenizer_load(d.ctx, path); /* the pair of files is left, of bpe */
        assert_int_equal(back != NULL, which == LH_TOKENS_BPE);
        if (back)
            assert_same(t, back);
        else
            assert_non_null(strstr(lh_context_error(d.ctx)->what, "has no tokenizer.json"));
        lh_tokenizer_free(back);
        lh_tokenizer_free(t);
        desk_close(&d);
        snprintf(path, sizeof path, "rm -r %s/%d", folder, which);
        assert_int_equal(system(path), 0);
    }
    rmdir(folder);
}

/* ---- GPT-2's own layout, small ---- */

/* Fields as GPT-2's file has them; the text is its vocabulary's: 256 bytes, then what merges make. */
static char *gpt2_json(lh_arena *arena, const char *head, const char *model, const char *tokens,
                       const char *merges) {
    lh_text t = lh_text_new(arena);
    lh_text_add(
        &t, "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,%s\"model\":{%s\"vocab\":{",
        head, model);
    for (int i = 0; i < 256; i++) {
        char c[5] = "";
        lh_utf8_write(c, lh_alphabet_char(lh_alphabet_nth(i)));
        lh_text_add(&t, "\"%s%s\":%d,", strchr("\"\\", c[0]) ? "\\" : "", c, i);
    }
    lh_text_add(&t, "%s},\"merges\":[%s]}}", tokens, merges);
    return t.s;
}

static const char gpt2_head[] =
    "\"added_tokens\":[{\"id\":259,\"special\":true,\"content\":\"<|endoftext|>\",\"single_word\":"
    "false,"
    "\"lstrip\":false,\"rstrip\":false,\"normalized\":true}],\"normalizer\":null,"
    "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true},"
    "\"post_processor\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":false},"
    "\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true},";
static const char gpt2_model[] =
    "\"dropout\":null,\"unk_token\":null,\"continuing_subword_prefix\":\"\","
    "\"end_of_word_suffix\":\"\",\"fuse_unk\":false,";
static const char gpt2_tokens[] = "\"\\u0120t\":256,\"he\":257,\"Ġthe\":258,\"<|endoftext|>\":259";
static const char gpt2_merges[] = "\"Ġ t\",\"h e\",\"Ġt he\"";

static void gpt2_layout_is_read(void **state) {
    (void)state;
    static const char *const merges[] = {gpt2_merges,
                                         "[\"Ġ\",\"t\"],[\"h\",\"e\"],[\"Ġt\",\"he\"]"};
    static const char *const models[] = {"", "\"type\":\"BPE\","};
    for (int i = 0; i < 2; i++) {
        desk d = desk_open();
        char *model = lh_printf(d.arena, "%s%s", models[i], gpt2_model);
        char *text = gpt2_json(d.arena, gpt2_head, model, gpt2_tokens, merges[i]);
        lh_tokenizer *t = lh_tokenizer_read_json(d.ctx, "gpt2", text, strlen(text));
        int ids[8];
        assert_no_error(&d);
        assert_int_equal(lh_tokenizer_encode(t, "he the<|endoftext|>", 19, true, ids, 8), 3);
        assert_int_equal(ids[0], 257);
        assert_int_equal(ids[1], 258);
        assert_int_equal(ids[2], 259);
        assert_true(lh_tokenizer_encode(t, "<|endoftext|>", 13, false, ids, 8) > 5);
        lh_tokenizer_free(t);
        desk_close(&d);
    }
}

/* Some of GPT-2's relatives put a space in front of every text. */
static void a_space_may_be_put_in_front(void **state) {
    (void)state;
    static const char no[] = "\"add_prefix_space\":false";
    desk d = desk_open();
    char *text = gpt2_json(d.arena, gpt2_head, gpt2_model, gpt2_tokens, gpt2_merges);
    for (int puts_one = 0; puts_one < 2; puts_one++) {
        char *at = strstr(text, no);
        if (puts_one) memcpy(at + sizeof no - 6, "true ", 5);
        lh_tokenizer *t = lh_tokenizer_read_json(d.ctx, "gpt2", text, strlen(text));
        int ids[8];
        assert_no_error(&d);
        assert_int_equal(lh_tokenizer_encode(t, "the", 3, false, ids, 8), puts_one ? 1 : 2);
        if (puts_one) assert_int_equal(ids[0], 258);
        lh_tokenizer_free(t);
    }
    desk_close(&d);
}

/* An added token need not stand in the vocabulary. */
static void an_added_token_may_stand_alone(void **state) {
    (void)state;
    desk d = desk_open();
    char *text = gpt2_json(d.arena, gpt2_head, gpt2_model,
                           "\"\\u0120t\":256,\"he\":257,\"Ġthe\":258", gpt2_merges);
    lh_tokenizer *t = lh_tokenizer_read_json(d.ctx, "gpt2", text, strlen(text));
    assert_no_error(&d);
    assert_int_equal(lh_tokenizer_special(t, "<|endoftext|>"), 259);
    lh_tokenizer_free(t);
    desk_close(&d);
}

/* ---- what is refused ---- */

typedef struct fault {
    const char *from, *to, *part; /* GPT-2's text with this changed has that in its message */
} fault;

static const fault faults[] = {
    {"\"normalizer\":null", "\"normalizer\":{\"type\":\"Precompiled\"}",
     "normalizer is Precompiled"},
    {"\"normalizer\":null", "\"normalizer\":{\"type\":\"NFC\",\"twice\":true}", "field \"twice\""},
    {"\"normalizer\":null", "\"normalizer\":{\"type\":\"Prepend\"}", "prepend of Prepend"},
    {"\"normalizer\":null",
     "\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"(?<=ab)\"},\"content\":\"\"}",
     "more than one character"},
    {"\"normalizer\":null", "\"normalizer\":{\"type\":\"Sequence\"}", "without its list"},
    {"\"pre_tokenizer\":{\"type\":\"ByteLevel\"", "\"pre_tokenizer\":{\"type\":\"UnicodeScripts\"",
     "pre_tokenizer is UnicodeScripts"},
    {"\"pre_tokenizer\":{\"type\":\"ByteLevel\"", "\"pre_tokenizer\":{\"type\":\"Digits\"",
     "field \"add_prefix_space\""},
    {"\"pre_tokenizer\":{", "\"pre_tokenizer\":null,\"was\":{", "field \"was\""},
    {"\"trim_offsets\":true}", "\"use_regex\":7}", "use_regex of ByteLevel must be true or false"},
    {"\"decoder\":{\"type\":\"ByteLevel\"", "\"decoder\":{\"type\":\"CTC\"", "decoder is CTC"},
    {"\"post_processor\":{\"type\":\"ByteLevel\"",
     "\"post_processor\":{\"type\":\"TemplateProcessing\"", "TemplateProcessing"},
    {"\"post_processor\":{",
     "\"post_processor\":{\"type\":\"BertProcessing\",\"cls\":[\"a\",1]},\"x\":{", "field \"x\""},
    {"\"truncation\":null", "\"truncation\":{\"max_length\":-1}", "max_length"},
    {"\"truncation\":null", "\"truncation\":{\"strategy\":\"OnlySecond\"}", "OnlySecond"},
    {"\"padding\":null", "\"padding\":{\"strategy\":{\"Fixed\":16}}", "Fixed"},
    {"\"padding\":null", "\"padding\":{\"strategy\":\"BatchLongest\",\"pad_to_multiple_of\":8}",
     "pad_to_multiple_of"},
    {"\"dropout\":null", "\"dropout\":0.1", "dropout"},
    {"\"dropout\":null", "\"type\":\"Unigram\"", "the model has a field"},
    {"\"dropout\":null", "\"type\":\"Other\"", "model is Other"},
    {"\"continuing_subword_prefix\":\"\"", "\"continuing_subword_prefix\":\"##\"",
     "continuing_subword_prefix"},
    {"\"end_of_word_suffix\":\"\"", "\"end_of_word_suffix\":\"</w>\"", "end_of_word_suffix"},
    {"\"model\":{", "\"mode\":{", "field \"mode\""},
    {"\"vocab\":{", "\"words\":{", "field \"words\""},
    {"\"merges\":[", "\"pairs\":[", "model is of no type"},
    {"\"merges\":[", "\"merges\":{},\"dropout\":[", "no list \"merges\""},
    {"\"special\":true", "\"special\":7", "special"},
    {"\"lstrip\":false", "\"left\":true", "field \"left\""},
    {"\"content\":\"<|endoftext|>\"", "\"content\":\"\"", "no \"content\""},
    {"\"content\":\"<|endoftext|>\"", "\"content\":\"he\"", "id 259 is both"},
    {"{\"id\":259", "{\"id\":99999999", "one token has id 99999999"},
    {"\"he\":257", "\"he\":256", "id 256 is both"},
    {"\"he\":257", "\"Ġt\":257", "two ids, 256 and 257"},
    {"\"he\":257", "\"he\":25.5", "not a whole number"},
    {"\"he\":257", "\"he\":\"257\"", "not a whole number"},
    {"\"he\":257", "\"he\":-1", "not a whole number"},
    {"\"he\":257", "\"he\":1e300", "not a whole number"},
    {"\"he\":257,", "", "there is no token \"he\""},
    {"\"Ġ t\"", "\"Ġt\"", "merge 0 is not two names"},
    {"\"Ġ t\"", "7", "merge 0 is not two names"},
    {"\"Ġ t\"", "[\"Ġ\"]", "merge 0 is not two names"},
    {"\"Ġ t\"", "[\"Ġ\",\"t\",\"h\"]", "merge 0 is not two names"},
    {"\"h e\"", "\"h x\"", "there is no token \"hx\""},
    {"\"Ġt he\"", "\"< |endoftext|>\"", "there is no token \"|endoftext|>\""},
    {"\"h e\"", "\"h \\u0000\"", "the character 0"},
    {"\"h e\"", "\"h \xff\"", "not UTF-8"},
    {"\"model\"", "\"model", "from here on this is not JSON"},
};

/* What others write and what does no harm: it is read, and the text comes back. */
static const fault harmless[] = {
    {"\"he\":257", "\"he\":257,\"hen\":400", ""}, /* ids that nobody has */
    {"\"!\":0", "\"!!\":0", ""},                  /* no token for a byte */
    {"\"he\":257", "\"he\":257,\"h e\":260", ""}, /* a name in another alphabet */
    {"\"h e\"", "\"h e\",\"h e\"", ""},           /* a merge twice */
    {"\"normalizer\":null", "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[]}", ""},
    {"\"dropout\":null", "\"dropout\":0", ""},
    {"\"padding\":null", "\"padding\":{\"strategy\":\"BatchLongest\",\"pad_id\":0}", ""},
    {"\"special\":true", "\"special\":false", ""},
};

static char *changed(lh_arena *arena, const char *text, const fault *f) {
    const char *at = strstr(text, f->from);
    if (!at) fail_msg("%s is not there", f->from);
    return lh_printf(arena, "%.*s%s%s", (int)(at - text), text, f->to, at + strlen(f->from));
}

static void what_is_not_supported_is_refused_by_name(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        desk d = desk_open();
        char *text = gpt2_json(d.arena, gpt2_head, gpt2_model, gpt2_tokens, gpt2_merges);
        text = changed(d.arena, text, &faults[i]);
        lh_tokenizer *t = lh_tokenizer_read_json(d.ctx, "gpt2.json", text, strlen(text));
        const lh_error *e = lh_context_error(d.ctx);
        if (t || !lh_failed(d.ctx)) fail_msg("%s was read", faults[i].to);
        if (!strstr(e->what, faults[i].part))
            fail_msg("%s: %s, not %s", faults[i].to, e->what, faults[i].part);
        assert_string_equal(e->file, "gpt2.json");
        desk_close(&d);
    }
}

static void what_does_no_harm_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        desk d = desk_open();
        char *text = gpt2_json(d.arena, gpt2_head, gpt2_model, gpt2_tokens, gpt2_merges);
        text = changed(d.arena, text, &harmless[i]);
        lh_tokenizer *t = lh_tokenizer_read_json(d.ctx, "gpt2.json", text, strlen(text));
        if (!t) fail_msg("%s: %s", harmless[i].to, lh_context_error(d.ctx)->what);
        size_t n;
        int *id = lh_tokenizer_ids(t, d.arena, "he the hat", 10, false, &n);
        lh_text back = lh_text_new(d.arena);
        lh_tokenizer_decode(t, id, n, false, &back);
        assert_string_equal(back.s, "he the hat");
        assert_true(n < 10);
        lh_tokenizer_free(t);
        desk_close(&d);
    }
}

static void a_file_cut_short_is_refused(void **state) {
    (void)state;
    for (int which = 0; which < 3; which++) {
        desk d = desk_open();
        lh_tokenizer *t = example(&d, which);
        lh_text text = lh_text_new(d.arena);
        lh_tokenizer_write_json(&text, t);
        size_t end = text.n; /* behind the last } only the end of the line may go */
        while (text.s[end - 1] != '}') end--;
        for (size_t n = 0; n < end; n += getenv("LH_QUICK") ? 17 : 1) {
            char *exact = malloc(n ? n : 1);
            assert_non_null(exact);
            memcpy(exact, text.s, n);
            if (lh_tokenizer_read_json(d.ctx, "cut.json", exact, n))
                fail_msg("%zu of %zu bytes were read", n, text.n);
            assert_true(lh_failed(d.ctx));
            assert_true(lh_context_error(d.ctx)->what[0]);
            lh_context_clear(d.ctx);
            free(exact);
        }
        lh_tokenizer_free(t);
        desk_close(&d);
    }
}

static void merges_say_their_line(void **state) {
    (void)state;
    static const struct {
        const char *merges;
        int line;
        const char *part;
    } bad[] = {{"#version: 0.2\nh e\nhe\n", 3, "not two names"},
               {"h e\r\n\r\nh x\n", 3, "no token \"hx\""},
               {"h \n", 1, "not two names"},
               {" e\n", 1, "not two names"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        desk d = desk_open();
        lh_text vocab = lh_text_new(d.arena);
        const char *json = gpt2_json(d.arena, "", "", "\"he\":256", "");
        const char *from = strstr(json, "\"vocab\":") + 8, *to = strstr(json, ",\"merges\"");
        lh_text_add_n(&vocab, from, (size_t)(to - from));
        lh_tokenizer *t =
            lh_tokenizer_read_pair(d.ctx, vocab.s, vocab.n, bad[i].merges, strlen(bad[i].merges));
        const lh_error *e = lh_context_error(d.ctx);
        assert_null(t);
        assert_string_equal(e->file, "merges.txt");
        assert_int_equal(e->at.line, bad[i].line);
        if (!strstr(e->what, bad[i].part)) fail_msg("%s, not %s", e->what, bad[i].part);
        desk_close(&d);
    }
}

static void memory_may_end_while_reading(void **state) {
    (void)state;
    desk d = desk_open();
    for (int which = 0; which < 3; which++) {
        lh_tokenizer *t = example(&d, which);
        lh_text text = lh_text_new(d.arena);
        lh_tokenizer_write_json(&text, t);
        lh_tokenizer_free(t);
        for (refused = 1, asked = 1; asked >= refused; refused++) {
            lh_context *ctx = lh_context_new();
            ctx->alloc = alloc_but_one;
            asked = 0;
            t = lh_tokenizer_read_json(ctx, "memory.json", text.s, text.n);
            assert_int_equal(t == NULL, asked >= refused);
            assert_int_equal(lh_failed(ctx), asked >= refused);
            lh_tokenizer_free(t);
            lh_context_free(ctx);
        }
    }
    desk_close(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(the_pair_of_files_is_read_again),
        cmocka_unit_test(a_folder_is_written_and_read),
        cmocka_unit_test(gpt2_layout_is_read),
        cmocka_unit_test(a_space_may_be_put_in_front),
        cmocka_unit_test(an_added_token_may_stand_alone),
        cmocka_unit_test(what_is_not_supported_is_refused_by_name),
        cmocka_unit_test(what_does_no_harm_is_read),
        cmocka_unit_test(a_file_cut_short_is_refused),
        cmocka_unit_test(merges_say_their_line),
        cmocka_unit_test(memory_may_end_while_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
