/* Names, sizes and layouts: what llama.cpp calls things, and what Hugging Face does. */
#include "files/gguf_folder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "files/gguf_internal.h"
#include "files/replace.h"
#include "files/tensors.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- what a file says about its model ---- */

typedef enum field_kind { NUMBER, WORDS, ZERO } field_kind; /* ZERO: nothing else is supported */

/* llama.block_count and so on: read below, or without any effect on the numbers. */
static const struct {
    const char *name;
    field_kind kind;
} fields[] = {
    {"block_count", NUMBER},
    {"context_length", NUMBER},
    {"embedding_length", NUMBER},
    {"feed_forward_length", NUMBER},
    {"vocab_size", NUMBER},
    {"attention.head_count", NUMBER},
    {"attention.head_count_kv", NUMBER},
    {"attention.key_length", NUMBER},
    {"attention.value_length", NUMBER},
    {"attention.layer_norm_epsilon", NUMBER},
    {"attention.layer_norm_rms_epsilon", NUMBER},
    {"rope.dimension_count", NUMBER},
    {"rope.freq_base", NUMBER},
    {"rope.scaling.type", WORDS},
    {"rope.scaling.factor", NUMBER},
    {"rope.scaling.original_context_length", NUMBER},
    {"rope.scaling.finetuned", NUMBER},
    {"tensor_data_layout", WORDS},
    {"expert_count", ZERO},
    {"expert_used_count", ZERO},
};

static void check_field(const lh_gguf *f, const lh_gguf_value *v, const char *name, bool is_phi3) {
    size_t i = 0;
    double x = 0;
    while (i < sizeof fields / sizeof *fields && strcmp(fields[i].name, name) != 0) i++;
    const bool is_window = strcmp(name, "attention.sliding_window") == 0,
               is_known = i < sizeof fields / sizeof *fields;
    const field_kind kind = is_known ? fields[i].kind : is_phi3 ? NUMBER : ZERO;
    const bool is_number = lh_gguf_number(f, v->name, &x);
    if (!is_known && !is_window)
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "%.80s is not a known value, and it may change the numbers of the model", v->name);
    else if (kind == WORDS ? v->kind != LH_GGUF_TEXT : !is_number)
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%.80s must be a %s", v->name,
                kind == WORDS ? "text" : "number");
    else if (kind == ZERO && x != 0)
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%.80s is %g, but only 0 is supported", v->name, x);
}

static void check_fields(const lh_gguf *f, const lh_gguf_family *m) {
    const size_t n = strlen(m->name);
    for (int i = 0; i < f->n_values && !lh_failed(f->ctx); i++) {
        const char *name = f->value[i].name;
        if (strncmp(name, m->name, n) == 0 && name[n] == '.')
            check_field(f, &f->value[i], name + n + 1, strcmp(m->name, "phi3") == 0);
    }
}

/* ---- config.json ---- */

static bool is_gpt2(const lh_gguf_family *m) {
    return strcmp(m->name, "gpt2") == 0;
}

static bool size_of(const lh_gguf *f, const lh_gguf_family *m, const char *name, uint64_t *n) {
    return lh_gguf_whole(f, lh_printf(f->arena, "%s.%s", m->name, name), n);
}

static void add_size(const lh_gguf *f, const lh_gguf_family *m, lh_text *out, const char *field,
                     const char *name) {
    uint64_t n;
    if (size_of(f, m, name, &n)) {
        lh_text_add(out, ",\n  \"%s\": %llu", field, (unsigned long long)n);
        return;
    }
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%s.%s is missing", m->name, name);
}

static void add_number(const lh_gguf *f, const lh_gguf_family *m, lh_text *out, const char *field,
                       const char *name) {
    double x;
    if (lh_gguf_number(f, lh_printf(f->arena, "%s.%s", m->name, name), &x))
        lh_text_add(out, ",\n  \"%s\": %.7g", field, x);
}

static void add_token(const lh_gguf *f, lh_text *out, const char *field, const char *name) {
    uint64_t id;
    if (lh_gguf_whole(f, name, &id))
        lh_text_add(out, ",\n  \"%s\": %llu", field, (unsigned long long)id);
}

/* ---- rotations that are scaled ---- */

/* The factor by which Llama 3 slows down a pair of columns that turns so often within its original context. */
static double slowed(double turns, double factor) {
    const double low = 1, high = 4, share = (turns - low) / (high - low);
    return turns < low ? factor : turns > high ? 1 : 1 / ((1 - share) / factor + share);
}

