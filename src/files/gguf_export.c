/* A folder of GPT-2's kind as a GGUF file: what was trained here runs there. */
#include <string.h>

#include "files/folder.h"
#include "files/gguf_folder.h"
#include "files/json_read.h"
#include "files/tokenizer_file.h"
#include "text/alphabet.h"
#include "text/unicode.h"

static const lh_place nowhere = {0, 0, 0};

enum { MOST_FIELDS = 32 };

typedef struct export {
    lh_context *ctx;
    lh_arena *arena;
    lh_gguf_field field[MOST_FIELDS];
    int n_fields;
}
export;

/* A tensor of the folder; rows are columns where the matrix lies the other way. */
typedef struct from {
    const lh_tensor *tensor;
    size_t cols;
    bool is_transposed;
} from;

static void read_row(void *who, size_t row, float *out) {
    const from *f = who;
    if (!f->is_transposed) {
        lh_tensor_copy_float(f->tensor, row * f->cols, f->cols, out);
        return;
    }
    size_t rows = f->tensor->cells / f->cols;
    for (size_t i = 0; i < f->cols; i++)
        lh_tensor_copy_float(f->tensor, i * rows + row, 1, &out[i]);
}

static lh_gguf_field *add(export *x, const char *name, lh_gguf_kind kind) {
    lh_gguf_field *f = &x->field[x->n_fields++];
    *f = (lh_gguf_field){.name = name, .kind = kind};
    return f;
}

static void add_number(export *x, const char *name, double number) {
    add(x, name, LH_GGUF_U32)->number = number;
}

/* Of GPT-2's variants llama.cpp knows one: what its config says otherwise is refused. */
static void check_variant(export *x, const cJSON *root) {
    static const struct {
        const char *field, *value; /* as JSON */
    } usual[] = {{"activation_function", "\"gelu_new\""},
                 {"tie_word_embeddings", "true"},
                 {"scale_attn_weights", "true"},
                 {"scale_attn_by_inverse_layer_idx", "false"}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, usual[i].field);
        char *text = item && !cJSON_IsNull(item) ? cJSON_PrintUnformatted(item) : NULL;
        if (text && strcmp(text, usual[i].value) != 0)
            lh_fail(x->ctx, LH_ERROR_FILE, nowhere, "%s is %.40s, and llama.cpp's gpt2 has %s",
                    usual[i].field, text, usual[i].value);
        cJSON_free(text);
    }
}

static double field_of(const cJSON *root, const char *name, double otherwise) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static void add_sizes(export *x, const lh_config *c) {
    cJSON *root = lh_json_parse(x->ctx, "config.json", c->kept ? c->kept : "{}",
                                c->kept ? strlen(c->kept) : 2);
    check_variant(x, root);
    add(x, "general.architecture", LH_GGUF_TEXT)->words = "gpt2";
    add(x, "general.name", LH_GGUF_TEXT)->words = "longhand";
    add_number(x, "gpt2.block_count", c->n_layer);
    add_number(x, "gpt2.context_length", c->n_positions);
    add_number(x, "gpt2.embedding_length", c->n_embd);
    add_number(x, "gpt2.feed_forward_length", field_of(root, "n_inner", 4.0 * c->n_embd));
    add_number(x, "gpt2.attention.head_count", c->n_head);
    add(x, "gpt2.attention.layer_norm_epsilon", LH_GGUF_F32)->number =
        field_of(root, "layer_norm_epsilon", 1e-5);
    cJSON_Delete(root);
}

/* In the alphabet in which bytes can be seen; a mark as it is. */
static const char *name_of(lh_arena *a, const lh_token *t) {
    lh_text out = lh_text_new(a);
    if (t->role != LH_TOKEN_PLAIN) return t->bytes;
    for (size_t i = 0; i < t->length; i++) {
        char c[4];
        lh_text_add_n(&out, c, lh_utf8_write(c, lh_alphabet_char((unsigned char)t->bytes[i])));
    }
    return out.s;
}

