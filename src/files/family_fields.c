/* The fields of config.json, family by family: what each is, and what it is where it is left out. A field that stands in no table
 * is refused: nobody has said that it changes nothing. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/context.h"
#include "files/family_internal.h"

#define WHOLE(name, value, standard)                                                               \
    { name, LH_FIELD_WHOLE, offsetof(lh_family_values, value), standard, NULL }
#define NUMBER(name, value, standard)                                                              \
    { name, LH_FIELD_NUMBER, offsetof(lh_family_values, value), standard, NULL }
#define NEEDED(name, value, standard)                                                              \
    { name, LH_FIELD_NEEDED, offsetof(lh_family_values, value), standard, NULL }
#define USUAL(name, standard)                                                                      \
    { name, LH_FIELD_USUAL, 0, standard, NULL }
#define YES(name, value, standard)                                                                 \
    { name, LH_FIELD_YES, offsetof(lh_family_values, value), standard, NULL }
#define TEXT(name, value, standard)                                                                \
    { name, LH_FIELD_TEXT, offsetof(lh_family_values, value), 0, standard }
#define ROPE(name)                                                                                 \
    { name, LH_FIELD_ROPE, 0, 0, NULL }
#define LAYERS(name)                                                                               \
    { name, LH_FIELD_LAYERS, 0, 0, NULL }
#define HARMLESS(name)                                                                             \
    { name, LH_FIELD_HARMLESS, 0, 0, NULL }
#define OFF(name)                                                                                  \
    { name, LH_FIELD_OFF, 0, 0, NULL }
#define ON(name)                                                                                   \
    { name, LH_FIELD_ON, 0, 0, NULL }
#define END                                                                                        \
    { NULL, LH_FIELD_OFF, 0, 0, NULL }

/* What says how numbers are stored, how a model was begun or is trained, which tokens are special, what a program prints. */
const lh_family_field lh_family_common[] = {HARMLESS("model_type"),
                                            HARMLESS("architectures"),
                                            HARMLESS("_name_or_path"),
                                            HARMLESS("transformers_version"),
                                            HARMLESS("torch_dtype"),
                                            HARMLESS("dtype"),
                                            HARMLESS("bos_token_id"),
                                            HARMLESS("eos_token_id"),
                                            HARMLESS("pad_token_id"),
                                            HARMLESS("sep_token_id"),
                                            HARMLESS("cls_token_id"),
                                            HARMLESS("mask_token_id"),
                                            HARMLESS("unk_token_id"),
                                            HARMLESS("decoder_start_token_id"),
                                            HARMLESS("forced_bos_token_id"),
                                            HARMLESS("forced_eos_token_id"),
                                            HARMLESS("suppress_tokens"),
                                            HARMLESS("begin_suppress_tokens"),
                                            HARMLESS("use_cache"),
                                            HARMLESS("cache_implementation"),
                                            HARMLESS("initializer_range"),
                                            HARMLESS("attention_dropout"),
                                            HARMLESS("classifier_dropout"),
                                            HARMLESS("attention_probs_dropout_prob"),
                                            HARMLESS("hidden_dropout"),
                                            HARMLESS("hidden_dropout_prob"),
                                            HARMLESS("resid_pdrop"),
                                            HARMLESS("embd_pdrop"),
                                            HARMLESS("attn_pdrop"),
                                            HARMLESS("task_specific_params"),
                                            HARMLESS("output_attentions"),
                                            HARMLESS("output_hidden_states"),
                                            HARMLESS("return_dict"),
                                            HARMLESS("return_dict_in_generate"),
                                            HARMLESS("output_scores"),
                                            HARMLESS("id2label"),
                                            HARMLESS("label2id"),
                                            HARMLESS("num_labels"),
                                            HARMLESS("_num_labels"),
                                            HARMLESS("unsloth_fixed"),
                                            HARMLESS("unsloth_version"),
                                            HARMLESS("problem_type"),
                                            HARMLESS("finetuning_task"),
                                            HARMLESS("tokenizer_class"),
                                            HARMLESS("prefix"),
                                            HARMLESS("chunk_size_feed_forward"),
                                            HARMLESS("gradient_checkpointing"),
                                            HARMLESS("use_return_dict"),
                                            HARMLESS("torchscript"),
                                            HARMLESS("tf_legacy_loss"),
                                            HARMLESS("use_bfloat16"),
                                            HARMLESS("auto_map"),
                                            HARMLESS("_attn_implementation"),
                                            HARMLESS("attn_implementation"),
                                            HARMLESS("_attn_implementation_autoset"),
                                            HARMLESS("use_flash_attn"),
                                            HARMLESS("transformers.js_config"),
                                            HARMLESS("max_length"),
                                            HARMLESS("min_length"),
                                            HARMLESS("do_sample"),
                                            HARMLESS("early_stopping"),
                                            HARMLESS("num_beams"),
                                            HARMLESS("num_beam_groups"),
                                            HARMLESS("diversity_penalty"),
                                            HARMLESS("temperature"),
                                            HARMLESS("top_k"),
                                            HARMLESS("top_p"),
                                            HARMLESS("typical_p"),
                                            HARMLESS("repetition_penalty"),
                                            HARMLESS("length_penalty"),
                                            HARMLESS("no_repeat_ngram_size"),
                                            HARMLESS("encoder_no_repeat_ngram_size"),
                                            HARMLESS("bad_words_ids"),
                                            HARMLESS("num_return_sequences"),
                                            HARMLESS("remove_invalid_values"),
                                            HARMLESS("exponential_decay_length_penalty"),
                                            OFF("is_encoder_decoder"),
                                            OFF("add_cross_attention"),
                                            OFF("cross_attention_hidden_size"),
                                            OFF("tie_encoder_decoder"),
                                            OFF("pruned_heads"),
                                            OFF("use_bidirectional_attention"),
                                            OFF("quantization_config"),
                                            OFF("is_decoder"),
                                            OFF("attention_bias"),
                                            OFF("mlp_bias"),
                                            OFF("use_sliding_window"),
                                            OFF("use_mrope"),
                                            OFF("rope_interleaved"),
                                            ON("is_causal"),
                                            END};

