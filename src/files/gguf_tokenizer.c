/* The vocabulary of a GGUF file as a tokenizer.json. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "files/gguf_folder.h"
#include "files/json_read.h"
#include "text/table.h"

static const lh_place nowhere = {0, 0, 0};

enum { NORMAL = 1, UNKNOWN = 2, CONTROL = 3, USER = 4 };

typedef struct vocab {
    const lh_gguf *f;
    const lh_gguf_value *tokens, *merges, *scores, *types;
} vocab;

/* How text is split, by llama.cpp's name for the rule. */
static const struct {
    const char *name, *pre, *normalizer;
    bool ignores_merges;
} rules[] = {
#define BYTES(regex)                                                                               \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_"              \
    "regex\":" regex "}"
#define SPLIT(digits)                                                                              \
    "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":"        \
    "\"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|" digits               \
    "| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+\"},"     \
    "\"behavior\":\"Isolated\",\"invert\":false}," BYTES("false") "]}"
    {"gpt-2", BYTES("true"), "null", false},
    {"default", BYTES("true"), "null", false},
    {"olmo", BYTES("true"), "null", false},
    {"smollm",
     "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\",\"individual_digits\":true}"
     "," BYTES("true") "]}",
     "null", false},
    {"llama-bpe", SPLIT("\\\\p{N}{1,3}"), "null", true},
    {"llama3", SPLIT("\\\\p{N}{1,3}"), "null", true},
    {"dbrx", SPLIT("\\\\p{N}{1,3}"), "null", false},
    {"qwen2", SPLIT("\\\\p{N}"), "{\"type\":\"NFC\"}", false},
};

/* Of equal rules the first is taken: later ones belong to other families. */
const char *lh_gguf_rule(lh_context *ctx, const struct cJSON *tokenizer) {
    const cJSON *pre = cJSON_GetObjectItemCaseSensitive(tokenizer, "pre_tokenizer"),
                *normalizer = cJSON_GetObjectItemCaseSensitive(tokenizer, "normalizer");
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof rules / sizeof *rules; i++) {
        cJSON *a = lh_json_parse(ctx, "rule", rules[i].pre, strlen(rules[i].pre)),
              *b = lh_json_parse(ctx, "rule", rules[i].normalizer, strlen(rules[i].normalizer));
        if (cJSON_Compare(a, pre, true) &&
            (normalizer ? cJSON_Compare(b, normalizer, true) : cJSON_IsNull(b)))
            found = rules[i].name;
        cJSON_Delete(a);
        cJSON_Delete(b);
    }
    return found;
}

static void refuse(const vocab *v, const char *what, const char *is) {
    lh_fail(v->f->ctx, LH_ERROR_FILE, nowhere, "%s is %.80s, which is not supported", what, is);
}

static int type_of(const vocab *v, uint64_t i) {
    return v->types ? (int)lh_gguf_item(v->types, i) : NORMAL;
}

static void add_token(lh_text *out, const vocab *v, uint64_t i) {
    lh_text_add_json(out, v->tokens->text[i].s, v->tokens->text[i].n);
}

static void add_added(lh_text *out, const vocab *v) {
    bool is_first = true;
    for (uint64_t i = 0; i < v->tokens->n; i++) {
        int type = type_of(v, i);
        if (type != CONTROL && type != USER && type != UNKNOWN) continue;
        lh_text_add(out, "%s\n  {\"id\":%llu,\"content\":", is_first ? "" : ",",
                    (unsigned long long)i);
        add_token(out, v, i);
        lh_text_add(out,
                    ",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
                    "\"special\":%s}",
                    type == USER ? "false" : "true");
        is_first = false;
    }
}

