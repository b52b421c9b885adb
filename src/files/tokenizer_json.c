/* Reading. A vocabulary is walked once into a list by id and a table by name: cJSON finds names one after another. */
#include <cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "files/tokenizer_json_internal.h"
#include "text/alphabet.h"
#include "base/unicode.h"

static const lh_place nowhere = {0, 0, 0};
enum { MOST_HOLES = 100000 };

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

cJSON *lh_tokenizer_json_parse(lh_context *ctx, const char *name, const char *text, size_t length) {
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
                at < length ? "from here on this is not JSON"
                            : "this is not JSON: it ends too early");
        lh_cure(ctx, "was the file written to its end?");
    } else if (root && !cJSON_IsObject(root)) {
        lh_fail(ctx, LH_ERROR_TEXT, nowhere, "expected a JSON object, which begins with {");
    }
    lh_fail_in(ctx, name, text, length);
    if (!lh_failed(ctx)) return root;
    cJSON_Delete(root);
    return NULL;
}

/* ---- which kind it is ---- */

static lh_part_reader parts_of(const lh_json_reader *r, const lh_tokenizer *t) {
    return (lh_part_reader){r->ctx, t ? t->arena : r->arena};
}

static bool has_merges(const cJSON *model) {
    const cJSON *merges = get(model, "merges");
    return cJSON_IsArray(merges) && merges->child;
}

/* BPE, WordLevel, Unigram or WordPiece; older files do not say, and are known by what they have. */
static bool find_model(lh_json_reader *r, const cJSON *model) {
    static const char *const name[] = {"BPE", "WordLevel", "Unigram", "WordPiece"};
    if (!cJSON_IsObject(model)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "it has no \"model\"");
        lh_cure(r->ctx, "is it a tokenizer.json?");
        return false;
    }
    for (int i = 0; i < 4; i++)
        if (is_type(model, name[i])) return r->model = (lh_model_kind)i, true;
    if (is_nothing(get(model, "type"))) {
        r->model = get(model, "merges")                     ? LH_MODEL_BPE
                   : get(model, "max_input_chars_per_word") ? LH_MODEL_WORDPIECE
                                                            : LH_MODEL_UNIGRAM;
        if (get(model, "merges") || get(model, "unk_id") || get(model, "max_input_chars_per_word"))
            return true;
    }
    lh_part_reader parts = parts_of(r, NULL);
    lh_part_refuse(&parts, "the model", type_of(model),
                   "BPE, WordLevel, Unigram and WordPiece are");
    return false;
}

static bool check_model(lh_json_reader *r, const cJSON *model) {
    static const char *const known[] = {
        (" type dropout unk_token continuing_subword_prefix end_of_word_suffix fuse_unk "
         "byte_fallback ignore_merges vocab merges "),
        " type vocab unk_token ", " type unk_id vocab byte_fallback ",
        " type unk_token continuing_subword_prefix max_input_chars_per_word vocab "};
    lh_part_reader parts = parts_of(r, NULL);
    const cJSON *dropout = get(model, "dropout");
    if (!is_nothing(dropout) && !(cJSON_IsNumber(dropout) && dropout->valuedouble == 0))
        lh_part_refuse(&parts, "dropout of the model", "set",
                       "the same text must give the same ids");
    if (r->model == LH_MODEL_BPE && !is_empty(get(model, "continuing_subword_prefix")))
        lh_part_refuse(&parts, "continuing_subword_prefix of the model", "set", "null or \"\" is");
    if (!is_empty(get(model, "end_of_word_suffix")))
        lh_part_refuse(&parts, "end_of_word_suffix of the model", "set", "null or \"\" is");
    return lh_part_fields(&parts, model, "the model", known[r->model]);
}

/* ByteLevel with GPT-2's rule and nothing before it. */
static bool is_plain_bytes(const cJSON *pre) {
    return is_type(pre, "ByteLevel") && cJSON_IsFalse(get(pre, "add_prefix_space")) &&
           (is_nothing(get(pre, "use_regex")) || cJSON_IsTrue(get(pre, "use_regex")));
}

/* Sequence of ByteFallback and Fuse: what lh_tokenizer_write_json writes for characters. */
static bool is_fallback(const cJSON *decoder) {
    const cJSON *first = get(decoder, "decoders") ? get(decoder, "decoders")->child : NULL;
    return is_type(decoder, "Sequence") && first && first->next && !first->next->next &&
           is_type(first, "ByteFallback") && is_type(first->next, "Fuse");
}