static bool fits_llama3(const float *x, size_t n, double base, double factor, double original) {
    const double pi = 3.14159265358979323846;
    for (size_t i = 0; i < n; i++) {
        const double turns = original / (2 * pi * pow(base, (double)i / (double)n)),
                     is = slowed(turns, factor);
        if (!(fabs((double)x[i] - is) < 1e-3 * is)) return false;
    }
    return true;
}

/* A file stores the resulting factors, one for each pair of columns. The parameters of Llama 3 are recovered from them: the factor is the largest, the original context a power of two. */
static bool is_llama3(const lh_gguf *f, const lh_gguf_family *m, double *factor, double *original) {
    const lh_gguf_tensor *t = lh_gguf_find(f, "rope_freqs.weight");
    double base = 10000;
    enum { MOST = 1024 };
    float x[MOST];
    if (!t || t->type != LH_GGUF_TYPE_F32 || t->cells > MOST) return false;
    lh_gguf_number(f, lh_printf(f->arena, "%s.rope.freq_base", m->name), &base);
    lh_gguf_copy(t, 0, t->cells, x);
    *factor = 1;
    for (size_t i = 0; i < t->cells; i++) *factor = fmax(*factor, (double)x[i]);
    *original = 8192;
    if (fits_llama3(x, t->cells, base, *factor, *original)) return true;
    for (*original = 4; *original <= 1 << 20; *original *= 2)
        if (fits_llama3(x, t->cells, base, *factor, *original)) return true;
    return false;
}

static void add_scaling(const lh_gguf *f, const lh_gguf_family *m, lh_text *out) {
    const char *type = lh_gguf_words(f, lh_printf(f->arena, "%s.rope.scaling.type", m->name));
    double factor = 1, first = 0;
    uint64_t original = 0;
    lh_gguf_number(f, lh_printf(f->arena, "%s.rope.scaling.factor", m->name), &factor);
    size_of(f, m, "rope.scaling.original_context_length", &original);
    if (is_llama3(f, m, &factor, &first)) {
        lh_text_add(out,
                    ",\n  \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": %.9g, "
                    "\"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0, "
                    "\"original_max_position_embeddings\": %.0f}",
                    factor, first);
    } else if (lh_gguf_find(f, "rope_freqs.weight")) {
        lh_fail(
            f->ctx, LH_ERROR_FILE, nowhere,
            "rope_freqs.weight does not scale rotations as Llama 3 does, which is not supported");
        lh_cure(f->ctx, "the Hugging Face folder of the same model says how");
    } else if (type && (strcmp(type, "linear") == 0 || strcmp(type, "yarn") == 0)) {
        lh_text_add(out, ",\n  \"rope_scaling\": {\"rope_type\": \"%s\", \"factor\": %.9g", type,
                    factor);
        if (original)
            lh_text_add(out, ", \"original_max_position_embeddings\": %llu",
                        (unsigned long long)original);
        lh_text_add(out, "}");
    } else if (type && strcmp(type, "none") != 0) {
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "%s.rope.scaling.type is %.40s, which is not supported", m->name, type);
        lh_cure(f->ctx, "linear, yarn and the numbers of Llama 3 are");
    }
}

/* Rope of a part of each head, and a window. */
static void add_phi3(const lh_gguf *f, const lh_gguf_family *m, lh_text *out) {
    uint64_t turned = 0, dim = 0, heads = 1, n;
    size_of(f, m, "rope.dimension_count", &turned);
    size_of(f, m, "embedding_length", &dim);
    size_of(f, m, "attention.head_count", &heads);
    if (turned && heads && turned * heads != dim)
        lh_text_add(out, ",\n  \"partial_rotary_factor\": %.9g",
                    (double)turned * (double)heads / (double)dim);
    if (size_of(f, m, "attention.sliding_window", &n) && n)
        add_size(f, m, out, "sliding_window", "attention.sliding_window");
    if (size_of(f, m, "rope.scaling.original_context_length", &n))
        add_size(f, m, out, "original_max_position_embeddings",
                 "rope.scaling.original_context_length");
}