/* <s> before a prompt and </s> after it, if the file says so. */
static void add_frame(lh_text *out, const vocab *v, bool bos_otherwise) {
    double adds_bos = bos_otherwise, adds_eos = 0;
    uint64_t bos = 0, eos = 0;
    lh_gguf_number(v->f, "tokenizer.ggml.add_bos_token", &adds_bos);
    lh_gguf_number(v->f, "tokenizer.ggml.add_eos_token", &adds_eos);
    bool has_bos = adds_bos != 0 && lh_gguf_whole(v->f, "tokenizer.ggml.bos_token_id", &bos) &&
                   bos < v->tokens->n;
    bool has_eos = adds_eos != 0 && lh_gguf_whole(v->f, "tokenizer.ggml.eos_token_id", &eos) &&
                   eos < v->tokens->n;
    if (!has_bos && !has_eos) {
        lh_text_add(out, "null");
        return;
    }
    lh_text_add(out, "{\"type\":\"TemplateProcessing\",\"single\":[");
    if (has_bos) lh_text_add(out, "{\"SpecialToken\":{\"id\":\"bos\",\"type_id\":0}},");
    lh_text_add(out, "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}");
    if (has_eos) lh_text_add(out, ",{\"SpecialToken\":{\"id\":\"eos\",\"type_id\":0}}");
    lh_text_add(out, "],\"pair\":[{\"Sequence\":{\"id\":\"A\",\"type_id\":0}},{\"Sequence\":{"
                     "\"id\":\"B\",\"type_id\":1}}],\"special_tokens\":{");
    if (has_bos)
        lh_text_add(out, "\"bos\":{\"id\":\"bos\",\"ids\":[%llu],\"tokens\":[",
                    (unsigned long long)bos);
    if (has_bos) add_token(out, v, bos), lh_text_add(out, "]}%s", has_eos ? "," : "");
    if (has_eos)
        lh_text_add(out, "\"eos\":{\"id\":\"eos\",\"ids\":[%llu],\"tokens\":[",
                    (unsigned long long)eos);
    if (has_eos) add_token(out, v, eos), lh_text_add(out, "]}");
    lh_text_add(out, "}}");
}

static void add_vocab(lh_text *out, const vocab *v) {
    lh_text_add(out, "\"vocab\":{");
    for (uint64_t i = 0; i < v->tokens->n; i++) {
        lh_text_add(out, "%s\n", i ? "," : "");
        add_token(out, v, i);
        lh_text_add(out, ":%llu", (unsigned long long)i);
    }
    lh_text_add(out, "}");
}

static void write_bytes(lh_text *out, const vocab *v) {
    const char *name = lh_gguf_words(v->f, "tokenizer.ggml.pre");
    int rule = -1;
    if (!name) name = "default";
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, name) == 0) rule = (int)i;
    if (rule < 0) {
        refuse(v, "tokenizer.ggml.pre", name);
        return;
    }
    if (!v->merges) {
        refuse(v, "tokenizer.ggml.merges", "missing");
        return;
    }
    lh_text_add(out, "],\n\"normalizer\":%s,\"pre_tokenizer\":%s,\"post_processor\":",
                rules[rule].normalizer, rules[rule].pre);
    add_frame(out, v, rules[rule].ignores_merges);
    lh_text_add(out,
                ",\"decoder\":%s,\n\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,"
                "\"continuing_subword_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,"
                "\"byte_fallback\":false,\"ignore_merges\":%s,",
                BYTES("true"), rules[rule].ignores_merges ? "true" : "false");
    add_vocab(out, v);
    lh_text_add(out, ",\"merges\":[");
    for (uint64_t i = 0; i < v->merges->n; i++) {
        lh_text_add(out, "%s\n", i ? "," : "");
        lh_text_add_json(out, v->merges->text[i].s, v->merges->text[i].n);
    }
    lh_text_add(out, "]}}\n");
}

/* ---- SentencePiece: merges are ordered by the score of the piece that they form ---- */

typedef struct joint {
    int left, right;
    double score;
    size_t at;
} joint;

