/* Reading vocab.json and merges.txt, GPT-2's own files. */
#include <string.h>

#include "files/tokenizer_json_internal.h"
#include "base/unicode.h"

/* Each line with what to do with it; false stops. Line 1 may say which version it is. */
static void each_merge(lh_json_reader *r, const char *text, size_t length,
                       void (*use)(lh_json_reader *r, void *who, const char *left, size_t n,
                                   const char *right, size_t m),
                       void *who) {
    int line = 0;
    for (size_t i = 0, n; i < length && !lh_failed(r->ctx); i += n + 1) {
        const char *s = text + i, *end = memchr(s, '\n', length - i);
        n = end ? (size_t)(end - s) : length - i;
        size_t k = n && s[n - 1] == '\r' ? n - 1 : n;
        line++;
        if (k == 0 || (line == 1 && k >= 8 && memcmp(s, "#version", 8) == 0)) continue;
        const char *space = memchr(s, ' ', k);
        if (!space || space == s || space + 1 == s + k)
            lh_fail(r->ctx, LH_ERROR_TEXT, (lh_place){line, 1, (int)(k < 80 ? k : 80)},
                    "not two names with a space between");
        else
            use(r, who, s, (size_t)(space - s), space + 1, (size_t)(s + k - space - 1));
        if (lh_failed(r->ctx) && !r->ctx->error.at.line)
            r->ctx->error.at = (lh_place){line, 1, (int)(k < 80 ? k : 80)};
    }
}

static void note_made(lh_json_reader *r, void *who, const char *left, size_t n, const char *right,
                      size_t m) {
    bool *is_made = who;
    char *both = lh_printf(r->arena, "%.*s%.*s", (int)n, left, (int)m, right);
    int id = lh_byte_find(&r->name, both, n + m);
    if (id >= 0) is_made[id] = true;
}

static void use_merge(lh_json_reader *r, void *who, const char *left, size_t n, const char *right,
                      size_t m) {
    lh_tokenizer_json_merge(r, who, left, n, right, m);
}

/* Of several characters, and no merge makes it: a mark. */
static void find_specials(lh_json_reader *r, const bool *is_made) {
    for (int i = 0; i < r->n; i++) {
        const char *s = r->entry[i].name;
        uint32_t c;
        if (s && !is_made[i] && lh_utf8_read(s, strlen(s), &c) < strlen(s))
            r->entry[i].role = LH_TOKEN_SPECIAL;
    }
}

/* GPT-2's way, which the two files do not write down. */
static lh_tokenizer *build_pair(lh_json_reader *r) {
    static const char way[] =
        "{\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false},"
        "\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{}}";
    if (lh_failed(r->ctx) || lh_tokenizer_json_is_simple(r)) return lh_tokenizer_json_simple(r);
    cJSON *root = cJSON_Parse(way);
    lh_tokenizer *t = lh_tokenizer_json_pipeline(r, root, lh_part_get(root, "model"));
    cJSON_Delete(root);
    return t;
}

lh_tokenizer *lh_tokenizer_read_pair(lh_context *ctx, const char *vocab, size_t vocab_length,
                                     const char *merges, size_t merges_length) {
    cJSON *root =
        lh_failed(ctx) ? NULL : lh_tokenizer_json_parse(ctx, "vocab.json", vocab, vocab_length);
    lh_json_reader r = {
        .ctx = ctx, .arena = root ? lh_arena_new(ctx) : NULL, .kind = LH_TOKENS_BPE};
    lh_tokenizer *t = NULL;
    r.name.arena = r.arena;
    if (r.arena && lh_tokenizer_json_names(&r, root, NULL)) {
        bool *is_made = lh_alloc(r.arena, (size_t)r.n + 1);
        if (is_made) each_merge(&r, merges, merges_length, note_made, is_made);
        if (is_made && !lh_failed(ctx)) find_specials(&r, is_made);
        lh_fail_in(ctx, "merges.txt", merges, merges_length);
        t = build_pair(&r);
    }
    lh_fail_in(ctx, "vocab.json", NULL, 0);
    if (t) each_merge(&r, merges, merges_length, use_merge, t);
    lh_fail_in(ctx, "merges.txt", merges, merges_length);
    t = lh_tokenizer_finish(t);
    lh_fail_in(ctx, "vocab.json", NULL, 0);
    lh_arena_free(r.arena);
    cJSON_Delete(root);
    return t;
}

/* ---- added_tokens.json ---- */

static bool is_named(const lh_tokenizer *t, int id, const char *name) {
    const lh_token *x = &t->token[id];
    if (x->name) return strcmp(x->name, name) == 0;
    return x->length == strlen(name) && memcmp(x->bytes, name, x->length) == 0;
}

bool lh_tokenizer_has_added(const lh_tokenizer *t, const char *name, const char *text,
                            size_t length) {
    cJSON *root = lh_tokenizer_json_parse(t->ctx, name, text, length);
    for (const cJSON *x = root ? root->child : NULL; x && !lh_failed(t->ctx); x = x->next) {
        double id = cJSON_IsNumber(x) ? x->valuedouble : -1;
        if (id >= 0 && id < t->n_tokens && is_named(t, (int)id, x->string)) continue;
        lh_fail(t->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "it adds \"%.40s\", which is not in the vocabulary with that id", x->string);
        lh_cure(t->ctx,
                "save the tokeniser again with transformers, which writes one tokenizer.json");
    }
    lh_fail_in(t->ctx, name, NULL, 0);
    cJSON_Delete(root);
    return !lh_failed(t->ctx);
}
