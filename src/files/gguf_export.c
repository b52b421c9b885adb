/* A folder as a GGUF file: what was trained here runs in llama.cpp. */
#include <math.h>
#include <string.h>

#include "files/family.h"
#include "files/folder.h"
#include "files/gguf_folder.h"
#include "files/gguf_internal.h"
#include "files/json_read.h"
#include "files/tokenizer_file.h"
#include "text/alphabet.h"
#include "base/unicode.h"

static const lh_place nowhere = {0, 0, 0};

enum { MOST_FIELDS = 32 };

typedef struct export {
    lh_context *ctx;
    lh_arena *arena;
    const lh_gguf_family *family;
    const cJSON *config;
    lh_gguf_field field[MOST_FIELDS];
    int n_fields;
    double heads, groups, width; /* of queries; of keys; columns of each */
    float *turns;                /* rope_freqs.weight: [width / 2], or NULL */
}
export;

/* A tensor of the folder, and how its rows lie there. */
typedef struct from {
    const lh_tensor *tensor;
    size_t cols;
    lh_gguf_layout layout;
    size_t width; /* rows of a head */
} from;

static void read_row(void *who, size_t row, float *out) {
    const from *f = who;
    if (f->layout == LH_GGUF_TRANSPOSED) {
        lh_tensor_copy_column(f->tensor, row, out);
        return;
    }
    if (f->layout == LH_GGUF_TURNED && f->tensor->rank == 1) {
        for (size_t i = 0; i < f->cols; i++)
            lh_tensor_copy_float(f->tensor, lh_gguf_row_here(i, f->width), 1, out + i);
        return;
    }
    if (f->layout == LH_GGUF_TURNED) row = lh_gguf_row_here(row, f->width);
    lh_tensor_copy_float(f->tensor, row * f->cols, f->cols, out);
    for (size_t i = 0; f->layout == LH_GGUF_ONE_MORE && i < f->cols; i++) out[i] += 1;
}

static void read_turns(void *who, size_t row, float *out) {
    const export *x = who;
    (void)row;
    memcpy(out, x->turns, (size_t)(x->width / 2) * sizeof *out);
}

static lh_gguf_field *add(export *x, const char *name, lh_gguf_kind kind) {
    lh_gguf_field *f = &x->field[x->n_fields++];
    *f = (lh_gguf_field){.name = name, .kind = kind};
    return f;
}

static void add_number(export *x, const char *name, double number) {
    add(x, name, LH_GGUF_U32)->number = number;
}

static const cJSON *item_of(const cJSON *root, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
    return cJSON_IsNull(item) ? NULL : item;
}

static double field_of(const cJSON *root, const char *name, double otherwise) {
    const cJSON *item = item_of(root, name);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

/* llama.cpp knows one variant of each family: a config that says otherwise is refused. */
static void check_variant(export *x) {
    static const struct {
        const char *family, *field, *value; /* as JSON */
    } usual[] = {{"gpt2", "activation_function", "\"gelu_new\""},
                 {"gpt2", "tie_word_embeddings", "true"},
                 {"gpt2", "scale_attn_weights", "true"},
                 {"gpt2", "scale_attn_by_inverse_layer_idx", "false"},
                 {"llama", "hidden_act", "\"silu\""},
                 {"llama", "mlp_bias", "false"},
                 {"llama", "sliding_window", "none"},
                 {"qwen2", "hidden_act", "\"silu\""},
                 {"qwen2", "use_sliding_window", "false"},
                 {"qwen3", "hidden_act", "\"silu\""},
                 {"qwen3", "attention_bias", "false"},
                 {"qwen3", "use_sliding_window", "false"},
                 {"gemma", "hidden_act", "\"gelu_pytorch_tanh\""},
                 {"gemma", "hidden_activation", "\"gelu_pytorch_tanh\""},
                 {"phi3", "hidden_act", "\"silu\""}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(usual[i].family, x->family->name) != 0) continue;
        const cJSON *item = item_of(x->config, usual[i].field);
        char *text = item ? cJSON_PrintUnformatted(item) : NULL;
        if (text && strcmp(text, usual[i].value) != 0)
            lh_fail(x->ctx, LH_ERROR_FILE, nowhere, "%s is %.40s, but in llama.cpp's %s it is %s",
                    usual[i].field, text, x->family->name, usual[i].value);
        cJSON_free(text);
    }
}

/* A value under the name of the architecture. */
static const char *name_in(export *x, const char *name) {
    return lh_printf(x->arena, "%s.%s", x->family->name, name);
}

static void add_size(export *x, const char *name, double n) {
    add_number(x, name_in(x, name), n);
}

static void add_float(export *x, const char *name, double n) {
    add(x, name_in(x, name), LH_GGUF_F32)->number = n;
}