static bool is_plain_mark(const cJSON *added) {
    return is_false(get(added, "single_word")) && is_false(get(added, "lstrip")) &&
           is_false(get(added, "rstrip")) && cJSON_IsTrue(get(added, "special"));
}

/* One of the three kinds of text/tokenizer.h, which need no pipeline: sets r->kind. */
static bool is_simple(lh_json_reader *r, const cJSON *root, const cJSON *model) {
    const cJSON *pre = get(root, "pre_tokenizer"), *decoder = get(root, "decoder"),
                *added = get(root, "added_tokens");
    bool is_bpe = r->model == LH_MODEL_BPE;
    if (r->model > LH_MODEL_WORDS || !is_nothing(get(root, "normalizer"))) return false;
    for (const cJSON *x = cJSON_IsArray(added) ? added->child : NULL; x; x = x->next)
        if (!is_plain_mark(x)) return false;
    if (!is_false(get(model, "ignore_merges")) || !is_false(get(model, "fuse_unk"))) return false;
    if (is_bpe && is_nothing(pre) && !has_merges(model) && is_fallback(decoder)) {
        r->kind = LH_TOKENS_CHARS;
        r->has_bytes = cJSON_IsTrue(get(model, "byte_fallback"));
        return true;
    }
    r->kind = is_bpe ? LH_TOKENS_BPE : LH_TOKENS_WORDS;
    return is_plain_bytes(pre) && is_type(decoder, "ByteLevel") &&
           is_false(get(model, "byte_fallback"));
}

/* ---- names and ids ---- */

static int id_of(const cJSON *id, int most) {
    double x = cJSON_IsNumber(id) ? id->valuedouble : -1;
    return x >= 0 && x <= most && x == (int)x ? (int)x : -1;
}

/* The token at an id, which becomes known by its name; NULL and failed when it cannot. */
static lh_json_entry *add_name(lh_json_reader *r, const char *name, const cJSON *id) {
    int at = id_of(id, r->n - 1), other = lh_byte_find(&r->name, name, strlen(name));
    if (at < 0)
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "the id of token \"%.40s\" is not a whole number",
                name);
    else if (r->entry[at].name && strcmp(r->entry[at].name, name) != 0)
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "id %d is both \"%.40s\" and \"%.40s\"", at,
                r->entry[at].name, name);
    else if (other >= 0 && other != at)
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "token \"%.40s\" has two ids, %d and %d", name,
                other, at);
    if (lh_failed(r->ctx)) return NULL;
    if (!r->entry[at].name) {
        r->n_seen++;
        lh_byte_put(&r->name, name, strlen(name), at);
    }
    r->entry[at].name = name;
    return &r->entry[at];
}

static void add_added(lh_json_reader *r, const cJSON *added) {
    const cJSON *content = get(added, "content");
    lh_part_reader parts = parts_of(r, NULL);
    if (!cJSON_IsString(content) || !content->valuestring[0]) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "an added token has no \"content\"");
        return;
    }
    if (!lh_part_fields(&parts, added, "an added token",
                        " id content single_word lstrip rstrip normalized special "))
        return;
    lh_json_entry *e = add_name(r, content->valuestring, get(added, "id"));
    if (!e) return;
    e->added = added;
    if (lh_part_yes(&parts, added, "special", false)) e->role = LH_TOKEN_SPECIAL;
}

static int largest_id(const cJSON *list, const char *field) {
    int most = -1;
    for (const cJSON *x = list ? list->child : NULL; x; x = x->next) {
        int id = id_of(field ? get(x, field) : x, (1 << 28) - 1);
        if (id > most) most = id;
    }
    return most;
}

/* Room for every id. A few may be missing, and a file that says one of a thousand million is refused. */
static bool make_room(lh_json_reader *r, const cJSON *vocab, const cJSON *added) {
    int n = 0, largest = largest_id(added, "id");
    if (r->model == LH_MODEL_UNIGRAM) {
        n = cJSON_GetArraySize(vocab);
    } else {
        n = largest_id(vocab, NULL) + 1;
    }
    r->n = largest + 1 > n ? largest + 1 : n;
    int tokens = cJSON_GetArraySize(vocab) + cJSON_GetArraySize(added);
    if (r->n > tokens + MOST_HOLES) { /* before any room is taken: an id can ask for gigabytes */
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                "one token has id %d, but there are only %d token%s", r->n - 1, tokens,
                LH_PLURAL(tokens));
        return false;
    }
    r->entry = lh_alloc_array(r->arena, (size_t)r->n + 1, sizeof *r->entry);
    return !lh_failed(r->ctx);
}

