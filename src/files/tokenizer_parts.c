#include "files/tokenizer_parts.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

static const lh_place nowhere = {0, 0, 0};
enum { DEEPEST = 20 };

/* ---- fields ---- */

const cJSON *lh_part_get(const cJSON *object, const char *name) {
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNull(x) ? NULL : x;
}

const char *lh_part_type(const cJSON *x) {
    const cJSON *type = lh_part_get(x, "type");
    return cJSON_IsString(type) ? type->valuestring : !x || cJSON_IsNull(x) ? "null" : "of no type";
}

bool lh_part_is(const cJSON *x, const char *type) {
    return strcmp(lh_part_type(x), type) == 0;
}

void lh_part_refuse(const lh_part_reader *r, const char *what, const char *is, const char *cure) {
    lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "%s is %s: that is not supported", what, is);
    lh_cure(r->ctx, "%s", cure);
}

/* Is the name one of these, " type vocab "? One with a blank is none. */
static bool is_listed(const char *name, const char *known) {
    const size_t n = name ? strlen(name) : 0;
    if (!n || strchr(name, ' ')) return false;
    const char *at = strstr(known, name);
    while (at && !(at[-1] == ' ' && at[n] == ' ')) at = strstr(at + 1, name);
    return at != NULL;
}

bool lh_part_fields(const lh_part_reader *r, const cJSON *x, const char *what, const char *known) {
    for (const cJSON *k = x ? x->child : NULL; k && !lh_failed(r->ctx); k = k->next) {
        if (!is_listed(k->string, known))
            lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                    "%s has a field \"%.40s\", which is not known here", what,
                    k->string ? k->string : "");
    }
    return !lh_failed(r->ctx);
}

bool lh_part_yes(const lh_part_reader *r, const cJSON *x, const char *name, bool otherwise) {
    const cJSON *item = lh_part_get(x, name);
    if (item && !cJSON_IsBool(item))
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "%s of %s must be true or false", name,
                lh_part_type(x));
    return item ? cJSON_IsTrue(item) : otherwise;
}

const char *lh_part_text(const lh_part_reader *r, const cJSON *x, const char *name,
                         const char *otherwise) {
    const cJSON *item = lh_part_get(x, name);
    if (!item && otherwise) return otherwise;
    if (!item || !cJSON_IsString(item)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "%s of %s must be a text", name, lh_part_type(x));
        return "";
    }
    return lh_copy(r->arena, item->valuestring, strlen(item->valuestring));
}

static size_t whole(const lh_part_reader *r, const cJSON *x, const char *name, size_t otherwise) {
    const cJSON *item = lh_part_get(x, name);
    if (!item) return otherwise;
    double v = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(v >= 0 && v <= 1e9 && floor(v) == v)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "%s must be a whole number from 0 on", name);
        return otherwise;
    }
    return (size_t)v;
}

/* {"String": " "} or {"Regex": "\\s+"} */
static const lh_pattern *read_pattern(const lh_part_reader *r, const cJSON *x,
                                      const char **literal) {
    const cJSON *pattern = lh_part_get(x, "pattern"), *text = lh_part_get(pattern, "String"),
                *regex = lh_part_get(pattern, "Regex");
    *literal = NULL;
    if (cJSON_IsString(regex)) return lh_pattern_new(r->ctx, r->arena, regex->valuestring);
    if (!cJSON_IsString(text)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "the pattern of %s is neither String nor Regex",
                lh_part_type(x));
        return NULL;
    }
    *literal = lh_copy(r->arena, text->valuestring, strlen(text->valuestring));
    return lh_pattern_of_text(r->ctx, r->arena, *literal, strlen(*literal));
}

/* A sequence goes to each of its parts. */
typedef void part_reader(const lh_part_reader *r, const cJSON *x, void *to, int depth);