static int by_score(const void *a, const void *b) {
    const joint *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static joint *find_joints(const vocab *v, lh_arena *a, int *n) {
    lh_byte_table ids = {.arena = a};
    joint *list = NULL;
    *n = 0;
    for (uint64_t i = 0; i < v->tokens->n; i++)
        if (v->tokens->text[i].n &&
            lh_byte_find(&ids, v->tokens->text[i].s, v->tokens->text[i].n) < 0)
            lh_byte_put(&ids, v->tokens->text[i].s, v->tokens->text[i].n, (int)i);
    for (uint64_t i = 0; i < v->tokens->n && !lh_failed(v->f->ctx); i++) {
        lh_gguf_text t = v->tokens->text[i];
        if (type_of(v, i) != NORMAL) continue;
        for (size_t k = 1; k < t.n; k++) {
            int left = lh_utf8_starts(t.s[k]) ? lh_byte_find(&ids, t.s, k) : -1;
            int right = left < 0 ? -1 : lh_byte_find(&ids, t.s + k, t.n - k);
            if (right >= 0)
                *lh_push(a, list, *n) =
                    (joint){left, right, lh_gguf_item(v->scores, i), (size_t)*n};
        }
    }
    if (list) qsort(list, (size_t)*n, sizeof *list, by_score);
    return list;
}

static void write_pieces(lh_text *out, const vocab *v) {
    double adds_space = 1;
    int n;
    lh_gguf_number(v->f, "tokenizer.ggml.add_space_prefix", &adds_space);
    if (!v->scores || v->scores->n < v->tokens->n) {
        refuse(v, "tokenizer.ggml.scores", "missing or too short");
        return;
    }
    const joint *list = find_joints(v, out->arena, &n);
    lh_text_add(out,
                "],\n\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[%s{\"type\":"
                "\"Replace\",\"pattern\":{\"String\":\" "
                "\"},\"content\":\"▁\"}]},\"pre_tokenizer\":null,\"post_processor\":",
                adds_space != 0 ? "{\"type\":\"Prepend\",\"prepend\":\"▁\"}," : "");
    add_frame(out, v, true);
    lh_text_add(
        out,
        ",\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{"
        "\"String\":\"▁\"},\"content\":\" "
        "\"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"}%s]},\n"
        "\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":\"<unk>\","
        "\"continuing_subword_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":true,"
        "\"byte_fallback\":true,\"ignore_merges\":false,",
        adds_space != 0 ? ",{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}" : "");
    add_vocab(out, v);
    lh_text_add(out, ",\"merges\":[");
    for (int i = 0; i < n && list; i++) {
        lh_text_add(out, "%s\n[", i ? "," : "");
        add_token(out, v, (uint64_t)list[i].left);
        lh_text_add(out, ",");
        add_token(out, v, (uint64_t)list[i].right);
        lh_text_add(out, "]");
    }
    lh_text_add(out, "]}}\n");
}

static const lh_gguf_value *list_of(const lh_gguf *f, const char *name, lh_gguf_kind of) {
    const lh_gguf_value *v = lh_gguf_value_of(f, name);
    bool is_number = v && v->kind == LH_GGUF_LIST && v->of != LH_GGUF_TEXT && of != LH_GGUF_TEXT;
    return is_number || (v && v->kind == LH_GGUF_LIST && v->of == of) ? v : NULL;
}

void lh_gguf_tokenizer_json(const lh_gguf *f, lh_text *out) {
    vocab v = {f, list_of(f, "tokenizer.ggml.tokens", LH_GGUF_TEXT),
               list_of(f, "tokenizer.ggml.merges", LH_GGUF_TEXT),
               list_of(f, "tokenizer.ggml.scores", LH_GGUF_F32),
               list_of(f, "tokenizer.ggml.token_type", LH_GGUF_I32)};
    const char *model = lh_gguf_words(f, "tokenizer.ggml.model");
    bool is_bytes = model && strcmp(model, "gpt2") == 0;
    if (!v.tokens || !model || (!is_bytes && strcmp(model, "llama") != 0)) {
        refuse(&v, "tokenizer.ggml.model", model ? model : "missing");
        lh_cure(f->ctx, "gpt2 and llama are");
        return;
    }
    if (v.types && v.types->n < v.tokens->n) v.types = NULL;
    lh_text_add(out,
                "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[");
    add_added(out, &v);
    (is_bytes ? write_bytes : write_pieces)(out, &v);
}