/* Unigrams are a list of names and scores, whose places are their ids. */
static void read_unigrams(lh_json_reader *r, const cJSON *vocab) {
    int at = 0;
    r->score = lh_alloc_array(r->arena, (size_t)r->n + 1, sizeof *r->score);
    for (const cJSON *x = vocab->child; x && !lh_failed(r->ctx); x = x->next, at++) {
        const cJSON *name = cJSON_IsArray(x) ? x->child : NULL, *score = name ? name->next : NULL;
        if (!name || !score || !cJSON_IsString(name) || !cJSON_IsNumber(score)) {
            lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                    "token %d of the vocab is not a name and a score", at);
            return;
        }
        r->entry[at].name = name->valuestring;
        r->entry[at].is_in_model = true;
        r->n_seen++;
        if (r->score) r->score[at] = score->valuedouble;
        if (lh_byte_find(&r->name, name->valuestring, strlen(name->valuestring)) < 0)
            lh_byte_put(&r->name, name->valuestring, strlen(name->valuestring), at);
    }
}

bool lh_tokenizer_json_names(lh_json_reader *r, const cJSON *vocab, const cJSON *added) {
    bool is_list = r->model == LH_MODEL_UNIGRAM;
    if (is_list ? !cJSON_IsArray(vocab) : !cJSON_IsObject(vocab)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "it has no \"vocab\"");
        return false;
    }
    if (!cJSON_IsArray(added)) added = NULL;
    if (!make_room(r, vocab, added)) return false;
    if (is_list) read_unigrams(r, vocab);
    for (const cJSON *x = is_list ? NULL : vocab->child; x && !lh_failed(r->ctx); x = x->next) {
        lh_json_entry *e = add_name(r, x->string, x);
        if (e) e->is_in_model = true;
    }
    for (const cJSON *x = added ? added->child : NULL; x && !lh_failed(r->ctx); x = x->next)
        add_added(r, x);
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

static void add_token(lh_json_reader *r, lh_tokenizer *t, const lh_json_entry *e) {
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

lh_tokenizer *lh_tokenizer_json_simple(lh_json_reader *r) {
    lh_tokenizer *t = lh_tokenizer_new(r->ctx, r->kind);
    for (int i = 0; t && i < r->n && !lh_failed(r->ctx); i++) add_token(r, t, &r->entry[i]);
    return t;
}

/* Merge number `rank`: its two names. */
void lh_tokenizer_json_merge(lh_json_reader *r, lh_tokenizer *t, const char *left, size_t n,
                             const char *right, size_t m) {
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
static void read_merge(lh_json_reader *r, lh_tokenizer *t, const cJSON *x) {
    const cJSON *left = cJSON_IsArray(x) ? x->child : NULL, *right = left ? left->next : NULL;
    const char *space = cJSON_IsString(x) ? strchr(x->valuestring, ' ') : NULL;
    if (right && cJSON_IsString(left) && cJSON_IsString(right) && !right->next)
        lh_tokenizer_json_merge(r, t, left->valuestring, strlen(left->valuestring),
                                right->valuestring, strlen(right->valuestring));
    else if (space)
        lh_tokenizer_json_merge(r, t, x->valuestring, (size_t)(space - x->valuestring), space + 1,
                                strlen(space + 1));
    else
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "merge %d is not two names with a space between",
                t->n_merges);
}

/* Has the vocabulary what the simple kind needs: every id, every byte, names in its alphabet? */
bool lh_tokenizer_json_is_simple(const lh_json_reader *r) {
    bool has_byte[256] = {false};
    int n_bytes = 0;
    char *bytes = lh_alloc(r->arena, LH_SMALL);
    for (int i = 0; i < r->n; i++) {
        const lh_json_entry *e = &r->entry[i];
        uint32_t c;
        if (!e->name || !*e->name || strlen(e->name) >= LH_SMALL) return false;
        if (e->role == LH_TOKEN_SPECIAL || (r->unk && strcmp(r->unk, e->name) == 0)) continue;
        if (r->kind == LH_TOKENS_CHARS) {
            bool is_byte = r->has_bytes && is_byte_name(e->name, bytes);
            if (!is_byte && lh_utf8_read(e->name, strlen(e->name), &c) != strlen(e->name))
                return false;
            continue;
        }
        size_t n = bytes_of(e->name, bytes);
        if (n == 0) return false;
        if (n == 1 && !has_byte[(unsigned char)bytes[0]])
            has_byte[(unsigned char)bytes[0]] = true, n_bytes++;
    }
    return r->kind != LH_TOKENS_BPE || n_bytes == 256;
}

static void read_unknown(lh_json_reader *r, lh_tokenizer *t, const cJSON *model) {
    const cJSON *id = get(model, "unk_id");
    if (r->model == LH_MODEL_UNIGRAM) {
        t->unknown = is_nothing(id) ? -1 : id_of(id, r->n - 1);
        if (!is_nothing(id) && t->unknown < 0)
            lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                    "unk_id of the model is not an id of the vocabulary");
    } else if (r->unk) {
        int at = lh_byte_find(&r->name, r->unk, strlen(r->unk));
        t->unknown = at >= 0 && r->entry[at].is_in_model ? at : -1;
        t->pipeline->lacks_unknown = t->unknown < 0;
    }
}