static bool is_sequence(const lh_part_reader *r, const cJSON *x, const char *list,
                        part_reader *read, void *to, int depth) {
    if (depth > DEEPEST)
        lh_fail(r->ctx, LH_ERROR_LIMIT, nowhere, "more than %d Sequences inside each other",
                DEEPEST);
    if (lh_failed(r->ctx)) return true;
    if (!lh_part_is(x, "Sequence")) return false;
    const cJSON *parts = lh_part_get(x, list);
    if (!cJSON_IsArray(parts))
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere, "a Sequence without its list \"%s\"", list);
    for (const cJSON *k = parts ? parts->child : NULL; k && !lh_failed(r->ctx); k = k->next)
        read(r, k, to, depth + 1);
    return true;
}

/* ---- normalizer ---- */

static bool read_form(const char *type, lh_unicode_form *form) {
    static const char *const name[] = {"NFC", "NFD", "NFKC", "NFKD"};
    for (int i = 0; i < 4; i++)
        if (strcmp(type, name[i]) == 0) {
            *form = (lh_unicode_form)i;
            return true;
        }
    return false;
}

static void read_bert(const lh_part_reader *r, const cJSON *x, lh_normal *f) {
    lh_part_fields(r, x, "BertNormalizer",
                   " type clean_text handle_chinese_chars strip_accents lowercase ");
    f->kind = LH_NORMAL_BERT;
    f->is_cleaned = lh_part_yes(r, x, "clean_text", true);
    f->parts_chinese = lh_part_yes(r, x, "handle_chinese_chars", true);
    f->lowers = lh_part_yes(r, x, "lowercase", true);
    f->drops_marks = lh_part_yes(r, x, "strip_accents", f->lowers);
}

static void read_normal(const lh_part_reader *r, const cJSON *x, void *to, int depth) {
    lh_pipeline *p = to;
    const char *type = lh_part_type(x);
    if (is_sequence(r, x, "normalizers", read_normal, to, depth)) return;
    lh_normal *f = lh_push(r->arena, p->normal, p->n_normals);
    *f = (lh_normal){.text = ""};
    if (read_form(type, &f->form)) {
        f->kind = LH_NORMAL_FORM;
        lh_part_fields(r, x, type, " type ");
    } else if (strcmp(type, "Prepend") == 0) {
        f->kind = LH_NORMAL_PREPEND;
        lh_part_fields(r, x, type, " type prepend ");
        f->text = lh_part_text(r, x, "prepend", NULL);
    } else if (strcmp(type, "Replace") == 0) {
        f->kind = LH_NORMAL_REPLACE;
        lh_part_fields(r, x, type, " type pattern content ");
        f->pattern = read_pattern(r, x, &f->literal);
        f->text = lh_part_text(r, x, "content", NULL);
    } else if (strcmp(type, "Lowercase") == 0) {
        f->kind = LH_NORMAL_LOWER;
        lh_part_fields(r, x, type, " type ");
    } else if (strcmp(type, "StripAccents") == 0) {
        f->kind = LH_NORMAL_STRIP_ACCENTS;
        lh_part_fields(r, x, type, " type ");
    } else if (strcmp(type, "Strip") == 0) {
        f->kind = LH_NORMAL_STRIP;
        lh_part_fields(r, x, type, " type strip_left strip_right ");
        f->left = lh_part_yes(r, x, "strip_left", true);
        f->right = lh_part_yes(r, x, "strip_right", true);
    } else if (strcmp(type, "BertNormalizer") == 0) {
        read_bert(r, x, f);
    } else {
        lh_part_refuse(r, "the normalizer", type,
                       "NFC, NFD, NFKC, NFKD, Prepend, Replace, Lowercase, Strip, StripAccents, "
                       "BertNormalizer and a Sequence of them are");
    }
    f->n = strlen(f->text);
    f->n_literal = f->literal ? strlen(f->literal) : 0;
}

void lh_parts_normalizer(const lh_part_reader *r, const cJSON *x, lh_pipeline *p) {
    if (x && !cJSON_IsNull(x)) read_normal(r, x, p, 0);
}

/* ---- pre_tokenizer ---- */

static lh_behaviour read_behaviour(const lh_part_reader *r, const cJSON *x) {
    static const char *const name[] = {"Removed", "Isolated", "MergedWithPrevious",
                                       "MergedWithNext", "Contiguous"};
    const char *text = lh_part_text(r, x, "behavior", "Isolated");
    for (int i = 0; i < LH_N_BEHAVIOURS; i++)
        if (strcmp(text, name[i]) == 0) return (lh_behaviour)i;
    lh_part_refuse(r, "behavior of the pre_tokenizer", text,
                   "Removed, Isolated, MergedWithPrevious, MergedWithNext and Contiguous are");
    return LH_ISOLATED;
}