static const lh_family_field gpt2[] = {WHOLE("vocab_size", vocab, 50257),
                                       WHOLE("n_embd", dim, 768),
                                       WHOLE("hidden_size", dim, 0),
                                       WHOLE("n_layer", layers, 12),
                                       WHOLE("num_hidden_layers", layers, 0),
                                       WHOLE("n_head", heads, 12),
                                       WHOLE("num_attention_heads", heads, 0),
                                       WHOLE("n_positions", context, 1024),
                                       WHOLE("max_position_embeddings", context, 0),
                                       HARMLESS("n_ctx"),
                                       WHOLE("n_inner", hidden, 0),
                                       TEXT("activation_function", activation, "gelu_new"),
                                       NEEDED("layer_norm_epsilon", eps, 1e-5),
                                       YES("scale_attn_weights", is_scaled, 1),
                                       YES("scale_attn_by_inverse_layer_idx", by_layer, 0),
                                       HARMLESS("reorder_and_upcast_attn"),
                                       YES("tie_word_embeddings", is_tied, 1),
                                       HARMLESS("summary_type"),
                                       HARMLESS("summary_use_proj"),
                                       HARMLESS("summary_activation"),
                                       HARMLESS("summary_proj_to_labels"),
                                       HARMLESS("summary_first_dropout"),
                                       END};

/* What Llama and all that followed it share. */
#define LLAMA_SIZES(vocab_, dim_, hidden_, layers_, heads_, groups_, context_)                     \
    WHOLE("vocab_size", vocab, vocab_), WHOLE("hidden_size", dim, dim_),                           \
        WHOLE("intermediate_size", hidden, hidden_), WHOLE("num_hidden_layers", layers, layers_),  \
        WHOLE("num_attention_heads", heads, heads_),                                               \
        WHOLE("num_key_value_heads", groups, groups_),                                             \
        WHOLE("max_position_embeddings", context, context_), ROPE("rope_parameters"),              \
        ROPE("rope_scaling")

