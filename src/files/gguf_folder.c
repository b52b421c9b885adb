/* Names, sizes and layouts: what llama.cpp calls things, and what Hugging Face does. */
#include "files/gguf_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "files/replace.h"
#include "files/tensors.h"

static const lh_place nowhere = {0, 0, 0};

/* How a tensor lies there: llama.cpp turns the rows of queries and keys of Llama so that pairs stand beside each other, and
 * GPT-2's matrices are in x out in one and out x in in the other. */
typedef enum layout { AS_IT_IS, TURNED, TRANSPOSED } layout;

typedef struct pair {
    const char *there, *here; /* # is the number of a layer */
    layout layout;
} pair;

static const pair llama_names[] = {
    {"token_embd.weight", "model.embed_tokens.weight", AS_IT_IS},
    {"output_norm.weight", "model.norm.weight", AS_IT_IS},
    {"output.weight", "lm_head.weight", AS_IT_IS},
    {"blk.#.attn_norm.weight", "model.layers.#.input_layernorm.weight", AS_IT_IS},
    {"blk.#.ffn_norm.weight", "model.layers.#.post_attention_layernorm.weight", AS_IT_IS},
    {"blk.#.attn_q.weight", "model.layers.#.self_attn.q_proj.weight", TURNED},
    {"blk.#.attn_k.weight", "model.layers.#.self_attn.k_proj.weight", TURNED},
    {"blk.#.attn_v.weight", "model.layers.#.self_attn.v_proj.weight", AS_IT_IS},
    {"blk.#.attn_q.bias", "model.layers.#.self_attn.q_proj.bias", TURNED},
    {"blk.#.attn_k.bias", "model.layers.#.self_attn.k_proj.bias", TURNED},
    {"blk.#.attn_v.bias", "model.layers.#.self_attn.v_proj.bias", AS_IT_IS},
    {"blk.#.attn_q_norm.weight", "model.layers.#.self_attn.q_norm.weight", AS_IT_IS},
    {"blk.#.attn_k_norm.weight", "model.layers.#.self_attn.k_norm.weight", AS_IT_IS},
    {"blk.#.attn_output.weight", "model.layers.#.self_attn.o_proj.weight", AS_IT_IS},
    {"blk.#.ffn_gate.weight", "model.layers.#.mlp.gate_proj.weight", AS_IT_IS},
    {"blk.#.ffn_up.weight", "model.layers.#.mlp.up_proj.weight", AS_IT_IS},
    {"blk.#.ffn_down.weight", "model.layers.#.mlp.down_proj.weight", AS_IT_IS},
    {NULL, NULL, AS_IT_IS}};

static const pair gpt2_names[] = {
    {"token_embd.weight", "wte.weight", AS_IT_IS},
    {"position_embd.weight", "wpe.weight", AS_IT_IS},
    {"output_norm.weight", "ln_f.weight", AS_IT_IS},
    {"output_norm.bias", "ln_f.bias", AS_IT_IS},
    {"output.weight", "lm_head.weight", AS_IT_IS},
    {"blk.#.attn_norm.weight", "h.#.ln_1.weight", AS_IT_IS},
    {"blk.#.attn_norm.bias", "h.#.ln_1.bias", AS_IT_IS},
    {"blk.#.attn_qkv.weight", "h.#.attn.c_attn.weight", TRANSPOSED},
    {"blk.#.attn_qkv.bias", "h.#.attn.c_attn.bias", AS_IT_IS},
    {"blk.#.attn_output.weight", "h.#.attn.c_proj.weight", TRANSPOSED},
    {"blk.#.attn_output.bias", "h.#.attn.c_proj.bias", AS_IT_IS},
    {"blk.#.ffn_norm.weight", "h.#.ln_2.weight", AS_IT_IS},
    {"blk.#.ffn_norm.bias", "h.#.ln_2.bias", AS_IT_IS},
    {"blk.#.ffn_up.weight", "h.#.mlp.c_fc.weight", TRANSPOSED},
    {"blk.#.ffn_up.bias", "h.#.mlp.c_fc.bias", AS_IT_IS},
    {"blk.#.ffn_down.weight", "h.#.mlp.c_proj.weight", TRANSPOSED},
    {"blk.#.ffn_down.bias", "h.#.mlp.c_proj.bias", AS_IT_IS},
    {NULL, NULL, AS_IT_IS}};

static const struct family {
    const char *name, *model_type, *architecture;
    const pair *names;
    bool is_turned;
} families[] = {{"gpt2", "gpt2", "GPT2LMHeadModel", gpt2_names, false},
                {"llama", "llama", "LlamaForCausalLM", llama_names, true},
                {"qwen2", "qwen2", "Qwen2ForCausalLM", llama_names, false},
                {"qwen3", "qwen3", "Qwen3ForCausalLM", llama_names, false}};

static const struct family *family_of(const lh_gguf *f) {
    const char *name = lh_gguf_words(f, "general.architecture");
    for (size_t i = 0; name && i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].name, name) == 0) return &families[i];
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "general.architecture is %.80s, which is not supported",
            name ? name : "missing");
    lh_cure(f->ctx, "gpt2, llama, qwen2 and qwen3 are");
    return NULL;
}