/* A set by categories, with the signs of ASCII or with spaces. */
static const lh_charset *charset(const lh_part_reader *r, const char *categories,
                                 bool is_ascii_signs, bool is_space) {
    lh_charset *s = lh_alloc(r->arena, sizeof *s);
    s->categories = *categories ? lh_unicode_categories(categories) : 0;
    s->has_space = is_space;
    for (uint32_t c = 0; c < 128; c++)
        if ((s->categories >> lh_unicode_category_of(c) & 1) ||
            (is_ascii_signs && lh_unicode_is_punctuation(c)) ||
            (is_space && lh_unicode_is_space(c)))
            s->ascii[c >> 6] |= (uint64_t)1 << (c & 63);
    return s;
}

static lh_cut *new_cut(const lh_part_reader *r, lh_pipeline *p, lh_cut cut) {
    if (p->n_cuts && p->cut[p->n_cuts - 1].kind == LH_CUT_BYTES)
        lh_part_refuse(r, "a pre_tokenizer behind ByteLevel", "there", "ByteLevel comes last");
    lh_cut *c = lh_push(r->arena, p->cut, p->n_cuts);
    *c = cut;
    return c;
}

static void read_meta(const lh_part_reader *r, const cJSON *x, lh_pipeline *p) {
    static const char *const name[] = {"always", "first", "never"};
    lh_part_fields(r, x, "Metaspace",
                   " type replacement prepend_scheme split add_prefix_space str_rep ");
    const char *scheme = lh_part_text(r, x, "prepend_scheme", "always");
    bool adds = lh_part_yes(r, x, "add_prefix_space", true);
    lh_cut *c = new_cut(r, p,
                        (lh_cut){.kind = LH_CUT_META,
                                 .behaviour = LH_MERGED_WITH_NEXT,
                                 .is_split = lh_part_yes(r, x, "split", true),
                                 .meta = lh_part_text(r, x, "replacement", "▁"),
                                 .prepend = LH_PREPEND_NEVER});
    c->n_meta = strlen(c->meta);
    bool is_known = false;
    for (int i = 0; i < 3; i++)
        if (strcmp(scheme, name[i]) == 0) is_known = true, c->prepend = (lh_prepend)i;
    if (!is_known)
        lh_part_refuse(r, "prepend_scheme of Metaspace", scheme, "always, first and never are");
    if (!adds) c->prepend = LH_PREPEND_NEVER;
    if (!c->n_meta) lh_part_refuse(r, "replacement of Metaspace", "empty", "one character is");
}

static void read_bytes(const lh_part_reader *r, const cJSON *x, lh_pipeline *p) {
    lh_part_fields(r, x, "ByteLevel", " type add_prefix_space trim_offsets use_regex ");
    new_cut(r, p,
            (lh_cut){.kind = LH_CUT_BYTES,
                     .behaviour = LH_ISOLATED,
                     .adds_space = lh_part_yes(r, x, "add_prefix_space", true),
                     .is_split = lh_part_yes(r, x, "use_regex", true)});
    p->is_bytes = true;
}

static void read_split(const lh_part_reader *r, const cJSON *x, lh_pipeline *p) {
    const char *literal;
    lh_part_fields(r, x, "Split", " type pattern behavior invert ");
    const lh_pattern *pattern = read_pattern(r, x, &literal);
    new_cut(r, p,
            (lh_cut){.kind = LH_CUT_PATTERN,
                     .pattern = pattern,
                     .behaviour = read_behaviour(r, x),
                     .is_inverted = lh_part_yes(r, x, "invert", false)});
}

static void add_set(const lh_part_reader *r, lh_pipeline *p, const lh_charset *set,
                    lh_behaviour how) {
    new_cut(r, p, (lh_cut){.kind = LH_CUT_SET, .set = set, .behaviour = how});
}