static bool add_tokens(export *x, const lh_tokenizer *t, int vocab, int end) {
    size_t n = (size_t)(vocab > t->n_tokens ? vocab : t->n_tokens);
    const char **name = lh_alloc_array(x->arena, n, sizeof *name);
    const char **merge = lh_alloc_array(x->arena, (size_t)t->n_merges + 1, sizeof *merge);
    int *type = lh_alloc_array(x->arena, n, sizeof *type);
    if (!name || !merge || !type) return false;
    for (size_t i = 0; i < n; i++) {
        bool is_there = i < (size_t)t->n_tokens; /* a vocabulary may be rounded up */
        name[i] = is_there ? name_of(x->arena, &t->token[i]) : lh_printf(x->arena, "[PAD%zu]", i);
        type[i] = !is_there ? 5 : t->token[i].role == LH_TOKEN_PLAIN ? 1 : 3;
    }
    for (int i = 0; i < t->n_merges; i++)
        merge[i] = lh_printf(x->arena, "%s %s", name[t->merge[i].left], name[t->merge[i].right]);
    add(x, "tokenizer.ggml.model", LH_GGUF_TEXT)->words = "gpt2";
    add(x, "tokenizer.ggml.pre", LH_GGUF_TEXT)->words = "gpt-2";
    lh_gguf_field *f = add(x, "tokenizer.ggml.tokens", LH_GGUF_LIST);
    f->of = LH_GGUF_TEXT, f->text = name, f->n = n;
    f = add(x, "tokenizer.ggml.token_type", LH_GGUF_LIST);
    f->of = LH_GGUF_I32, f->wholes = type, f->n = n;
    f = add(x, "tokenizer.ggml.merges", LH_GGUF_LIST);
    f->of = LH_GGUF_TEXT, f->text = merge, f->n = (size_t)t->n_merges;
    if (end >= 0) add_number(x, "tokenizer.ggml.bos_token_id", end);
    if (end >= 0) add_number(x, "tokenizer.ggml.eos_token_id", end);
    add(x, "tokenizer.ggml.add_bos_token", LH_GGUF_BOOL)->number = 0;
    return true;
}

static lh_gguf_entry entry_of(export *x, const lh_tensor *t, lh_gguf_type type) {
    bool is_transposed = false;
    const char *plain = strncmp(t->name, "transformer.", 12) == 0 ? t->name + 12 : t->name;
    lh_gguf_entry e = {.name = lh_gguf_name_of_gpt2(x->arena, plain, &is_transposed),
                       .type = type,
                       .rank = t->rank};
    from *f = lh_alloc(x->arena, sizeof *f);
    if (!e.name || t->rank < 1 || t->rank > 2) {
        lh_fail(x->ctx, LH_ERROR_FILE, nowhere, "the tensor %.80s has no place in a GGUF file",
                t->name);
        return e;
    }
    for (int i = 0; i < t->rank; i++) e.size[i] = t->size[is_transposed ? i : t->rank - 1 - i];
    *f = (from){t, e.size[0], is_transposed};
    e.read = read_row;
    e.from = f;
    return e;
}

static bool is_exported(const lh_tensor *t) {
    size_t n = strlen(t->name);
    bool is_mask = n > 10 && (strcmp(t->name + n - 10, ".attn.bias") == 0);
    return !is_mask && !strstr(t->name, "masked_bias") && strcmp(t->name, "lm_head.weight") != 0;
}

static bool write_all(export *x, const lh_folder *f, const char *path, lh_gguf_type type) {
    lh_gguf_entry *e = lh_alloc_array(x->arena, (size_t)f->weights->n + 1, sizeof *e);
    int n = 0;
    for (int i = 0; e && i < f->weights->n && !lh_failed(x->ctx); i++)
        if (is_exported(&f->weights->tensor[i])) e[n++] = entry_of(x, &f->weights->tensor[i], type);
    return e && !lh_failed(x->ctx) && lh_gguf_write(x->ctx, path, x->field, x->n_fields, e, n);
}

bool lh_gguf_from_folder(lh_context *ctx, const char *folder, const char *path, lh_gguf_type type) {
    lh_folder *f = lh_folder_open(ctx, folder);
    lh_tokenizer *t = f ? lh_tokenizer_load(ctx, folder) : NULL;
    export x = {.ctx = ctx, .arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx)};
    bool ok = false;
    if (t && (strcmp(f->config.model_type, "gpt2") != 0 || !f->weights)) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere,
                "%s does not hold a model of the kind gpt2 with weights", folder);
        lh_cure(ctx, "only those are written as GGUF");
    } else if (t && (t->kind != LH_TOKENS_BPE || t->pipeline)) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere,
                "the tokeniser of %s is not one of byte pairs as GPT-2 has it", folder);
        lh_cure(ctx, "llama.cpp knows no other of ours: longhand train --tokens bpe:N");
    } else if (t && x.arena) {
        add_sizes(&x, &f->config);
        ok = add_tokens(&x, t, f->config.vocab_size,
                        f->generation.eos >= 0 ? f->generation.eos : f->config.eos) &&
             write_all(&x, f, path, type);
    }
    lh_arena_free(x.arena);
    lh_tokenizer_free(t);
    lh_folder_close(f);
    return ok && !lh_failed(ctx);
}