/* ---- config.json ---- */

static bool size_of(const lh_gguf *f, const struct family *m, const char *name, uint64_t *n) {
    return lh_gguf_whole(f, lh_printf(f->arena, "%s.%s", m->name, name), n);
}

static void add_size(const lh_gguf *f, const struct family *m, lh_text *out, const char *field,
                     const char *name) {
    uint64_t n;
    if (size_of(f, m, name, &n)) {
        lh_text_add(out, ",\n  \"%s\": %llu", field, (unsigned long long)n);
        return;
    }
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%s.%s is missing", m->name, name);
}

static void add_number(const lh_gguf *f, const struct family *m, lh_text *out, const char *field,
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

static void add_llama(const lh_gguf *f, const struct family *m, lh_text *out) {
    uint64_t n;
    add_size(f, m, out, "num_hidden_layers", "block_count");
    add_size(f, m, out, "hidden_size", "embedding_length");
    add_size(f, m, out, "intermediate_size", "feed_forward_length");
    add_size(f, m, out, "num_attention_heads", "attention.head_count");
    add_size(f, m, out, "num_key_value_heads",
             size_of(f, m, "attention.head_count_kv", &n) ? "attention.head_count_kv"
                                                          : "attention.head_count");
    add_size(f, m, out, "max_position_embeddings", "context_length");
    if (size_of(f, m, "attention.key_length", &n))
        add_size(f, m, out, "head_dim", "attention.key_length");
    add_number(f, m, out, "rms_norm_eps", "attention.layer_norm_rms_epsilon");
    add_number(f, m, out, "rope_theta", "rope.freq_base");
    lh_text_add(out, ",\n  \"hidden_act\": \"silu\"");
    if (lh_gguf_words(f, lh_printf(f->arena, "%s.rope.scaling.type", m->name)) ||
        lh_gguf_find(f, "rope_freqs.weight")) {
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "its rotations are scaled (rope.scaling, rope_freqs.weight): "
                "that is not read from GGUF");
        lh_cure(f->ctx, "the Hugging Face folder of the same model says how");
    }
}

void lh_gguf_config_json(const lh_gguf *f, lh_text *out) {
    const struct family *m = family_of(f);
    const lh_gguf_tensor *words = lh_gguf_find(f, "token_embd.weight");
    if (!m) return;
    lh_text_add(out, "{\n  \"model_type\": \"%s\",\n  \"architectures\": [\"%s\"]", m->model_type,
                m->architecture);
    if (words && words->rank == 2) lh_text_add(out, ",\n  \"vocab_size\": %zu", words->size[1]);
    if (m->names == gpt2_names) {
        add_size(f, m, out, "n_layer", "block_count");
        add_size(f, m, out, "n_embd", "embedding_length");
        add_size(f, m, out, "n_head", "attention.head_count");
        add_size(f, m, out, "n_positions", "context_length");
        add_number(f, m, out, "layer_norm_epsilon", "attention.layer_norm_epsilon");
        lh_text_add(out, ",\n  \"activation_function\": \"gelu_new\"");
    } else {
        add_llama(f, m, out);
    }
    bool is_tied = m->names == gpt2_names || !lh_gguf_find(f, "output.weight");
    lh_text_add(out, ",\n  \"tie_word_embeddings\": %s", is_tied ? "true" : "false");
    add_token(f, out, "bos_token_id", "tokenizer.ggml.bos_token_id");
    add_token(f, out, "eos_token_id", "tokenizer.ggml.eos_token_id");
    lh_text_add(out, "\n}\n");
}

/* ---- tensors ---- */

/* blk.12.attn_q.weight as blk.#.attn_q.weight, and 12. */
static const pair *find_pair(const pair *names, const char *name, char *layer, size_t room) {
    const char *digits = strncmp(name, "blk.", 4) == 0 ? name + 4 : NULL;
    size_t n = digits ? strspn(digits, "0123456789") : 0;
    layer[0] = 0;
    if (n >= room) return NULL;
    if (n) memcpy(layer, digits, n), layer[n] = 0;
    for (const pair *p = names; p->there; p++) {
        const char *hash = strchr(p->there, '#');
        bool is_it = hash ? n && strcmp(hash + 1, digits + n) == 0 : strcmp(p->there, name) == 0;
        if (is_it) return p;
    }
    return NULL;
}

static char *name_here(lh_arena *a, const pair *p, const char *layer) {
    const char *hash = strchr(p->here, '#');
    if (!hash) return lh_copy(a, p->here, strlen(p->here));
    return lh_printf(a, "%.*s%s%s", (int)(hash - p->here), p->here, layer, hash + 1);
}

/* Row (h, i, j) of heads of d rows is row (h, j, i) here: of a head, the first halves of the pairs come before the second ones. */
static void turn_rows(const float *from, float *to, size_t rows, size_t cols, size_t heads) {
    size_t d = rows / heads;
    for (size_t r = 0; r < rows; r++) {
        size_t h = r / d, k = r % d, source = h * d + (k % (d / 2)) * 2 + k / (d / 2);
        memcpy(to + r * cols, from + source * cols, cols * sizeof *to);
    }
}