static void read_delimiter(const lh_part_reader *r, const cJSON *x, lh_pipeline *p) {
    lh_part_fields(r, x, "CharDelimiterSplit", " type delimiter ");
    const char *text = lh_part_text(r, x, "delimiter", NULL);
    new_cut(r, p,
            (lh_cut){.kind = LH_CUT_PATTERN,
                     .pattern = lh_pattern_of_text(r->ctx, r->arena, text, strlen(text)),
                     .behaviour = LH_REMOVED});
}

static void read_cut(const lh_part_reader *r, const cJSON *x, void *to, int depth) {
    lh_pipeline *p = to;
    const char *type = lh_part_type(x);
    if (is_sequence(r, x, "pretokenizers", read_cut, to, depth)) return;
    if (strcmp(type, "ByteLevel") == 0) {
        read_bytes(r, x, p);
    } else if (strcmp(type, "Split") == 0) {
        read_split(r, x, p);
    } else if (strcmp(type, "Metaspace") == 0) {
        read_meta(r, x, p);
    } else if (strcmp(type, "CharDelimiterSplit") == 0) {
        read_delimiter(r, x, p);
    } else if (strcmp(type, "Whitespace") == 0) {
        lh_part_fields(r, x, type, " type ");
        new_cut(r, p,
                (lh_cut){.kind = LH_CUT_PATTERN,
                         .pattern = lh_pattern_new(r->ctx, r->arena, "\\w+|[^\\w\\s]+"),
                         .behaviour = LH_REMOVED,
                         .is_inverted = true});
    } else if (strcmp(type, "WhitespaceSplit") == 0) {
        lh_part_fields(r, x, type, " type ");
        add_set(r, p, charset(r, "", false, true), LH_REMOVED);
    } else if (strcmp(type, "BertPreTokenizer") == 0) {
        lh_part_fields(r, x, type, " type ");
        add_set(r, p, charset(r, "", false, true), LH_REMOVED);
        add_set(r, p, charset(r, "P", true, false), LH_ISOLATED);
    } else if (strcmp(type, "Punctuation") == 0) {
        lh_part_fields(r, x, type, " type behavior ");
        add_set(r, p, charset(r, "P", true, false), read_behaviour(r, x));
    } else if (strcmp(type, "Digits") == 0) {
        lh_part_fields(r, x, type, " type individual_digits ");
        bool is_each = lh_part_yes(r, x, "individual_digits", false);
        add_set(r, p, charset(r, "N", false, false), is_each ? LH_ISOLATED : LH_CONTIGUOUS);
    } else {
        lh_part_refuse(r, "the pre_tokenizer", type,
                       "ByteLevel, Split, Metaspace, Whitespace, WhitespaceSplit, "
                       "BertPreTokenizer, Punctuation, Digits and CharDelimiterSplit are");
    }
}

void lh_parts_pre_tokenizer(const lh_part_reader *r, const cJSON *x, lh_pipeline *p) {
    if (x && !cJSON_IsNull(x)) read_cut(r, x, p, 0);
}

/* ---- decoder ---- */

static void read_undo_fields(const lh_part_reader *r, const cJSON *x, lh_undo *u,
                             const char *type) {
    const char *literal;
    switch (u->kind) {
    case LH_UNDO_BYTES:
        lh_part_fields(r, x, type, " type add_prefix_space trim_offsets use_regex ");
        break;
    case LH_UNDO_META: {
        lh_part_fields(r, x, type,
                       " type replacement prepend_scheme split add_prefix_space str_rep ");
        u->text = lh_part_text(r, x, "replacement", "▁");
        bool adds = lh_part_yes(r, x, "add_prefix_space", true);
        u->drops_first =
            adds && strcmp(lh_part_text(r, x, "prepend_scheme", "always"), "never") != 0;
        break;
    }
    case LH_UNDO_WORDPIECE:
        lh_part_fields(r, x, type, " type prefix cleanup ");
        u->text = lh_part_text(r, x, "prefix", "##");
        u->drops_first = lh_part_yes(r, x, "cleanup", true);
        break;
    case LH_UNDO_SUFFIX:
        lh_part_fields(r, x, type, " type suffix ");
        u->text = lh_part_text(r, x, "suffix", "</w>");
        break;
    case LH_UNDO_STRIP:
        lh_part_fields(r, x, type, " type content start stop ");
        u->text = lh_part_text(r, x, "content", NULL);
        u->start = whole(r, x, "start", 0);
        u->stop = whole(r, x, "stop", 0);
        break;
    case LH_UNDO_REPLACE:
        lh_part_fields(r, x, type, " type pattern content ");
        u->pattern = read_pattern(r, x, &literal);
        u->text = lh_part_text(r, x, "content", NULL);
        break;
    default: lh_part_fields(r, x, type, " type "); break;
    }
    u->n = strlen(u->text);
}