static void add_gpt2(export *x, const lh_config *c) {
    add_size(x, "block_count", c->n_layer);
    add_size(x, "context_length", c->n_positions);
    add_size(x, "embedding_length", c->n_embd);
    add_size(x, "feed_forward_length", field_of(x->config, "n_inner", 4.0 * c->n_embd));
    add_size(x, "attention.head_count", c->n_head);
    add_float(x, "attention.layer_norm_epsilon", field_of(x->config, "layer_norm_epsilon", 1e-5));
}

/* The factor by which each pair of columns is slowed down. */
static void find_turns(export *x, const cJSON *rope, double base) {
    const double pi = 3.14159265358979323846, factor = field_of(rope, "factor", 1),
                 low = field_of(rope, "low_freq_factor", 1),
                 high = field_of(rope, "high_freq_factor", 4),
                 original = field_of(rope, "original_max_position_embeddings", 8192);
    x->turns = lh_alloc_array(x->arena, (size_t)x->width, sizeof *x->turns);
    for (size_t i = 0; x->turns && i < (size_t)(x->width / 2); i++) {
        const double turns = original / (2 * pi * pow(base, 2 * (double)i / x->width)),
                     share = (turns - low) / (high - low);
        x->turns[i] = (float)(turns < low    ? factor
                              : turns > high ? 1
                                             : 1 / ((1 - share) / factor + share));
    }
}

/* The other parameters of YaRN cannot be written: they must have their defaults. */
static void check_yarn(export *x, const cJSON *rope) {
    static const struct {
        const char *field;
        double usual;
    } list[] = {{"beta_fast", 32}, {"beta_slow", 1}};
    static const char *const unknown[] = {"attention_factor", "mscale", "mscale_all_dim"};
    const char *odd = cJSON_IsFalse(item_of(rope, "truncate")) ? "truncate" : NULL;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (field_of(rope, list[i].field, list[i].usual) != list[i].usual) odd = list[i].field;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (item_of(rope, unknown[i])) odd = unknown[i];
    if (odd) lh_fail(x->ctx, LH_ERROR_FILE, nowhere, "%s of yarn rope is not written as GGUF", odd);
}

static void add_rope(export *x) {
    const cJSON *rope = item_of(x->config, "rope_scaling"); /* as the family reads them */
    if (!rope) rope = item_of(x->config, "rope_parameters");
    const cJSON *type =
        item_of(rope, "rope_type") ? item_of(rope, "rope_type") : item_of(rope, "type");
    const char *name = cJSON_IsString(type) ? type->valuestring : "default";
    const double base = field_of(rope, "rope_theta", field_of(x->config, "rope_theta", 10000)),
                 part = field_of(rope, "partial_rotary_factor",
                                 field_of(x->config, "partial_rotary_factor", 1));
    add_float(x, "rope.freq_base", base);
    add_size(x, "rope.dimension_count", floor(x->width * part));
    if (strcmp(name, "llama3") == 0) {
        find_turns(x, rope, base);
    } else if (strcmp(name, "linear") == 0 || strcmp(name, "yarn") == 0) {
        add(x, name_in(x, "rope.scaling.type"), LH_GGUF_TEXT)->words =
            lh_copy(x->arena, name, strlen(name));
        if (strcmp(name, "yarn") == 0) check_yarn(x, rope);
        add_float(x, "rope.scaling.factor", field_of(rope, "factor", 1));
        const double original = field_of(rope, "original_max_position_embeddings", 0);
        if (original > 0) add_size(x, "rope.scaling.original_context_length", original);
    } else if (strcmp(name, "default") != 0) {
        lh_fail(x->ctx, LH_ERROR_FILE, nowhere, "rope of the type %.40s is not written as GGUF",
                name);
        lh_cure(x->ctx, "default, linear, yarn and llama3 are");
    }
}

static void add_llama(export *x, const lh_config *c) {
    x->heads = c->n_head;
    x->groups = field_of(x->config, "num_key_value_heads", x->heads);
    x->width = field_of(x->config, "head_dim", floor(c->n_embd / fmax(1, c->n_head)));
    add_size(x, "block_count", c->n_layer);
    add_size(x, "context_length", c->n_positions);
    add_size(x, "embedding_length", c->n_embd);
    add_size(x, "feed_forward_length", field_of(x->config, "intermediate_size", 0));
    add_size(x, "attention.head_count", x->heads);
    add_size(x, "attention.head_count_kv", x->groups);
    add_size(x, "attention.key_length", x->width);
    add_size(x, "attention.value_length", x->width);
    const double eps = strcmp(x->family->name, "phi3") == 0 ? 1e-5 : 1e-6; /* where none is said */
    add_float(x, "attention.layer_norm_rms_epsilon", field_of(x->config, "rms_norm_eps", eps));
    const double window = field_of(x->config, "sliding_window", 0);
    if (strcmp(x->family->name, "phi3") == 0) add_size(x, "attention.sliding_window", window);
    add_rope(x);
}