static void transpose(const float *from, float *to, size_t rows, size_t cols) {
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) to[c * rows + r] = from[r * cols + c];
}

static float *changed(const lh_gguf *f, lh_arena *a, const lh_gguf_tensor *t, layout how,
                      size_t heads) {
    float *x = lh_alloc_array(a, t->cells, sizeof *x), *y = x;
    size_t cols = t->rank > 1 ? t->size[0] : 1, rows = t->cells / cols;
    if (!x) return NULL;
    lh_gguf_copy(t, 0, t->cells, x);
    if (how == AS_IT_IS) return x;
    if (how == TURNED && (heads == 0 || rows % heads || rows / heads % 2)) {
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%.80s: %zu rows cannot be parted among %zu heads",
                t->name, rows, heads);
        return NULL;
    }
    y = lh_alloc_array(a, t->cells, sizeof *y);
    if (y && how == TURNED) turn_rows(x, y, rows, cols, heads);
    if (y && how == TRANSPOSED) transpose(x, y, rows, cols);
    return y;
}

static bool dtype_of(lh_gguf_type type, lh_dtype *to) {
    *to = type == LH_GGUF_TYPE_F16 ? LH_F16 : type == LH_GGUF_TYPE_BF16 ? LH_BF16 : LH_F32;
    return type == LH_GGUF_TYPE_F32 || type == LH_GGUF_TYPE_F16 || type == LH_GGUF_TYPE_BF16;
}

static lh_tensor_entry entry_of(const lh_gguf *f, lh_arena *a, const struct family *m,
                                const lh_gguf_tensor *t) {
    char layer[12];
    uint64_t heads = 0;
    lh_tensor_entry e = {.name = "", .rank = t->rank};
    const pair *p = find_pair(m->names, t->name, layer, sizeof layer);
    if (!p) {
        lh_fail(f->ctx, LH_ERROR_FILE, nowhere,
                "the tensor %.80s has no place in a model of the kind %s", t->name, m->name);
        return e;
    }
    layout how = p->layout == TURNED && !m->is_turned ? AS_IT_IS : p->layout;
    bool is_key = strstr(t->name, "attn_k.") != NULL;
    if (!is_key || !size_of(f, m, "attention.head_count_kv", &heads))
        size_of(f, m, "attention.head_count", &heads);
    e.name = name_here(a, p, layer);
    for (int i = 0; i < t->rank; i++) e.size[i] = t->size[how == TRANSPOSED ? i : t->rank - 1 - i];
    bool is_plain = dtype_of(t->type, &e.type) && how == AS_IT_IS;
    e.from = is_plain ? e.type : LH_F32;
    e.data = is_plain ? (const void *)t->data : changed(f, a, t, how, (size_t)heads);
    return e;
}

static void write_weights(const lh_gguf *f, lh_arena *a, const struct family *m,
                          const char *folder) {
    lh_tensor_entry *e = lh_alloc_array(a, (size_t)f->n_tensors + 1, sizeof *e);
    const lh_pair made = {"format", "pt"};
    for (int i = 0; e && i < f->n_tensors && !lh_failed(f->ctx); i++)
        e[i] = entry_of(f, a, m, &f->tensor[i]);
    if (e && !lh_failed(f->ctx))
        lh_tensors_write(f->ctx, lh_printf(a, "%s/model.safetensors", folder), e, f->n_tensors,
                         &made, 1);
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
    const struct family *m = a ? family_of(f) : NULL;
    lh_text text[3];
    for (int i = 0; i < 3 && m; i++) { /* all are known before any is written */
        text[i] = lh_text_new(a);
        file[i].write(f, &text[i]);
    }
    if (m && !lh_failed(f->ctx) && make_folder(f->ctx, folder)) write_weights(f, a, m, folder);
    for (int i = 0; i < 3 && m && !lh_failed(f->ctx); i++)
        lh_replace_file(f->ctx, a, lh_printf(a, "%s/%s", folder, file[i].name), text[i].s,
                        text[i].n);
    lh_arena_free(a);
    return !lh_failed(f->ctx);
}

/* ---- the other way ---- */

char *lh_gguf_name_of_gpt2(lh_arena *a, const char *name, bool *is_transposed) {
    const char *digits = strncmp(name, "h.", 2) == 0 ? name + 2 : "";
    size_t n = strspn(digits, "0123456789");
    for (const pair *p = gpt2_names; p->there; p++) {
        const char *here = strchr(p->here, '#'), *there = strchr(p->there, '#');
        bool is_it = here ? n && strcmp(here + 1, digits + n) == 0 : strcmp(p->here, name) == 0;
        if (!is_it) continue;
        *is_transposed = p->layout == TRANSPOSED;
        if (!there) return lh_copy(a, p->there, strlen(p->there));
        return lh_printf(a, "%.*s%.*s%s", (int)(there - p->there), p->there, (int)n, digits,
                         there + 1);
    }
    return NULL;
}