static const lh_family_field llama[] = {LLAMA_SIZES(32000, 4096, 11008, 32, 32, 0, 2048),
                                        NEEDED("rope_theta", theta, 10000),
                                        WHOLE("head_dim", width, 0),
                                        TEXT("hidden_act", activation, "silu"),
                                        NEEDED("rms_norm_eps", eps, 1e-6),
                                        YES("tie_word_embeddings", is_tied, 0),
                                        YES("attention_bias", has_bias, 0),
                                        YES("mlp_bias", has_hidden_bias, 0),
                                        HARMLESS("pretraining_tp"),
                                        HARMLESS("is_llama_config"),
                                        HARMLESS("max_sequence_length"),
                                        END};

static const lh_family_field mistral[] = {LLAMA_SIZES(32000, 4096, 14336, 32, 32, 8, 131072),
                                          NEEDED("rope_theta", theta, 10000),
                                          WHOLE("head_dim", width, 0),
                                          TEXT("hidden_act", activation, "silu"),
                                          NEEDED("rms_norm_eps", eps, 1e-6),
                                          YES("tie_word_embeddings", is_tied, 0),
                                          WHOLE("sliding_window", window, 4096),
                                          END};

static const lh_family_field mixtral[] = {LLAMA_SIZES(32000, 4096, 14336, 32, 32, 8, 131072),
                                          NEEDED("rope_theta", theta, 1e6),
                                          WHOLE("head_dim", width, 0),
                                          TEXT("hidden_act", activation, "silu"),
                                          NEEDED("rms_norm_eps", eps, 1e-5),
                                          YES("tie_word_embeddings", is_tied, 0),
                                          WHOLE("sliding_window", window, 0),
                                          WHOLE("num_local_experts", experts, 8),
                                          WHOLE("num_experts_per_tok", chosen, 2),
                                          HARMLESS("output_router_logits"),
                                          HARMLESS("router_aux_loss_coef"),
                                          HARMLESS("router_jitter_noise"),
                                          END};

static const lh_family_field qwen2[] = {LLAMA_SIZES(151936, 4096, 22016, 32, 32, 32, 32768),
                                        WHOLE("head_dim", width, 0),
                                        NEEDED("rope_theta", theta, 10000),
                                        TEXT("hidden_act", activation, "silu"),
                                        NEEDED("rms_norm_eps", eps, 1e-6),
                                        YES("tie_word_embeddings", is_tied, 0),
                                        WHOLE("sliding_window", window, 4096),
                                        YES("use_sliding_window", uses_window, 0),
                                        WHOLE("max_window_layers", window_layers, 28),
                                        LAYERS("layer_types"),
                                        END};

static const lh_family_field qwen3[] = {LLAMA_SIZES(151936, 4096, 22016, 32, 32, 32, 32768),
                                        NEEDED("rope_theta", theta, 10000),
                                        WHOLE("head_dim", width, 128),
                                        TEXT("hidden_act", activation, "silu"),
                                        NEEDED("rms_norm_eps", eps, 1e-6),
                                        YES("tie_word_embeddings", is_tied, 0),
                                        YES("attention_bias", has_bias, 0),
                                        WHOLE("sliding_window", window, 4096),
                                        YES("use_sliding_window", uses_window, 0),
                                        WHOLE("max_window_layers", window_layers, 28),
                                        LAYERS("layer_types"),
                                        END};

static const lh_family_field gemma[] = {LLAMA_SIZES(256000, 3072, 24576, 28, 16, 16, 8192),
                                        NEEDED("rope_theta", theta, 10000),
                                        WHOLE("head_dim", width, 256),
                                        TEXT("hidden_act", activation, "gelu_pytorch_tanh"),
                                        TEXT("hidden_activation", gemma_activation, NULL),
                                        NEEDED("rms_norm_eps", eps, 1e-6),
                                        YES("tie_word_embeddings", is_tied, 1),
                                        YES("attention_bias", has_bias, 0),
                                        END};

