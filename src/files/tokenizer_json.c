/* Reading. A vocabulary is walked once into a list by id and a table by name: cJSON finds names one after another. */
#include <cJSON.h>
#include <stdio.h>
#include <string.h>

#include "files/tokenizer_file.h"
#include "text/alphabet.h"
#include "text/unicode.h"

static const lh_place nowhere = {0, 0, 0};

typedef struct entry {
    const char *name; /* NULL: this id was not seen yet */
    lh_token_role role;
} entry;

typedef struct reader {
    lh_context *ctx;
    lh_arena *arena;
    lh_tokenizer_kind kind;
    bool has_bytes;     /* chars: byte_fallback */
    const char *unk;    /* unk_token, or NULL */
    entry *entry;       /* [n], by id */
    int n, n_seen;      /* n_seen of them have a name */
    lh_byte_table name; /* to id */
} reader;

/* ---- JSON ---- */

static const cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool is_nothing(const cJSON *x) {
    return !x || cJSON_IsNull(x);
}

static bool is_false(const cJSON *x) {
    return is_nothing(x) || cJSON_IsFalse(x);
}

static bool is_empty(const cJSON *x) {
    return is_nothing(x) || (cJSON_IsString(x) && !x->valuestring[0]);
}

static const char *type_of(const cJSON *x) {
    const cJSON *type = get(x, "type");
    return cJSON_IsString(type) ? type->valuestring : is_nothing(x) ? "null" : "of no type";
}

static bool is_type(const cJSON *x, const char *type) {
    return strcmp(type_of(x), type) == 0;
}

static lh_place place_of(const char *text, size_t at) {
    lh_place p = {1, 1, 1};
    for (size_t i = 0; i < at; i++) {
        p.col++;
        if (text[i] == '\n') p.line++, p.col = 1;
    }
    return p;
}

/* Where the text is no UTF-8, or has the character 0, which a C string cannot carry; length when it is nowhere. */
static size_t bad_char(const char *text, size_t length) {
    uint32_t c;
    for (size_t i = 0, k; i < length; i += k) {
        k = lh_utf8_read(text + i, length - i, &c);
        if (k == 0 || c == 0) return i;
        if (c == '\\' && length - i >= 6 && memcmp(text + i + 1, "u0000", 5) == 0) return i;
        if (c == '\\' && i + 1 < length && text[i + 1] == '\\') k = 2;
    }
    return length;
}

static cJSON *parse(lh_context *ctx, const char *name, const char *text, size_t length) {
    const char *end = text;
    size_t bad = bad_char(text, length);
    cJSON *root = NULL;
    if (bad < length)
        lh_fail(ctx, LH_ERROR_TEXT, place_of(text, bad), "not UTF-8, or the character 0");
    else
        root = cJSON_ParseWithLengthOpts(text, length, &end, 0);
    if (bad == length && !root) {
        size_t at = end >= text && end < text + length ? (size_t)(end - text) : length;
        lh_fail(ctx, LH_ERROR_TEXT, place_of(text, at),
                at < length ? "this is no JSON from here on"
                            : "this is no JSON: it ends too early");
        lh_cure(ctx, "was the file written to its end?");
    } else if (root && !cJSON_IsObject(root)) {
        lh_fail(ctx, LH_ERROR_TEXT, nowhere, "a JSON object is expected, { and so on");
    }
    lh_fail_in(ctx, name, text, length);
    if (!lh_failed(ctx)) return root;
    cJSON_Delete(root);
    return NULL;
}

/* ---- what is not supported ---- */

static bool refuse(reader *r, const char *what, const char *is, const char *cure) {
    lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "%s is %s: that is not supported", what, is);
    lh_cure(r->ctx, "%s", cure);
    return false;
}

static bool check_pre_tokenizer(reader *r, const cJSON *root) {
    const cJSON *pre = get(root, "pre_tokenizer");
    if (r->kind == LH_TOKENS_CHARS) return true; /* that there is none made it chars */
    if (!is_type(pre, "ByteLevel"))
        return refuse(r, "pre_tokenizer", type_of(pre), "ByteLevel is, with the rule of GPT-2");
    if (!is_false(get(pre, "add_prefix_space")))
        return refuse(r, "add_prefix_space of the pre_tokenizer", "true",
                      "with false, text comes back as it was");
    if (!is_nothing(get(pre, "use_regex")) && !cJSON_IsTrue(get(pre, "use_regex")))
        return refuse(r, "use_regex of the pre_tokenizer", "false", "the rule of GPT-2 is");
    return true;
}