/* The width of a head if the file does not say it. */
static bool is_usual_width(const lh_gguf *f, const lh_gguf_family *m, uint64_t width) {
    uint64_t dim = 0, heads = 0;
    size_of(f, m, "embedding_length", &dim);
    size_of(f, m, "attention.head_count", &heads);
    const bool says_always = strcmp(m->name, "gemma") == 0 || strcmp(m->name, "qwen3") == 0;
    return !says_always && width < 1 << 20 && heads < 1 << 20 && width * heads == dim;
}

/* Only phi3 rotates a part of each head, and in no model do values and keys differ in width. */
static void check_widths(const lh_gguf *f, const lh_gguf_family *m) {
    uint64_t dim = 0, heads = 0, width, n;
    size_of(f, m, "embedding_length", &dim);
    size_of(f, m, "attention.head_count", &heads);
    if (!size_of(f, m, "attention.key_length", &width)) width = heads ? dim / heads : 0;
    if (strcmp(m->name, "phi3") != 0 && size_of(f, m, "rope.dimension_count", &n) && n != width)
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "%s.rope.dimension_count is %llu, but a head has %llu columns", m->name,
                (unsigned long long)n, (unsigned long long)width);
    if (size_of(f, m, "attention.value_length", &n) && n != width)
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "%s.attention.value_length is %llu, but a key has %llu columns", m->name,
                (unsigned long long)n, (unsigned long long)width);
}

static void add_llama(const lh_gguf *f, const lh_gguf_family *m, lh_text *out) {
    uint64_t n;
    check_widths(f, m);
    add_size(f, m, out, "num_hidden_layers", "block_count");
    add_size(f, m, out, "hidden_size", "embedding_length");
    add_size(f, m, out, "intermediate_size", "feed_forward_length");
    add_size(f, m, out, "num_attention_heads", "attention.head_count");
    add_size(f, m, out, "num_key_value_heads",
             size_of(f, m, "attention.head_count_kv", &n) ? "attention.head_count_kv"
                                                          : "attention.head_count");
    add_size(f, m, out, "max_position_embeddings", "context_length");
    if (size_of(f, m, "attention.key_length", &n) && !is_usual_width(f, m, n))
        add_size(f, m, out, "head_dim", "attention.key_length");
    add_number(f, m, out, "rms_norm_eps", "attention.layer_norm_rms_epsilon");
    add_number(f, m, out, "rope_theta", "rope.freq_base");
    lh_text_add(out, ",\n  \"hidden_act\": \"%s\"",
                strcmp(m->name, "gemma") == 0 ? "gelu_pytorch_tanh" : "silu");
    if (strcmp(m->name, "llama") == 0 && lh_gguf_find(f, "blk.0.attn_q.bias"))
        lh_text_add(out, ",\n  \"attention_bias\": true");
    add_scaling(f, m, out);
    if (strcmp(m->name, "phi3") == 0) add_phi3(f, m, out);
}

void lh_gguf_config_json(const lh_gguf *f, lh_text *out) {
    const lh_gguf_family *m = lh_gguf_family_of(f);
    const lh_gguf_tensor *words = lh_gguf_find(f, "token_embd.weight");
    uint64_t n;
    if (!m) return;
    check_fields(f, m);
    lh_text_add(out, "{\n  \"model_type\": \"%s\",\n  \"architectures\": [\"%s\"]", m->model_type,
                m->architecture);
    if (words && words->rank == 2) lh_text_add(out, ",\n  \"vocab_size\": %zu", words->size[1]);
    if (is_gpt2(m)) {
        add_size(f, m, out, "n_layer", "block_count");
        add_size(f, m, out, "n_embd", "embedding_length");
        add_size(f, m, out, "n_head", "attention.head_count");
        add_size(f, m, out, "n_positions", "context_length");
        if (size_of(f, m, "feed_forward_length", &n))
            add_size(f, m, out, "n_inner", "feed_forward_length");
        add_number(f, m, out, "layer_norm_epsilon", "attention.layer_norm_epsilon");
        lh_text_add(out, ",\n  \"activation_function\": \"gelu_new\"");
    } else {
        add_llama(f, m, out);
    }
    bool is_tied = is_gpt2(m) || !lh_gguf_find(f, "output.weight");
    lh_text_add(out, ",\n  \"tie_word_embeddings\": %s", is_tied ? "true" : "false");
    add_token(f, out, "bos_token_id", "tokenizer.ggml.bos_token_id");
    add_token(f, out, "eos_token_id", "tokenizer.ggml.eos_token_id");
    lh_text_add(out, "\n}\n");
}