#define GEMMA_LATER(cap_, cap_logits_)                                                             \
    WHOLE("head_dim", width, 256), HARMLESS("hidden_act"),                                         \
        TEXT("hidden_activation", gemma_activation, "gelu_pytorch_tanh"),                          \
        NEEDED("rms_norm_eps", eps, 1e-6), YES("tie_word_embeddings", is_tied, 1),                 \
        YES("attention_bias", has_bias, 0), NEEDED("query_pre_attn_scalar", scalar, 256),          \
        NUMBER("attn_logit_softcapping", cap, cap_),                                               \
        NUMBER("final_logit_softcapping", cap_logits, cap_logits_),                                \
        WHOLE("sliding_window", window, 4096), LAYERS("layer_types")

static const lh_family_field gemma2[] = {LLAMA_SIZES(256000, 2304, 9216, 26, 8, 4, 8192),
                                         NEEDED("rope_theta", theta, 10000), GEMMA_LATER(50, 30),
                                         END};

static const lh_family_field gemma3[] = {LLAMA_SIZES(262208, 2304, 9216, 26, 8, 4, 131072),
                                         NEEDED("rope_theta", theta, 1e6),
                                         NEEDED("rope_local_base_freq", local_theta, 10000),
                                         WHOLE("sliding_window_pattern", pattern, 6),
                                         WHOLE("_sliding_window_pattern", pattern, 0),
                                         GEMMA_LATER(0, 0),
                                         END};

static const lh_family_field phi3[] = {LLAMA_SIZES(32064, 3072, 8192, 32, 32, 0, 4096),
                                       WHOLE("head_dim", width, 0),
                                       USUAL("full_attn_mod", 1),
                                       USUAL("interpolate_factor", 1),
                                       OFF("lm_head_bias"),
                                       NEEDED("rope_theta", theta, 10000),
                                       TEXT("hidden_act", activation, "silu"),
                                       NEEDED("rms_norm_eps", eps, 1e-5),
                                       YES("tie_word_embeddings", is_tied, 0),
                                       WHOLE("sliding_window", window, 0),
                                       NUMBER("partial_rotary_factor", part, 1),
                                       WHOLE("original_max_position_embeddings", old_context, 4096),
                                       END};

static const lh_family_field olmo2[] = {LLAMA_SIZES(50304, 4096, 11008, 32, 32, 0, 2048),
                                        WHOLE("head_dim", width, 0),
                                        NEEDED("rope_theta", theta, 10000),
                                        TEXT("hidden_act", activation, "silu"),
                                        NEEDED("rms_norm_eps", eps, 1e-5),
                                        YES("tie_word_embeddings", is_tied, 0),
                                        YES("attention_bias", has_bias, 0),
                                        END};

static const lh_family_field neox[] = {WHOLE("vocab_size", vocab, 50432),
                                       WHOLE("hidden_size", dim, 6144),
                                       WHOLE("num_hidden_layers", layers, 44),
                                       WHOLE("num_attention_heads", heads, 64),
                                       WHOLE("intermediate_size", hidden, 24576),
                                       WHOLE("max_position_embeddings", context, 2048),
                                       TEXT("hidden_act", activation, "gelu"),
                                       NEEDED("rotary_pct", part, 0.25),
                                       NEEDED("rotary_emb_base", theta, 10000),
                                       NUMBER("rope_theta", theta, 0),
                                       ROPE("rope_parameters"),
                                       ROPE("rope_scaling"),
                                       NUMBER("partial_rotary_factor", part, 0),
                                       NEEDED("layer_norm_eps", eps, 1e-5),
                                       YES("use_parallel_residual", is_parallel, 1),
                                       YES("tie_word_embeddings", is_tied, 0),
                                       YES("attention_bias", has_bias, 1),
                                       END};