static bool check_model(reader *r, const cJSON *model) {
    const cJSON *dropout = get(model, "dropout");
    if (!is_nothing(dropout) && !(cJSON_IsNumber(dropout) && dropout->valuedouble == 0))
        return refuse(r, "dropout of the model", "set", "the same text must give the same ids");
    if (!is_empty(get(model, "continuing_subword_prefix")))
        return refuse(r, "continuing_subword_prefix of the model", "set", "null or \"\" is");
    if (!is_empty(get(model, "end_of_word_suffix")))
        return refuse(r, "end_of_word_suffix of the model", "set", "null or \"\" is");
    if (!is_false(get(model, "ignore_merges")))
        return refuse(r, "ignore_merges of the model", "true", "false is");
    if (r->kind == LH_TOKENS_BPE && !is_false(get(model, "byte_fallback")))
        return refuse(r, "byte_fallback of a ByteLevel model", "true",
                      "its bytes are its alphabet");
    return true;
}

static bool has_merges(const cJSON *model) {
    const cJSON *merges = get(model, "merges");
    return cJSON_IsArray(merges) && merges->child;
}

/* Which of the three layouts it is; false and failed when none. */
static bool check_layout(reader *r, const cJSON *root, const cJSON *model) {
    const cJSON *after = get(root, "post_processor");
    bool is_bpe = is_type(model, "BPE") || (is_nothing(get(model, "type")) && get(model, "merges"));
    if (!cJSON_IsObject(model)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "there is no \"model\" in it");
        lh_cure(r->ctx, "is it a tokenizer.json?");
        return false;
    }
    if (!is_bpe && !is_type(model, "WordLevel"))
        return refuse(r, "the model", type_of(model), "BPE and WordLevel are");
    if (!is_nothing(get(root, "normalizer")))
        return refuse(r, "the normalizer", type_of(get(root, "normalizer")), "null is");
    if (!is_nothing(after) && !is_type(after, "ByteLevel"))
        return refuse(r, "the post_processor", type_of(after), "null and ByteLevel are");
    bool is_chars = is_bpe && is_nothing(get(root, "pre_tokenizer")) && !has_merges(model);
    r->kind = is_chars ? LH_TOKENS_CHARS : is_bpe ? LH_TOKENS_BPE : LH_TOKENS_WORDS;
    r->has_bytes = is_chars && cJSON_IsTrue(get(model, "byte_fallback"));
    const cJSON *unk = get(model, "unk_token");
    if (r->kind == LH_TOKENS_WORDS) r->unk = "<unk>"; /* unless it says otherwise */
    if (r->kind != LH_TOKENS_BPE && cJSON_IsString(unk)) r->unk = unk->valuestring;
    return check_pre_tokenizer(r, root) && check_model(r, model);
}

/* ---- names and ids ---- */

static void add_name(reader *r, const char *name, const cJSON *id, lh_token_role role) {
    double x = cJSON_IsNumber(id) ? id->valuedouble : -1;
    int at = x >= 0 && x < r->n && x == (int)x ? (int)x : -1;
    if (at < 0)
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                "the id of token \"%.40s\" is no whole number from 0 to %d: there are %d tokens",
                name, r->n - 1, r->n);
    else if (r->entry[at].name && strcmp(r->entry[at].name, name) != 0)
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "id %d is both \"%.40s\" and \"%.40s\"", at,
                r->entry[at].name, name);
    else if (lh_byte_find(&r->name, name, strlen(name)) >= 0 && !r->entry[at].name)
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "token \"%.40s\" has two ids, %d and %d", name,
                lh_byte_find(&r->name, name, strlen(name)), at);
    if (lh_failed(r->ctx)) return;
    if (!r->entry[at].name) {
        r->n_seen++;
        lh_byte_put(&r->name, name, strlen(name), at);
    }
    r->entry[at] = (entry){name, role};
}

static bool is_plain_mark(const cJSON *added) {
    return is_false(get(added, "single_word")) && is_false(get(added, "lstrip")) &&
           is_false(get(added, "rstrip")) && cJSON_IsTrue(get(added, "special"));
}

static void add_special(reader *r, const cJSON *added) {
    const cJSON *content = get(added, "content");
    if (!cJSON_IsString(content) || !content->valuestring[0]) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "an added token has no \"content\"");
        return;
    }
    const char *name = content->valuestring;
    if (!is_plain_mark(added)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                "the added token \"%.40s\" is not special, or takes spaces or words with it: that "
                "is not supported",
                name);
        return;
    }
    add_name(r, name, get(added, "id"), LH_TOKEN_SPECIAL);
}