static void read_undo(const lh_part_reader *r, const cJSON *x, void *to, int depth) {
    static const char *const name[] = {"ByteLevel",    "Metaspace", "WordPiece", "BPEDecoder",
                                       "ByteFallback", "Fuse",      "Strip",     "Replace"};
    lh_pipeline *p = to;
    const char *type = lh_part_type(x);
    int kind = -1;
    if (is_sequence(r, x, "decoders", read_undo, to, depth)) return;
    for (int i = 0; i < 8; i++)
        if (strcmp(type, name[i]) == 0) kind = i;
    if (kind < 0) {
        lh_part_refuse(r, "the decoder", type,
                       "ByteLevel, Metaspace, WordPiece, BPEDecoder, ByteFallback, Fuse, Strip and "
                       "Replace are");
        return;
    }
    lh_undo *u = lh_push(r->arena, p->undo, p->n_undos);
    *u = (lh_undo){.kind = (lh_undo_kind)kind, .text = ""};
    read_undo_fields(r, x, u, type);
}

void lh_parts_decoder(const lh_part_reader *r, const cJSON *x, lh_pipeline *p) {
    p->has_undo = x && !cJSON_IsNull(x);
    if (p->has_undo) read_undo(r, x, p, 0);
}

/* ---- post_processor: ids before and behind ---- */

static void add_id(const lh_part_reader *r, int **list, int *n, const cJSON *id) {
    double v = id && cJSON_IsNumber(id) ? id->valuedouble : -1;
    if (!(v >= 0 && v < 1 << 28 && floor(v) == v)) {
        lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                "the post_processor has an id that is not a whole number from 0");
        return;
    }
    *lh_push(r->arena, *list, *n) = (int)v;
}

/* A later part goes around what the ones before it made: first in front, last behind. */
typedef struct around {
    int *before, *after;
    int n_before, n_after;
} around;

static void wrap(const lh_part_reader *r, lh_prompt_frame *f, const around *a) {
    int n = 0, *before = NULL;
    for (int i = 0; i < a->n_before; i++) *lh_push(r->arena, before, n) = a->before[i];
    for (int i = 0; i < f->n_before; i++) *lh_push(r->arena, before, n) = f->before[i];
    f->before = before;
    f->n_before = n;
    for (int i = 0; i < a->n_after; i++) *lh_push(r->arena, f->after, f->n_after) = a->after[i];
}

static void read_template(const lh_part_reader *r, const cJSON *x, lh_prompt_frame *f) {
    const cJSON *single = lh_part_get(x, "single"), *specials = lh_part_get(x, "special_tokens");
    around a = {0};
    int texts = 0;
    lh_part_fields(r, x, "TemplateProcessing", " type single pair special_tokens ");
    for (const cJSON *k = single ? single->child : NULL; k && !lh_failed(r->ctx); k = k->next) {
        const cJSON *text = lh_part_get(k, "Sequence"), *special = lh_part_get(k, "SpecialToken");
        const char *name = special ? lh_part_text(r, special, "id", NULL) : "";
        const cJSON *ids = lh_part_get(lh_part_get(specials, name), "ids");
        texts += text != NULL;
        if (special && !cJSON_IsArray(ids))
            lh_fail(r->ctx, LH_ERROR_VALUE, nowhere,
                    "the post_processor adds \"%.40s\", whose ids are not in its special_tokens",
                    name);
        else if (!text && !special)
            lh_part_refuse(r, "a part of the template", "neither Sequence nor SpecialToken", "");
        for (const cJSON *id = special && ids ? ids->child : NULL; id; id = id->next)
            add_id(r, texts ? &a.after : &a.before, texts ? &a.n_after : &a.n_before, id);
    }
    if (!lh_failed(r->ctx) && texts != 1)
        lh_part_refuse(r, "the template for one text",
                       texts ? "one that repeats the text" : "one without the text",
                       "a template that has the text once is");
    wrap(r, f, &a);
}