static const lh_family_field bert[] = {WHOLE("vocab_size", vocab, 30522),
                                       WHOLE("hidden_size", dim, 768),
                                       WHOLE("num_hidden_layers", layers, 12),
                                       WHOLE("num_attention_heads", heads, 12),
                                       WHOLE("intermediate_size", hidden, 3072),
                                       WHOLE("max_position_embeddings", context, 512),
                                       WHOLE("type_vocab_size", types, 2),
                                       TEXT("hidden_act", activation, "gelu"),
                                       NEEDED("layer_norm_eps", eps, 1e-12),
                                       YES("tie_word_embeddings", is_tied, 1),
                                       HARMLESS("position_embedding_type"),
                                       HARMLESS("directionality"),
                                       HARMLESS("pooler_fc_size"),
                                       HARMLESS("pooler_num_attention_heads"),
                                       HARMLESS("pooler_num_fc_layers"),
                                       HARMLESS("pooler_size_per_head"),
                                       HARMLESS("pooler_type"),
                                       END};

/* ---- names of weights ---- */

static const lh_family_names gpt2_names = {.embed = "wte.weight",
                                           .positions = "wpe.weight",
                                           .final = "ln_f",
                                           .head = "lm_head.weight",
                                           .layer = "h.{h}.",
                                           .before = "ln_1",
                                           .qkv = "attn.c_attn",
                                           .o = "attn.c_proj",
                                           .net_before = "ln_2",
                                           .up = "mlp.c_fc",
                                           .down = "mlp.c_proj"};

#define LLAMA_NAMES                                                                                \
    .embed = "model.embed_tokens.weight", .final = "model.norm", .head = "lm_head.weight",         \
    .layer = "model.layers.{h}.", .q = "self_attn.q_proj", .k = "self_attn.k_proj",                \
    .v = "self_attn.v_proj", .o = "self_attn.o_proj", .gate = "mlp.gate_proj",                     \
    .up = "mlp.up_proj", .down = "mlp.down_proj", .q_norm = "self_attn.q_norm",                    \
    .k_norm = "self_attn.k_norm"

static const lh_family_names llama_names = {LLAMA_NAMES, .before = "input_layernorm",
                                            .net_before = "post_attention_layernorm"};

static const lh_family_names gemma2_names = {
    LLAMA_NAMES, .before = "input_layernorm", .after = "post_attention_layernorm",
    .net_before = "pre_feedforward_layernorm", .net_after = "post_feedforward_layernorm"};

static const lh_family_names olmo2_names = {LLAMA_NAMES, .after = "post_attention_layernorm",
                                            .net_after = "post_feedforward_layernorm"};

static const lh_family_names phi3_names = {.embed = "model.embed_tokens.weight",
                                           .final = "model.norm",
                                           .head = "lm_head.weight",
                                           .layer = "model.layers.{h}.",
                                           .before = "input_layernorm",
                                           .net_before = "post_attention_layernorm",
                                           .qkv = "self_attn.qkv_proj",
                                           .o = "self_attn.o_proj",
                                           .up = "mlp.gate_up_proj",
                                           .down = "mlp.down_proj"};

static const lh_family_names mixtral_names = {.embed = "model.embed_tokens.weight",
                                              .final = "model.norm",
                                              .head = "lm_head.weight",
                                              .layer = "model.layers.{h}.",
                                              .before = "input_layernorm",
                                              .net_before = "post_attention_layernorm",
                                              .q = "self_attn.q_proj",
                                              .k = "self_attn.k_proj",
                                              .v = "self_attn.v_proj",
                                              .o = "self_attn.o_proj",
                                              .router = "block_sparse_moe.gate",
                                              .gate = "block_sparse_moe.experts.{e}.w1",
                                              .up = "block_sparse_moe.experts.{e}.w3",
                                              .down = "block_sparse_moe.experts.{e}.w2"};

static const lh_family_names neox_names = {.embed = "gpt_neox.embed_in.weight",
                                           .final = "gpt_neox.final_layer_norm",
                                           .head = "embed_out.weight",
                                           .layer = "gpt_neox.layers.{h}.",
                                           .before = "input_layernorm",
                                           .net_before = "post_attention_layernorm",
                                           .qkv = "attention.query_key_value",
                                           .o = "attention.dense",
                                           .up = "mlp.dense_h_to_4h",
                                           .down = "mlp.dense_4h_to_h"};