static void add_sizes(export *x, const lh_config *c) {
    check_variant(x);
    add(x, "general.architecture", LH_GGUF_TEXT)->words = x->family->name;
    add(x, "general.name", LH_GGUF_TEXT)->words = "longhand";
    if (strcmp(x->family->name, "gpt2") == 0)
        add_gpt2(x, c);
    else
        add_llama(x, c);
}

/* In GPT-2's alphabet of visible bytes; special tokens as they are. */
static const char *name_of(lh_arena *a, const lh_token *t) {
    lh_text out = lh_text_new(a);
    if (t->role != LH_TOKEN_PLAIN) return t->bytes;
    for (size_t i = 0; i < t->length; i++) {
        char c[4];
        lh_text_add_n(&out, c, lh_utf8_write(c, lh_alphabet_char((unsigned char)t->bytes[i])));
    }
    return out.s;
}

static bool add_tokens(export *x, const lh_tokenizer *t, int vocab, int end, const char *pre) {
    size_t n = (size_t)(vocab > t->n_tokens ? vocab : t->n_tokens);
    const char **name = lh_alloc_array(x->arena, n, sizeof *name);
    const char **merge = lh_alloc_array(x->arena, (size_t)t->n_merges + 1, sizeof *merge);
    int *type = lh_alloc_array(x->arena, n, sizeof *type);
    if (!name || !merge || !type) return false;
    for (size_t i = 0; i < n; i++) {
        bool is_there = i < (size_t)t->n_tokens; /* the size of a vocabulary may be rounded up */
        name[i] = is_there ? name_of(x->arena, &t->token[i]) : lh_printf(x->arena, "[PAD%zu]", i);
        type[i] = !is_there ? 5 : t->token[i].role == LH_TOKEN_PLAIN ? 1 : 3;
    }
    for (int i = 0; i < t->n_merges; i++)
        merge[i] = lh_printf(x->arena, "%s %s", name[t->merge[i].left], name[t->merge[i].right]);
    add(x, "tokenizer.ggml.model", LH_GGUF_TEXT)->words = "gpt2";
    add(x, "tokenizer.ggml.pre", LH_GGUF_TEXT)->words = pre;
    lh_gguf_field *f = add(x, "tokenizer.ggml.tokens", LH_GGUF_LIST);
    f->of = LH_GGUF_TEXT, f->text = name, f->n = n;
    f = add(x, "tokenizer.ggml.token_type", LH_GGUF_LIST);
    f->of = LH_GGUF_I32, f->wholes = type, f->n = n;
    f = add(x, "tokenizer.ggml.merges", LH_GGUF_LIST);
    f->of = LH_GGUF_TEXT, f->text = merge, f->n = (size_t)t->n_merges;
    const bool begins = t->frame.n_before == 1;
    const int begin = begins ? t->frame.before[0] : end;
    if (begin >= 0) add_number(x, "tokenizer.ggml.bos_token_id", begin);
    if (end >= 0) add_number(x, "tokenizer.ggml.eos_token_id", end);
    add(x, "tokenizer.ggml.add_bos_token", LH_GGUF_BOOL)->number = begins;
    return true;
}

static lh_gguf_entry entry_of(export *x, const lh_tensor *t, lh_gguf_type type) {
    char layer[12];
    const char *plain = strncmp(t->name, "transformer.", 12) == 0 ? t->name + 12 : t->name;
    const lh_gguf_pair *p = lh_gguf_pair_here(x->family, plain, layer, sizeof layer);
    if (!p && strncmp(plain, "model.", 6) != 0)
        p = lh_gguf_pair_here(x->family, lh_printf(x->arena, "model.%s", plain), layer,
                              sizeof layer);
    lh_gguf_entry e = {.type = type, .rank = t->rank};
    from *f = lh_alloc(x->arena, sizeof *f);
    if (!p || t->rank < 1 || t->rank > 2) {
        lh_fail(x->ctx, LH_ERROR_FILE, nowhere, "the tensor %.80s cannot be written to a GGUF file",
                t->name);
        return e;
    }
    const bool is_transposed = p->layout == LH_GGUF_TRANSPOSED;
    e.name = lh_gguf_name(x->arena, p->there, layer);
    for (int i = 0; i < t->rank; i++) e.size[i] = t->size[is_transposed ? i : t->rank - 1 - i];
    *f = (from){t, e.size[0], p->layout, (size_t)x->width};
    if (p->layout == LH_GGUF_TURNED && (f->width == 0 || f->width % 2 || t->size[0] % f->width))
        lh_fail(x->ctx, LH_ERROR_FILE, nowhere, "%.80s: %zu rows cannot be heads of %zu rows",
                t->name, t->size[0], f->width);
    e.read = read_row;
    e.from = f;
    return e;
}