static void read_model(const lh_part_reader *parts, lh_json_reader *r, lh_tokenizer *t,
                       const cJSON *model) {
    lh_pipeline *p = t->pipeline;
    const cJSON *most = get(model, "max_input_chars_per_word");
    p->model = r->model;
    p->has_fallback = lh_part_yes(parts, model, "byte_fallback", false);
    p->fuses_unknown = lh_part_yes(parts, model, "fuse_unk", false);
    p->ignores_merges = lh_part_yes(parts, model, "ignore_merges", false);
    p->prefix = lh_part_text(parts, model, "continuing_subword_prefix", "##");
    p->n_prefix = strlen(p->prefix);
    p->longest_word = most ? id_of(most, 1 << 28) : 100;
    if (p->longest_word < 0)
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                "max_input_chars_per_word of the model is not a whole number");
    read_unknown(r, t, model);
    if (!r->score) return;
    p->score = lh_alloc_array(t->arena, (size_t)r->n + 1, sizeof *p->score);
    for (int i = 0; i < r->n && p->score; i++) {
        p->score[i] = r->score[i];
        if (r->entry[i].is_in_model && (i == 0 || r->score[i] < p->lowest)) p->lowest = r->score[i];
    }
}

/* What the model looks for: bytes, or the name. */
static void add_named(lh_json_reader *r, lh_tokenizer *t, const lh_json_entry *e) {
    size_t n = e->name ? strlen(e->name) : 0;
    char *bytes = lh_copy(r->arena, e->name ? e->name : "", n);
    const char *key = e->is_in_model && n ? e->name : NULL;
    if (key && t->pipeline->is_bytes) {
        n = bytes_of(e->name, bytes);
        key = n ? bytes : NULL;
    }
    lh_tokenizer_add_named(t, e->name, key, n, e->role == LH_TOKEN_SPECIAL);
}

static void add_added_tokens(const lh_part_reader *parts, const lh_json_reader *r,
                             lh_tokenizer *t) {
    for (int i = 0; i < r->n && !lh_failed(r->ctx); i++) {
        const cJSON *x = r->entry[i].added;
        bool is_special = r->entry[i].role == LH_TOKEN_SPECIAL;
        if (!x && !is_special) continue;
        lh_added added = {.id = i,
                          .is_special = is_special,
                          .takes_left = lh_part_yes(parts, x, "lstrip", false),
                          .takes_right = lh_part_yes(parts, x, "rstrip", false),
                          .is_word = lh_part_yes(parts, x, "single_word", false)};
        lh_pipeline_add(t, &added, t->token[i].name, strlen(t->token[i].name),
                        lh_part_yes(parts, x, "normalized", !is_special));
    }
}