/* BERT's and RoBERTa's: "cls": ["<s>", 0] before and "sep" behind. */
static void read_pair(const lh_part_reader *r, const cJSON *x, lh_prompt_frame *f) {
    const cJSON *cls = lh_part_get(x, "cls"), *sep = lh_part_get(x, "sep");
    around a = {0};
    lh_part_fields(r, x, lh_part_type(x), " type sep cls trim_offsets add_prefix_space ");
    add_id(r, &a.before, &a.n_before, cls && cls->child ? cls->child->next : NULL);
    add_id(r, &a.after, &a.n_after, sep && sep->child ? sep->child->next : NULL);
    wrap(r, f, &a);
}

static void read_post(const lh_part_reader *r, const cJSON *x, void *to, int depth) {
    const char *type = lh_part_type(x);
    if (is_sequence(r, x, "processors", read_post, to, depth)) return;
    if (strcmp(type, "TemplateProcessing") == 0)
        read_template(r, x, to);
    else if (strcmp(type, "BertProcessing") == 0 || strcmp(type, "RobertaProcessing") == 0)
        read_pair(r, x, to);
    else if (strcmp(type, "ByteLevel") == 0) /* it only moves offsets */
        lh_part_fields(r, x, type, " type add_prefix_space trim_offsets use_regex ");
    else
        lh_part_refuse(r, "the post_processor", type,
                       "TemplateProcessing, BertProcessing, RobertaProcessing and ByteLevel are");
}

void lh_parts_post_processor(const lh_part_reader *r, const cJSON *x, lh_prompt_frame *f) {
    if (x && !cJSON_IsNull(x)) read_post(r, x, f, 0);
}

/* ---- truncation and padding ---- */

void lh_parts_truncation(const lh_part_reader *r, const cJSON *x, lh_prompt_frame *f) {
    if (!x || cJSON_IsNull(x)) return;
    lh_part_fields(r, x, "truncation", " direction max_length strategy stride ");
    const char *strategy = lh_part_text(r, x, "strategy", "LongestFirst"),
               *direction = lh_part_text(r, x, "direction", "Right");
    f->most = (long long)whole(r, x, "max_length", 512);
    f->cuts_left = strcmp(direction, "Left") == 0;
    if (!f->cuts_left && strcmp(direction, "Right") != 0)
        lh_part_refuse(r, "direction of the truncation", direction, "Left and Right are");
    if (strcmp(strategy, "LongestFirst") != 0 && strcmp(strategy, "OnlyFirst") != 0)
        lh_part_refuse(r, "strategy of the truncation", strategy, "LongestFirst and OnlyFirst are");
    if (f->most < f->n_before + f->n_after)
        lh_part_refuse(r, "max_length of the truncation", "less than what the post_processor adds",
                       "");
}

/* To the longest of a batch: a text alone is that. */
void lh_parts_padding(const lh_part_reader *r, const cJSON *x) {
    if (!x || cJSON_IsNull(x)) return;
    lh_part_fields(r, x, "padding",
                   " strategy direction pad_to_multiple_of pad_id pad_type_id pad_token ");
    const cJSON *strategy = lh_part_get(x, "strategy");
    bool is_longest =
        cJSON_IsString(strategy) && strcmp(strategy->valuestring, "BatchLongest") == 0;
    if (strategy && !is_longest)
        lh_part_refuse(r, "strategy of the padding", "Fixed", "set \"padding\": null in the file");
    if (whole(r, x, "pad_to_multiple_of", 1) > 1)
        lh_part_refuse(r, "pad_to_multiple_of of the padding", "set",
                       "set \"padding\": null in the file");
}