static const lh_family_names bert_names = {.embed = "bert.embeddings.word_embeddings.weight",
                                           .positions =
                                               "bert.embeddings.position_embeddings.weight",
                                           .types = "bert.embeddings.token_type_embeddings.weight",
                                           .final = "bert.embeddings.LayerNorm",
                                           .head = "cls.predictions.decoder.weight",
                                           .layer = "bert.encoder.layer.{h}.",
                                           .after = "attention.output.LayerNorm",
                                           .q = "attention.self.query",
                                           .k = "attention.self.key",
                                           .v = "attention.self.value",
                                           .o = "attention.output.dense",
                                           .net_after = "output.LayerNorm",
                                           .up = "intermediate.dense",
                                           .down = "output.dense"};

/* ---- what they mean ---- */

/* What all of them say alike. */
static void sizes(lh_family_reader *r, lh_decoder *d) {
    const lh_family_values *v = &r->v;
    d->vocab = (long long)v->vocab, d->layers = (long long)v->layers;
    d->heads = (long long)v->heads, d->dim = (long long)v->dim;
    d->hidden = (long long)v->hidden, d->context = (long long)v->context;
    d->groups = v->groups > 0 ? (long long)v->groups : d->heads;
    d->width = v->width > 0 ? (long long)v->width : d->heads ? d->dim / d->heads : 0;
    d->turned = d->width;
    d->eps = v->eps;
    d->is_tied = v->is_tied;
    if (v->width <= 0 && d->heads && d->dim % d->heads)
        lh_family_refuse(r, lh_family_name(r, offsetof(lh_family_values, heads)),
                         "is %lld, which does not divide the %lld columns of the model", d->heads,
                         d->dim);
    if (d->groups && d->heads % d->groups)
        lh_family_refuse(r, "num_key_value_heads", "is %lld, which does not divide the %lld heads",
                         d->groups, d->heads);
}

static void means_gpt2(lh_family_reader *r, lh_decoder *d) {
    sizes(r, d);
    if (!d->hidden) d->hidden = 4 * d->dim;
    d->activation = lh_family_activation(r);
    d->has_positions = d->is_turned = d->norms_before = true;
    d->joined = LH_JOINED;
    d->bias_in = d->bias_out = d->bias_hidden = true;
    d->is_unscaled = !r->v.is_scaled;
    d->scale_by_layer = r->v.by_layer;
}

static void means_llama(lh_family_reader *r, lh_decoder *d) {
    sizes(r, d);
    d->norm = LH_NORM_RMS;
    d->norms_before = d->is_gated = true;
    d->activation = lh_family_activation(r);
    d->bias_in = d->bias_out = r->v.has_bias;
    d->bias_hidden = r->v.has_hidden_bias;
    d->window = (long long)r->v.window;
    lh_family_rope(r, d);
}

static void means_mixtral(lh_family_reader *r, lh_decoder *d) {
    means_llama(r, d);
    d->experts = (long long)r->v.experts, d->chosen = (long long)r->v.chosen;
    if (d->chosen > d->experts || d->chosen < 1)
        lh_family_refuse(r, "num_experts_per_tok", "is %lld of %lld experts", d->chosen,
                         d->experts);
    if (strcmp(d->activation, "silu") != 0)
        lh_family_refuse(r, "hidden_act", "must be silu: experts have no other gate");
}

static void means_qwen2(lh_family_reader *r, lh_decoder *d) {
    if (!r->v.uses_window) r->v.window = 0;
    means_llama(r, d);
    d->bias_in = true;
    lh_family_windows(r, d, 0);
}

static void means_qwen3(lh_family_reader *r, lh_decoder *d) {
    if (!r->v.uses_window) r->v.window = 0;
    means_llama(r, d);
    d->norms_heads = true;
    lh_family_windows(r, d, 0);
}

static void means_gemma(lh_family_reader *r, lh_decoder *d) {
    means_llama(r, d);
    d->norm = LH_NORM_RMS_PLUS;
    d->embeds_scaled = true;
}