/* Without masks, and without an output head that is tied to the embeddings. */
static bool is_exported(const export *x, const lh_tensor *t) {
    size_t n = strlen(t->name);
    const cJSON *tied = item_of(x->config, "tie_word_embeddings");
    const bool is_gpt2 = strcmp(x->family->name, "gpt2") == 0,
               is_tied = is_gpt2 || cJSON_IsTrue(tied) ||
                         (!tied && strcmp(x->family->name, "gemma") == 0);
    bool is_mask = n > 10 && (strcmp(t->name + n - 10, ".attn.bias") == 0);
    return !is_mask && !strstr(t->name, "masked_bias") && !strstr(t->name, "rotary_emb.inv_freq") &&
           !(is_tied && strcmp(t->name, "lm_head.weight") == 0);
}

static bool write_all(export *x, const lh_folder *f, const char *path, lh_gguf_type type) {
    lh_gguf_entry *e = lh_alloc_array(x->arena, (size_t)f->weights->n + 2, sizeof *e);
    int n = 0;
    for (int i = 0; e && i < f->weights->n && !lh_failed(x->ctx); i++)
        if (is_exported(x, &f->weights->tensor[i]))
            e[n++] = entry_of(x, &f->weights->tensor[i], type);
    if (e && x->turns)
        e[n++] = (lh_gguf_entry){.name = "rope_freqs.weight",
                                 .type = LH_GGUF_TYPE_F32,
                                 .rank = 1,
                                 .size = {(size_t)(x->width / 2)},
                                 .read = read_turns,
                                 .from = x};
    return e && !lh_failed(x->ctx) && lh_gguf_write(x->ctx, path, x->field, x->n_fields, e, n);
}

/* llama.cpp's name for the rule that splits the text; NULL: it has no such rule. */
static const char *rule_of(export *x, const lh_tokenizer *t) {
    if (t->kind != LH_TOKENS_BPE) return NULL;
    if (!t->pipeline) return "gpt-2";
    cJSON *root =
        t->source ? lh_json_parse(x->ctx, "tokenizer.json", t->source, t->source_length) : NULL;
    const char *pre = root ? lh_gguf_rule(x->ctx, root) : NULL;
    cJSON_Delete(root);
    return pre;
}

static bool export_folder(export *x, const lh_folder *f, const lh_tokenizer *t, const char *path,
                          lh_gguf_type type) {
    const char *pre = rule_of(x, t);
    x->family = lh_gguf_family_here(f->config.model_type);
    if (!lh_folder_has_weights(f)) return false;
    if (!x->family || f->adapter) {
        lh_fail(x->ctx, LH_ERROR_FILE, nowhere,
                "%s does not hold a model of a kind that is written as GGUF", f->path);
        lh_cure(x->ctx, "%s are", lh_gguf_families(x->arena));
        return false;
    }
    if (!pre) {
        lh_fail(x->ctx, LH_ERROR_FILE, nowhere,
                "the tokeniser of %s is not one of byte pairs that llama.cpp knows", f->path);
        lh_cure(x->ctx,
                "those of GPT-2, Llama 3, SmolLM2 and Qwen are; longhand train --tokens bpe:N");
        return false;
    }
    const char *kept = f->config.kept ? f->config.kept : "{}";
    const char *name = lh_printf(x->arena, "%s/config.json", f->path);
    if (!lh_family_program(x->ctx, x->arena, name, kept, strlen(kept))) return false;
    cJSON *root = lh_json_parse(x->ctx, "config.json", kept, strlen(kept));
    x->config = root;
    bool ok = false;
    if (root) {
        add_sizes(x, &f->config);
        ok = add_tokens(x, t, f->config.vocab_size,
                        f->generation.eos >= 0 ? f->generation.eos : f->config.eos, pre) &&
             write_all(x, f, path, type);
    }
    cJSON_Delete(root);
    return ok;
}

bool lh_gguf_from_folder(lh_context *ctx, const char *folder, const char *path, lh_gguf_type type) {
    lh_folder *f = lh_folder_open(ctx, folder);
    lh_tokenizer *t = f ? lh_tokenizer_load(ctx, folder) : NULL;
    export x = {.ctx = ctx, .arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx)};
    const bool ok = t && x.arena && export_folder(&x, f, t, path, type);
    lh_arena_free(x.arena);
    lh_tokenizer_free(t);
    lh_folder_close(f);
    return ok && !lh_failed(ctx);
}