/* How many added tokens are not in the vocabulary: their ids come beside its own. Names of the vocabulary are in r->name. */
static int count_added(const reader *r, const cJSON *added) {
    int n = 0;
    for (const cJSON *x = added ? added->child : NULL; x; x = x->next) {
        const cJSON *content = get(x, "content");
        n += cJSON_IsString(content) &&
             lh_byte_find(&r->name, content->valuestring, strlen(content->valuestring)) < 0;
    }
    return n;
}

/* Ids may reach as far as there are tokens, the added ones too. So the names are put into the table once to count, then
 * again with their ids. */
static bool read_names(reader *r, const cJSON *vocab, const cJSON *added) {
    if (!cJSON_IsObject(vocab)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "there is no \"vocab\" in it");
        return false;
    }
    for (const cJSON *x = vocab->child; x; x = x->next, r->n++)
        lh_byte_put(&r->name, x->string, strlen(x->string), 0);
    r->n += cJSON_IsArray(added) ? count_added(r, added) : 0;
    r->entry = lh_alloc_array(r->arena, (size_t)r->n + 1, sizeof *r->entry);
    r->name = (lh_byte_table){.arena = r->arena};
    if (!r->entry) return false;
    for (const cJSON *x = vocab->child; x && !lh_failed(r->ctx); x = x->next)
        add_name(r, x->string, x, LH_TOKEN_PLAIN);
    for (const cJSON *x = added && cJSON_IsArray(added) ? added->child : NULL;
         x && !lh_failed(r->ctx); x = x->next)
        add_special(r, x);
    for (int i = 0; i < r->n && !lh_failed(r->ctx); i++)
        if (!r->entry[i].name)
            lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "no token has the id %d: there are %d", i,
                    r->n_seen);
    return !lh_failed(r->ctx);
}

/* ---- the tokenizer ---- */

/* A name in the visible alphabet to its bytes; their number, or 0 when it has another character. */
static size_t bytes_of(const char *name, char *bytes) {
    size_t length = strlen(name), n = 0;
    for (size_t i = 0, k; i < length; i += k) {
        uint32_t c;
        k = lh_utf8_read(name + i, length - i, &c);
        int byte = k ? lh_alphabet_byte(c) : -1;
        if (byte < 0) return 0;
        bytes[n++] = (char)byte;
    }
    return n;
}

/* <0x0A> is a byte. */
static bool is_byte_name(const char *name, char *byte) {
    unsigned value;
    char again[8];
    if (strlen(name) != 6 || sscanf(name, "<0x%2X>", &value) != 1) return false;
    *byte = (char)value;
    snprintf(again, sizeof again, "<0x%02X>", value & 0xFF);
    return strcmp(again, name) == 0;
}

static void add_token(reader *r, lh_tokenizer *t, const entry *e) {
    size_t length = strlen(e->name);
    char *bytes = lh_copy(r->arena, e->name, length);
    if (r->unk && strcmp(r->unk, e->name) == 0) {
        lh_tokenizer_add(t, e->name, length, LH_TOKEN_UNKNOWN);
    } else if (e->role == LH_TOKEN_SPECIAL) {
        lh_tokenizer_add(t, e->name, length, LH_TOKEN_SPECIAL);
    } else if (r->kind == LH_TOKENS_CHARS) {
        bool is_byte = r->has_bytes && is_byte_name(e->name, bytes);
        lh_tokenizer_add(t, bytes, is_byte ? 1 : length, is_byte ? LH_TOKEN_BYTE : LH_TOKEN_PLAIN);
    } else {
        size_t n = bytes_of(e->name, bytes);
        if (n == 0 && !lh_failed(r->ctx)) {
            lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                    "token %d, \"%.40s\", is not written in the byte-level alphabet", t->n_tokens,
                    e->name);
            lh_cure(r->ctx, "a space is Ġ there; is it the vocabulary of another kind of model?");
        }
        lh_tokenizer_add(t, bytes, n, LH_TOKEN_PLAIN);
    }
}

static lh_tokenizer *build(reader *r) {
    lh_tokenizer *t = lh_tokenizer_new(r->ctx, r->kind);
    for (int i = 0; t && i < r->n && !lh_failed(r->ctx); i++) add_token(r, t, &r->entry[i]);
    return t;
}