/* Gemma 2 and 3: which layers have the window follows from a number, where there is no list of layers. */
static void means_gemma_later(lh_family_reader *r, lh_decoder *d) {
    if (!r->v.gemma_activation) r->v.gemma_activation = "gelu_pytorch_tanh";
    means_gemma(r, d);
    d->norms_after = true;
    d->scale = r->v.scalar > 0 ? 1 / sqrt(r->v.scalar) : 0;
    d->cap = r->v.cap, d->cap_logits = r->v.cap_logits;
    lh_family_windows(r, d, (long long)r->v.pattern);
}

static void means_gemma2(lh_family_reader *r, lh_decoder *d) {
    r->v.pattern = 2;
    means_gemma_later(r, d);
}

static void means_gemma3(lh_family_reader *r, lh_decoder *d) {
    if (r->v.pattern == 0 && !lh_family_item(r, "layer_types"))
        lh_family_refuse(r, "sliding_window_pattern", "is null, and a number is needed");
    means_gemma_later(r, d);
    d->norms_heads = true;
}

static void means_phi3(lh_family_reader *r, lh_decoder *d) {
    means_llama(r, d);
    d->joined = LH_JOINED;
    d->gate_is_joined = true;
}

static void means_olmo2(lh_family_reader *r, lh_decoder *d) {
    means_llama(r, d);
    d->norms_before = false;
    d->norms_after = d->norms_all = true;
}

static void means_neox(lh_family_reader *r, lh_decoder *d) {
    sizes(r, d);
    d->norms_before = true;
    d->activation = lh_family_activation(r);
    d->joined = LH_JOINED_HEADS;
    d->bias_in = d->bias_out = r->v.has_bias;
    d->bias_hidden = true;
    d->is_parallel = r->v.is_parallel;
    lh_family_rope(r, d);
}

static void means_bert(lh_family_reader *r, lh_decoder *d) {
    sizes(r, d);
    d->types = (long long)r->v.types;
    d->activation = lh_family_activation(r);
    d->has_positions = d->is_encoder = d->norms_after = true;
    d->bias_in = d->bias_out = d->bias_hidden = true;
    const cJSON *kind = lh_family_item(r, "position_embedding_type");
    const char *text = cJSON_GetStringValue(kind);
    if (kind && (!text || strcmp(text, "absolute") != 0))
        lh_family_refuse(r, "position_embedding_type", "must be absolute");
}

const lh_family_record lh_family_records[] = {
    {{"gpt2", "GPT-2", "GPT2LMHeadModel"}, gpt2, &gpt2_names, means_gpt2},
    {{"llama", "Llama", "LlamaForCausalLM"}, llama, &llama_names, means_llama},
    {{"mistral", "Mistral", "MistralForCausalLM"}, mistral, &llama_names, means_llama},
    {{"mixtral", "Mixtral", "MixtralForCausalLM"}, mixtral, &mixtral_names, means_mixtral},
    {{"qwen2", "Qwen2", "Qwen2ForCausalLM"}, qwen2, &llama_names, means_qwen2},
    {{"qwen3", "Qwen3", "Qwen3ForCausalLM"}, qwen3, &llama_names, means_qwen3},
    {{"gemma", "Gemma", "GemmaForCausalLM"}, gemma, &llama_names, means_gemma},
    {{"gemma2", "Gemma 2", "Gemma2ForCausalLM"}, gemma2, &gemma2_names, means_gemma2},
    {{"gemma3_text", "Gemma 3", "Gemma3ForCausalLM"}, gemma3, &gemma2_names, means_gemma3},
    {{"phi3", "Phi-3", "Phi3ForCausalLM"}, phi3, &phi3_names, means_phi3},
    {{"olmo2", "OLMo 2", "Olmo2ForCausalLM"}, olmo2, &olmo2_names, means_olmo2},
    {{"gpt_neox", "GPT-NeoX", "GPTNeoXForCausalLM"}, neox, &neox_names, means_neox},
    {{"bert", "BERT", "BertForMaskedLM"}, bert, &bert_names, means_bert},
};

const int lh_family_n_records = sizeof lh_family_records / sizeof *lh_family_records;