lh_tokenizer *lh_tokenizer_json_pipeline(lh_json_reader *r, const cJSON *root, const cJSON *model) {
    static const lh_tokenizer_kind kind[] = {LH_TOKENS_BPE, LH_TOKENS_WORDS, LH_TOKENS_UNIGRAM,
                                             LH_TOKENS_WORDPIECE};
    lh_tokenizer *t = lh_tokenizer_new(r->ctx, kind[r->model]);
    if (!t) return NULL;
    lh_part_reader parts = parts_of(r, t);
    r->kind = t->kind;
    t->pipeline = lh_alloc(t->arena, sizeof *t->pipeline);
    t->pipeline->raw.arena = t->pipeline->normalised.arena = t->arena;
    lh_parts_normalizer(&parts, get(root, "normalizer"), t->pipeline);
    lh_parts_pre_tokenizer(&parts, get(root, "pre_tokenizer"), t->pipeline);
    lh_parts_decoder(&parts, get(root, "decoder"), t->pipeline);
    read_model(&parts, r, t, model);
    for (int i = 0; i < r->n && !lh_failed(r->ctx); i++) add_named(r, t, &r->entry[i]);
    add_added_tokens(&parts, r, t);
    return t;
}

static void read_merges(lh_json_reader *r, lh_tokenizer *t, const cJSON *merges) {
    if (t->kind == LH_TOKENS_BPE && !cJSON_IsArray(merges))
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "the model has no list \"merges\"");
    for (const cJSON *x = cJSON_IsArray(merges) ? merges->child : NULL; x && !lh_failed(r->ctx);
         x = x->next)
        read_merge(r, t, x);
}

/* An id of the frame is a token. */
static void read_frame(const lh_json_reader *r, lh_tokenizer *t, const cJSON *root) {
    lh_part_reader parts = parts_of(r, t);
    lh_prompt_frame *f = &t->frame;
    lh_parts_post_processor(&parts, get(root, "post_processor"), f);
    lh_parts_truncation(&parts, get(root, "truncation"), f);
    lh_parts_padding(&parts, get(root, "padding"));
    for (int i = 0; i < f->n_before + f->n_after && !lh_failed(r->ctx); i++) {
        int id = i < f->n_before ? f->before[i] : f->after[i - f->n_before];
        if (id >= t->n_tokens)
            lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                    "the post_processor adds token %d, but ids go from 0 to %d", id,
                    t->n_tokens - 1);
    }
}

static lh_tokenizer *read_root(lh_json_reader *r, const cJSON *root) {
    const cJSON *model = get(root, "model"), *unk = get(model, "unk_token");
    lh_part_reader parts = parts_of(r, NULL);
    lh_part_fields(&parts, root, "the file",
                   " version truncation padding added_tokens normalizer pre_tokenizer "
                   "post_processor decoder model ");
    if (lh_failed(r->ctx) || !find_model(r, model) || !check_model(r, model)) return NULL;
    bool is_simply_made = is_simple(r, root, model);
    if (r->model == LH_MODEL_WORDS) r->unk = "<unk>"; /* unless it says otherwise */
    if (r->model == LH_MODEL_WORDPIECE) r->unk = "[UNK]";
    if (cJSON_IsString(unk) && !(is_simply_made && r->kind == LH_TOKENS_BPE))
        r->unk = unk->valuestring;
    if (!lh_tokenizer_json_names(r, get(model, "vocab"), get(root, "added_tokens"))) return NULL;
    lh_tokenizer *t = is_simply_made && lh_tokenizer_json_is_simple(r)
                          ? lh_tokenizer_json_simple(r)
                          : lh_tokenizer_json_pipeline(r, root, model);
    if (t) read_merges(r, t, get(model, "merges"));
    if (t) read_frame(r, t, root);
    return t;
}

/* Only the three kinds are written anew: of the others the file is kept as it is. */
static void keep_source(lh_tokenizer *t, const char *text, size_t length) {
    if (!t || (!t->pipeline && !t->frame.n_before && !t->frame.n_after && t->frame.most < 0))
        return;
    t->source = lh_copy(t->arena, text, length);
    t->source_length = length;
}

lh_tokenizer *lh_tokenizer_read_json(lh_context *ctx, const char *name, const char *text,
                                     size_t length) {
    cJSON *root = lh_failed(ctx) ? NULL : lh_tokenizer_json_parse(ctx, name, text, length);
    lh_json_reader r = {.ctx = ctx, .arena = root ? lh_arena_new(ctx) : NULL};
    r.name.arena = r.arena;
    lh_tokenizer *t = r.arena ? read_root(&r, root) : NULL;
    t = lh_tokenizer_finish(t);
    keep_source(t, text, length);
    lh_fail_in(ctx, name, NULL, 0);
    lh_arena_free(r.arena);
    cJSON_Delete(root);
    return t;
}