/* Merge number `rank`: its two names. */
static void add_merge(reader *r, lh_tokenizer *t, const char *left, size_t n, const char *right,
                      size_t m) {
    char *both = lh_printf(r->arena, "%.*s%.*s", (int)n, left, (int)m, right);
    const char *name[] = {left, right, both};
    size_t length[] = {n, m, n + m};
    int id[3];
    for (int i = 0; i < 3; i++) {
        id[i] = lh_byte_find(&r->name, name[i], length[i]);
        if (id[i] >= 0) continue;
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                "merge %d, \"%.*s %.*s\": there is no token \"%.*s\"", t->n_merges,
                n > 40 ? 40 : (int)n, left, m > 40 ? 40 : (int)m, right,
                length[i] > 40 ? 40 : (int)length[i], name[i]);
        return;
    }
    lh_tokenizer_add_merge(t, id[0], id[1], id[2]);
}

/* "Ġ t" or ["Ġ", "t"]: both are written by someone. */
static void read_merge(reader *r, lh_tokenizer *t, const cJSON *x) {
    const cJSON *left = cJSON_IsArray(x) ? x->child : NULL, *right = left ? left->next : NULL;
    const char *space = cJSON_IsString(x) ? strchr(x->valuestring, ' ') : NULL;
    if (right && cJSON_IsString(left) && cJSON_IsString(right) && !right->next)
        add_merge(r, t, left->valuestring, strlen(left->valuestring), right->valuestring,
                  strlen(right->valuestring));
    else if (space)
        add_merge(r, t, x->valuestring, (size_t)(space - x->valuestring), space + 1,
                  strlen(space + 1));
    else
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "merge %d is not two names with a space between",
                t->n_merges);
}

lh_tokenizer *lh_tokenizer_read_json(lh_context *ctx, const char *name, const char *text,
                                     size_t length) {
    cJSON *root = lh_failed(ctx) ? NULL : parse(ctx, name, text, length);
    reader r = {.ctx = ctx, .arena = root ? lh_arena_new(ctx) : NULL};
    lh_tokenizer *t = NULL;
    r.name.arena = r.arena;
    const cJSON *model = get(root, "model");
    if (r.arena && check_layout(&r, root, model) &&
        read_names(&r, get(model, "vocab"), get(root, "added_tokens")))
        t = build(&r);
    const cJSON *merges = get(model, "merges");
    if (t && r.kind == LH_TOKENS_BPE && !cJSON_IsArray(merges))
        lh_fail(ctx, LH_ERROR_VALUE, nowhere, "there is no list \"merges\" in the model");
    for (const cJSON *x = t && cJSON_IsArray(merges) ? merges->child : NULL; x && !lh_failed(ctx);
         x = x->next)
        read_merge(&r, t, x);
    t = lh_tokenizer_finish(t);
    lh_fail_in(ctx, name, NULL, 0);
    lh_arena_free(r.arena);
    cJSON_Delete(root);
    return t;
}

/* ---- vocab.json and merges.txt ---- */

/* Each line with what to do with it; false stops. Line 1 may say which version it is. */
static void each_merge(reader *r, const char *text, size_t length,
                       void (*use)(reader *r, void *who, const char *left, size_t n,
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

static void note_made(reader *r, void *who, const char *left, size_t n, const char *right,
                      size_t m) {
    bool *is_made = who;
    char *both = lh_printf(r->arena, "%.*s%.*s", (int)n, left, (int)m, right);
    int id = lh_byte_find(&r->name, both, n + m);
    if (id >= 0) is_made[id] = true;
}

static void use_merge(reader *r, void *who, const char *left, size_t n, const char *right,
                      size_t m) {
    add_merge(r, who, left, n, right, m);
}

/* Of several characters, and no merge makes it: a mark. */
static void find_specials(reader *r, const bool *is_made) {
    for (int i = 0; i < r->n; i++) {
        const char *s = r->entry[i].name;
        uint32_t c;
        if (!is_made[i] && lh_utf8_read(s, strlen(s), &c) < strlen(s))
            r->entry[i].role = LH_TOKEN_SPECIAL;
    }
}

lh_tokenizer *lh_tokenizer_read_pair(lh_context *ctx, const char *vocab, size_t vocab_length,
                                     const char *merges, size_t merges_length) {
    cJSON *root = lh_failed(ctx) ? NULL : parse(ctx, "vocab.json", vocab, vocab_length);
    reader r = {.ctx = ctx, .arena = root ? lh_arena_new(ctx) : NULL, .kind = LH_TOKENS_BPE};
    lh_tokenizer *t = NULL;
    r.name.arena = r.arena;
    if (r.arena && read_names(&r, root, NULL)) {
        bool *is_made = lh_alloc(r.arena, (size_t)r.n + 1);
        if (is_made) each_merge(&r, merges, merges_length, note_made, is_made);
        if (is_made && !lh_failed(ctx)) find_specials(&r, is_made);
        lh_fail_in(ctx, "merges.txt", merges, merges_length);
        t = build(&r);
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