/* ---- tensors ---- */

/* A tensor with a reader is copied, as floats unless 16 bits hold all of it. */
static lh_tensor_entry entry_of(lh_arena *a, const lh_tensor *t) {
    const bool is_half = t->type == LH_F16 || t->type == LH_BF16;
    lh_tensor_entry e = {.name = t->name, .type = t->type, .rank = t->rank, .from = t->type};
    memcpy(e.size, t->size, sizeof e.size);
    e.data = t->data;
    if (!t->reader) return e;
    float *x = lh_alloc_array(a, t->cells, sizeof *x);
    e.from = LH_F32;
    e.type = is_half ? t->type : LH_F32;
    e.data = x;
    if (x) lh_tensor_copy_float(t, 0, t->cells, x);
    return e;
}

static void write_weights(const lh_gguf *f, lh_arena *a, const char *folder) {
    lh_tensors t = {.ctx = f->ctx, .arena = a};
    const lh_pair made = {"format", "pt"};
    lh_gguf_tensors(f, &t);
    lh_tensor_entry *e = lh_alloc_array(a, (size_t)t.n + 1, sizeof *e);
    for (int i = 0; e && i < t.n && !lh_failed(f->ctx); i++) e[i] = entry_of(a, &t.tensor[i]);
    if (e && !lh_failed(f->ctx))
        lh_tensors_write(f->ctx, lh_printf(a, "%s/model.safetensors", folder), e, t.n, &made, 1);
}

/* ---- the folder ---- */

static void add_words(const lh_gguf *f, lh_text *out, const char *field, const char *name) {
    const lh_gguf_value *tokens = lh_gguf_value_of(f, "tokenizer.ggml.tokens");
    uint64_t id;
    if (!tokens || !tokens->text || !lh_gguf_whole(f, name, &id) || id >= tokens->n) return;
    lh_text_add(out, ",\n  \"%s\": ", field);
    lh_text_add_json(out, tokens->text[id].s, tokens->text[id].n);
}

static void tokenizer_config(const lh_gguf *f, lh_text *out) {
    const lh_gguf_value *chat = lh_gguf_value_of(f, "tokenizer.chat_template");
    lh_text_add(out, "{\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n"
                     "  \"clean_up_tokenization_spaces\": false");
    add_words(f, out, "bos_token", "tokenizer.ggml.bos_token_id");
    add_words(f, out, "eos_token", "tokenizer.ggml.eos_token_id");
    add_words(f, out, "unk_token", "tokenizer.ggml.unknown_token_id");
    add_words(f, out, "pad_token", "tokenizer.ggml.padding_token_id");
    if (chat && chat->kind == LH_GGUF_TEXT) {
        lh_text_add(out, ",\n  \"chat_template\": ");
        lh_text_add_json(out, chat->text->s, chat->text->n);
    }
    lh_text_add(out, "\n}\n");
}

static bool make_folder(lh_context *ctx, const char *folder) {
    struct stat st;
    if (mkdir(folder, 0777) == 0 || (stat(folder, &st) == 0 && S_ISDIR(st.st_mode))) return true;
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "the folder %s cannot be made: %s", folder,
            strerror(errno));
    return false;
}

bool lh_gguf_to_folder(const lh_gguf *f, const char *folder) {
    static const struct {
        const char *name;
        void (*write)(const lh_gguf *, lh_text *);
    } file[] = {{"config.json", lh_gguf_config_json},
                {"tokenizer.json", lh_gguf_tokenizer_json},
                {"tokenizer_config.json", tokenizer_config}};
    lh_arena *a = lh_arena_new(f->ctx);
    const lh_gguf_family *m = a ? lh_gguf_family_of(f) : NULL;
    lh_text text[3];
    for (int i = 0; i < 3 && m; i++) { /* all are known before any is written */
        text[i] = lh_text_new(a);
        file[i].write(f, &text[i]);
    }
    if (m && !lh_failed(f->ctx) && make_folder(f->ctx, folder)) write_weights(f, a, folder);
    for (int i = 0; i < 3 && m && !lh_failed(f->ctx); i++)
        lh_replace_file(f->ctx, a, lh_printf(a, "%s/%s", folder, file[i].name), text[i].s,
                        text[i].n);
    lh_arena_free(a);
    return !lh_failed(f->ctx);
}
