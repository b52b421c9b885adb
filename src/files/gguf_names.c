/* What llama.cpp calls things, and what Hugging Face does. */
#include <string.h>

#include "files/gguf_internal.h"

static const lh_place nowhere = {0, 0, 0};

#define AS_IT_IS   LH_GGUF_AS_IT_IS
#define TURNED     LH_GGUF_TURNED
#define TRANSPOSED LH_GGUF_TRANSPOSED
#define ONE_MORE   LH_GGUF_ONE_MORE

#define LAYER "model.layers.#."
#define ENDS(norm)                                                                                 \
    {"token_embd.weight", "model.embed_tokens.weight", AS_IT_IS},                                  \
        {"output_norm.weight", "model.norm.weight", norm},                                         \
        {"output.weight", "lm_head.weight", AS_IT_IS}, {                                           \
        "rope_freqs.weight", NULL, AS_IT_IS                                                        \
    }
#define ATTENTION(order)                                                                           \
    {"blk.#.attn_q.weight", LAYER "self_attn.q_proj.weight", order},                               \
        {"blk.#.attn_k.weight", LAYER "self_attn.k_proj.weight", order},                           \
        {"blk.#.attn_v.weight", LAYER "self_attn.v_proj.weight", AS_IT_IS},                        \
        {"blk.#.attn_q.bias", LAYER "self_attn.q_proj.bias", order},                               \
        {"blk.#.attn_k.bias", LAYER "self_attn.k_proj.bias", order},                               \
        {"blk.#.attn_v.bias", LAYER "self_attn.v_proj.bias", AS_IT_IS},                            \
        {"blk.#.attn_output.bias", LAYER "self_attn.o_proj.bias", AS_IT_IS}, {                     \
        "blk.#.attn_output.weight", LAYER "self_attn.o_proj.weight", AS_IT_IS                      \
    }
#define NETWORK                                                                                    \
    {"blk.#.ffn_gate.weight", LAYER "mlp.gate_proj.weight", AS_IT_IS},                             \
        {"blk.#.ffn_up.weight", LAYER "mlp.up_proj.weight", AS_IT_IS}, {                           \
        "blk.#.ffn_down.weight", LAYER "mlp.down_proj.weight", AS_IT_IS                            \
    }
#define NORMS(norm)                                                                                \
    {"blk.#.attn_norm.weight", LAYER "input_layernorm.weight", norm}, {                            \
        "blk.#.ffn_norm.weight", LAYER "post_attention_layernorm.weight", norm                     \
    }

static const lh_gguf_pair llama_names[] = {
    ENDS(AS_IT_IS), NORMS(AS_IT_IS), ATTENTION(TURNED), NETWORK, {NULL, NULL, AS_IT_IS}};

static const lh_gguf_pair qwen_names[] = {
    ENDS(AS_IT_IS),
    NORMS(AS_IT_IS),
    ATTENTION(AS_IT_IS),
    NETWORK,
    {"blk.#.attn_q_norm.weight", LAYER "self_attn.q_norm.weight", AS_IT_IS},
    {"blk.#.attn_k_norm.weight", LAYER "self_attn.k_norm.weight", AS_IT_IS},
    {NULL, NULL, AS_IT_IS}};

static const lh_gguf_pair gemma_names[] = {
    ENDS(ONE_MORE), NORMS(ONE_MORE), ATTENTION(AS_IT_IS), NETWORK, {NULL, NULL, AS_IT_IS}};

static const lh_gguf_pair phi3_names[] = {
    ENDS(AS_IT_IS),
    NORMS(AS_IT_IS),
    {"blk.#.attn_qkv.weight", LAYER "self_attn.qkv_proj.weight", AS_IT_IS},
    {"blk.#.attn_output.weight", LAYER "self_attn.o_proj.weight", AS_IT_IS},
    {"blk.#.ffn_up.weight", LAYER "mlp.gate_up_proj.weight", AS_IT_IS},
    {"blk.#.ffn_down.weight", LAYER "mlp.down_proj.weight", AS_IT_IS},
    {NULL, NULL, AS_IT_IS}};

static const lh_gguf_pair gpt2_names[] = {
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

/* A file becomes the first family of its name; Mistral is called llama there. */
static const lh_gguf_family families[] = {
    {"gpt2", "gpt2", "GPT2LMHeadModel", gpt2_names},
    {"llama", "llama", "LlamaForCausalLM", llama_names},
    {"llama", "mistral", "MistralForCausalLM", llama_names},
    {"qwen2", "qwen2", "Qwen2ForCausalLM", qwen_names},
    {"qwen3", "qwen3", "Qwen3ForCausalLM", qwen_names},
    {"gemma", "gemma", "GemmaForCausalLM", gemma_names},
    {"phi3", "phi3", "Phi3ForCausalLM", phi3_names},
};

enum { FAMILIES = sizeof families / sizeof *families };

const char *lh_gguf_families(lh_arena *a) {
    lh_text out = lh_text_new(a);
    for (int i = 0; i < FAMILIES; i++)
        if (strcmp(families[i].name, families[i].model_type) == 0)
            lh_text_add(&out, "%s%s",
                        i == 0              ? ""
                        : i == FAMILIES - 1 ? " and "
                                            : ", ",
                        families[i].name);
    return out.s;
}

const lh_gguf_family *lh_gguf_family_of(const lh_gguf *f) {
    const char *name = lh_gguf_words(f, "general.architecture");
    for (int i = 0; name && i < FAMILIES; i++)
        if (strcmp(families[i].name, name) == 0) return &families[i];
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "general.architecture is %.80s, which is not supported",
            name ? name : "missing");
    lh_cure(f->ctx, "%s are", lh_gguf_families(f->arena));
    return NULL;
}

const lh_gguf_family *lh_gguf_family_here(const char *model_type) {
    for (int i = 0; i < FAMILIES; i++)
        if (strcmp(families[i].model_type, model_type) == 0) return &families[i];
    return NULL;
}

/* Does it match the pattern, with a number in place of #? Then copies that number, as text. */
static bool matches(const char *pattern, const char *name, char *layer, size_t room) {
    const char *hash = strchr(pattern, '#');
    layer[0] = 0;
    if (!hash) return strcmp(pattern, name) == 0;
    const size_t before = (size_t)(hash - pattern);
    if (strncmp(pattern, name, before) != 0) return false;
    const size_t n = strspn(name + before, "0123456789");
    if (n == 0 || n >= room || strcmp(hash + 1, name + before + n) != 0) return false;
    memcpy(layer, name + before, n);
    layer[n] = 0;
    return true;
}

const lh_gguf_pair *lh_gguf_pair_there(const lh_gguf_family *m, const char *name, char *layer,
                                       size_t room) {
    for (const lh_gguf_pair *p = m->names; p->there; p++)
        if (matches(p->there, name, layer, room)) return p;
    return NULL;
}

const lh_gguf_pair *lh_gguf_pair_here(const lh_gguf_family *m, const char *name, char *layer,
                                      size_t room) {
    for (const lh_gguf_pair *p = m->names; p->there; p++)
        if (p->here && matches(p->here, name, layer, room)) return p;
    return NULL;
}

char *lh_gguf_name(lh_arena *a, const char *pattern, const char *layer) {
    const char *hash = strchr(pattern, '#');
    if (!hash) return lh_copy(a, pattern, strlen(pattern));
    return lh_printf(a, "%.*s%s%s", (int)(hash - pattern), pattern, layer, hash + 1);
}
