#!/usr/bin/env python3
"""Golden files for model folders: tiny models of every family, made and run by Hugging Face transformers.

    python3 tests/golden/make.py OUT [NAME...]          writes OUT/NAME.json for each variant below, or for those named

A folder is a config.json as the hub has it and weights by a formula (golden_weights.py), so that nobody stores weights. transformers
opens it; what it answers to ten tokens is kept: logits, attention of the last row, the greedy continuation, and config.json as
transformers itself saves it. tests/test_families.c writes the same folder and asks the same of Longhand. README.md says more.
"""
import json
import os
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

from golden_weights import numbers

TOKENS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 7]


def tensor(name, shape):
    return torch.tensor(list(numbers(name, shape)), dtype=torch.float64).reshape(shape).float()


SMALL = dict(vocab_size=24, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=20,
             max_position_embeddings=32, bos_token_id=1, eos_token_id=2)
GPT2 = dict(model_type="gpt2", architectures=["GPT2LMHeadModel"], vocab_size=24, n_embd=16, n_layer=2, n_head=4,
            n_positions=32, n_ctx=32, activation_function="gelu_new", attn_pdrop=0.1, embd_pdrop=0.1, resid_pdrop=0.1,
            initializer_range=0.02, layer_norm_epsilon=1e-5, summary_activation=None, summary_first_dropout=0.1,
            summary_proj_to_labels=True, summary_type="cls_index", summary_use_proj=True, bos_token_id=1, eos_token_id=2,
            task_specific_params={"text-generation": {"do_sample": True, "max_length": 50}})
LLAMA = dict(SMALL, model_type="llama", architectures=["LlamaForCausalLM"], hidden_act="silu", initializer_range=0.02,
             num_key_value_heads=4, pretraining_tp=1, rms_norm_eps=1e-6, rope_scaling=None, tie_word_embeddings=False,
             torch_dtype="float32", use_cache=True, attention_bias=False, attention_dropout=0.0)
MISTRAL = dict(SMALL, model_type="mistral", architectures=["MistralForCausalLM"], hidden_act="silu", num_key_value_heads=2,
               rms_norm_eps=1e-5, rope_theta=10000.0, sliding_window=4, tie_word_embeddings=False, torch_dtype="float32",
               attention_dropout=0.0, initializer_range=0.02, use_cache=True)
QWEN2 = dict(SMALL, model_type="qwen2", architectures=["Qwen2ForCausalLM"], hidden_act="silu", num_key_value_heads=2,
             max_window_layers=1, rms_norm_eps=1e-6, rope_theta=1000000.0, sliding_window=4, tie_word_embeddings=True,
             use_sliding_window=False, use_mrope=False, torch_dtype="float32", attention_dropout=0.0, use_cache=True)
QWEN3 = dict(QWEN2, model_type="qwen3", architectures=["Qwen3ForCausalLM"], head_dim=6, attention_bias=False, rope_scaling=None,
             tie_word_embeddings=False)
GEMMA = dict(SMALL, model_type="gemma", architectures=["GemmaForCausalLM"], head_dim=8, hidden_act="gelu",
             hidden_activation=None, num_key_value_heads=1, rms_norm_eps=1e-6, rope_theta=10000.0, pad_token_id=0,
             torch_dtype="float32", attention_bias=False, attention_dropout=0.0)
GEMMA2 = dict(GEMMA, model_type="gemma2", architectures=["Gemma2ForCausalLM"], hidden_activation="gelu_pytorch_tanh",
              hidden_act="gelu_pytorch_tanh", num_key_value_heads=2, attn_logit_softcapping=2.0, final_logit_softcapping=3.0,
              query_pre_attn_scalar=10, sliding_window=4, cache_implementation="hybrid", num_hidden_layers=3)
GEMMA3 = dict(GEMMA, model_type="gemma3_text", architectures=["Gemma3ForCausalLM"], hidden_activation="gelu_pytorch_tanh",
              num_key_value_heads=2, query_pre_attn_scalar=10, sliding_window=4, sliding_window_pattern=3, num_hidden_layers=4,
              rope_theta=1000000.0, rope_local_base_freq=10000.0, rope_scaling=None, attn_logit_softcapping=None,
              final_logit_softcapping=None)
del GEMMA3["hidden_act"]
PHI3 = dict(SMALL, model_type="phi3", architectures=["Phi3ForCausalLM"], hidden_act="silu", num_key_value_heads=2,
            rms_norm_eps=1e-5, rope_theta=10000.0, rope_scaling=None, sliding_window=None, tie_word_embeddings=False,
            original_max_position_embeddings=32, attention_bias=False, attention_dropout=0.0, embd_pdrop=0.0, resid_pdrop=0.0,
            pad_token_id=0, torch_dtype="float32")
OLMO2 = dict(SMALL, model_type="olmo2", architectures=["Olmo2ForCausalLM"], hidden_act="silu", num_key_value_heads=2,
             rms_norm_eps=1e-6, rope_theta=500000, rope_scaling=None, tie_word_embeddings=False, attention_bias=False,
             attention_dropout=0.0, pad_token_id=0, torch_dtype="float32")
NEOX = dict(SMALL, model_type="gpt_neox", architectures=["GPTNeoXForCausalLM"], hidden_act="gelu", rotary_pct=0.5,
            rotary_emb_base=10000, layer_norm_eps=1e-5, use_parallel_residual=True, tie_word_embeddings=False,
            attention_bias=True, attention_dropout=0.0, hidden_dropout=0.0, classifier_dropout=0.1, torch_dtype="float32")
BERT = dict(model_type="bert", architectures=["BertForMaskedLM"], vocab_size=24, hidden_size=16, num_hidden_layers=2,
            num_attention_heads=4, intermediate_size=20, max_position_embeddings=32, type_vocab_size=2, hidden_act="gelu",
            layer_norm_eps=1e-12, attention_probs_dropout_prob=0.1, hidden_dropout_prob=0.1, initializer_range=0.02,
            pad_token_id=0, position_embedding_type="absolute", use_cache=True)
MIXTRAL = dict(MISTRAL, model_type="mixtral", architectures=["MixtralForCausalLM"], sliding_window=None, num_local_experts=4,
               num_experts_per_tok=2, router_aux_loss_coef=0.02, output_router_logits=False, router_jitter_noise=0.0)

LLAMA3_SCALING = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16,
                  "rope_type": "llama3"}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8}

VARIANTS = {
    "gpt2": GPT2,
    "gpt2-relu": dict(GPT2, activation_function="relu"),
    "gpt2-gelu": dict(GPT2, activation_function="gelu"),
    "gpt2-silu": dict(GPT2, activation_function="silu"),
    "gpt2-tanh": dict(GPT2, activation_function="tanh"),
    "gpt2-untied": dict(GPT2, tie_word_embeddings=False),
    "gpt2-epsilon": dict(GPT2, layer_norm_epsilon=0.01),
    "gpt2-inverse-layer": dict(GPT2, scale_attn_by_inverse_layer_idx=True),
    "gpt2-unscaled": dict(GPT2, scale_attn_weights=False),
    "gpt2-inner": dict(GPT2, n_inner=20),
    "gpt2-reorder": dict(GPT2, reorder_and_upcast_attn=True),
    "llama1": LLAMA,
    "llama2": dict(LLAMA, num_key_value_heads=2, rms_norm_eps=1e-5),
    "llama3": dict(LLAMA, num_key_value_heads=2, rope_theta=500000.0, rope_scaling=LLAMA3_SCALING, mlp_bias=False),
    "llama-linear": dict(LLAMA, rope_scaling={"type": "linear", "factor": 4.0}),
    "llama-yarn": dict(LLAMA, rope_scaling=YARN),
    "llama-bias": dict(LLAMA, attention_bias=True, mlp_bias=True, head_dim=6, num_key_value_heads=1),
    "llama-gelu": dict(LLAMA, hidden_act="gelu"),
    "smollm2": dict(LLAMA, num_key_value_heads=2, tie_word_embeddings=True, rope_theta=100000, is_llama_config=True,
                    rope_interleaved=False),
    "mistral": MISTRAL,
    "mistral-plain": dict(MISTRAL, sliding_window=None, head_dim=6),
    "qwen2": QWEN2,
    "qwen2-window": dict(QWEN2, use_sliding_window=True, tie_word_embeddings=False, num_hidden_layers=3),
    "qwen2-yarn": dict(QWEN2, rope_scaling=YARN),
    "qwen3": QWEN3,
    "qwen3-bias": dict(QWEN3, attention_bias=True, tie_word_embeddings=True),
    "gemma": GEMMA,
    "gemma2": GEMMA2,
    "gemma3": GEMMA3,
    "gemma3-linear": dict(GEMMA3, rope_scaling={"rope_type": "linear", "factor": 8.0}),
    "phi3": PHI3,
    "phi3-window": dict(PHI3, sliding_window=4),
    "phi3-partial": dict(PHI3, partial_rotary_factor=0.5, tie_word_embeddings=True),
    "phi3-longrope": dict(PHI3, original_max_position_embeddings=16, rope_scaling={
        "type": "longrope", "short_factor": [1.0, 1.25], "long_factor": [1.5, 4.0]}),
    "olmo2": OLMO2,
    "neox": NEOX,
    "neox-serial": dict(NEOX, use_parallel_residual=False, rotary_pct=1.0, hidden_act="relu"),
    "neox-plain": dict(NEOX, attention_bias=False, tie_word_embeddings=True),
    "bert": BERT,
    "bert-relu": dict(BERT, hidden_act="relu", layer_norm_eps=1e-5, type_vocab_size=1),
    "mixtral": MIXTRAL,
    # Fields that are null or left out, said twice, or said otherwise than usual.
    "llama-nulls": dict({k: v for k, v in LLAMA.items() if k not in ("tie_word_embeddings", "attention_bias")},
                        num_key_value_heads=None, head_dim=None, rope_theta=500.0, max_sequence_length=32),
    "llama-rope-parameters": dict(LLAMA, rope_theta=500.0, rope_parameters={"rope_type": "linear", "factor": 4.0, "rope_theta": 300.0}),
    "llama-rope-twice": dict(LLAMA, rope_parameters={"rope_type": "default", "rope_theta": 300.0},
                             rope_scaling={"rope_type": "linear", "factor": 4.0}),
    "llama-yarn-plain": dict(LLAMA, rope_scaling={"type": "yarn", "factor": 4.0}),
    "llama-yarn-nulls": dict(LLAMA, rope_scaling=dict(YARN, beta_fast=None, beta_slow=None, attention_factor=None, mscale=1.0,
                                                      mscale_all_dim=0.5)),
    "llama3-plain": dict(LLAMA, rope_scaling={"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_type": "llama3"}),
    "mistral-layer-types": dict(MISTRAL, layer_types=["full_attention", "sliding_attention"]),
    "mixtral-window": dict(MIXTRAL, sliding_window=4),
    "qwen2-windows": dict(QWEN2, use_sliding_window=True, max_window_layers=0),
    "qwen2-layer-types": dict(QWEN2, use_sliding_window=True, layer_types=["sliding_attention", "full_attention"]),
    "qwen2-no-window": dict(QWEN2, use_sliding_window=False, layer_types=["sliding_attention", "full_attention"]),
    "qwen2-head": dict(QWEN2, head_dim=6),
    "gemma2-layer-types": dict(GEMMA2, layer_types=["full_attention", "full_attention", "sliding_attention"]),
    "gemma2-no-window": dict(GEMMA2, sliding_window=None),
    "gemma3-rope-parameters": dict(GEMMA3, rope_theta=77.0, rope_local_base_freq=78.0, layer_types=[
        "full_attention", "sliding_attention", "sliding_attention", "full_attention"], rope_parameters={
        "full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 300.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 20.0}}),
    "gemma3-local-linear": dict(GEMMA3, rope_parameters={
        "full_attention": {"rope_type": "default"}, "sliding_attention": {"rope_type": "linear", "factor": 4.0}}),
    "phi3-head": dict(PHI3, head_dim=6),
    "phi3-longrope-inner": dict({k: v for k, v in PHI3.items() if not k.startswith("original")}, rope_scaling={
        "type": "longrope", "short_factor": [1.0, 1.25], "long_factor": [1.5, 4.0], "original_max_position_embeddings": 16}),
    "phi3-longrope-factor": dict(PHI3, original_max_position_embeddings=16, rope_scaling={
        "type": "longrope", "short_factor": [1.0, 1.25], "long_factor": [1.5, 4.0], "factor": 8.0}),
    "olmo2-bias": dict({k: v for k, v in OLMO2.items() if k != "tie_word_embeddings"}, attention_bias=True, head_dim=6),
    "neox-rope-parameters": dict({k: v for k, v in NEOX.items() if k not in ("rotary_pct", "rotary_emb_base")}, rope_parameters={
        "rope_type": "default", "partial_rotary_factor": 0.5, "rope_theta": 500.0}),
}


def opened(folder, config):
    kind = transformers.AutoModelForMaskedLM if config["model_type"] == "bert" else transformers.AutoModelForCausalLM
    return kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()


def folder_of(config, folder):
    """A folder with the weights of the formula, under the names that transformers saves."""
    with open(os.path.join(folder, "config.json"), "w") as f:
        json.dump(config, f)
    known = transformers.AutoConfig.from_pretrained(folder)
    kind = transformers.AutoModelForMaskedLM if config["model_type"] == "bert" else transformers.AutoModelForCausalLM
    model = kind.from_config(known, attn_implementation="eager")
    with tempfile.TemporaryDirectory() as saved:
        model.save_pretrained(saved)
        shapes = {k: list(v.shape) for k, v in load_file(os.path.join(saved, "model.safetensors")).items()}
        with open(os.path.join(saved, "config.json")) as f:
            as_saved = json.load(f)
    save_file({k: tensor(k, s) for k, s in shapes.items()}, os.path.join(folder, "model.safetensors"), {"format": "pt"})
    return shapes, as_saved


def rounded(x):
    return float(f"{x:.7g}")


def golden(config):
    with tempfile.TemporaryDirectory() as folder:
        shapes, as_saved = folder_of(config, folder)
        model = opened(folder, config)
        with torch.no_grad():
            out = model(input_ids=torch.tensor([TOKENS]), output_attentions=True)
            ids = list(TOKENS)
            for _ in range(8 if config["model_type"] != "bert" else 0):
                ids.append(int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
    return {
        "config": config,
        "saved": as_saved,
        "tensors": shapes,
        "tokens": TOKENS,
        "logits": [[rounded(x) for x in row] for row in out.logits[0].tolist()],
        "attention": [[[rounded(x) for x in head[-1]] for head in layer[0].tolist()] for layer in out.attentions],
        "greedy": ids[len(TOKENS):],
    }


def write_defaults(path):
    """What each family's config is where nothing is said: the usual values of all fields."""
    types = sorted({c["model_type"] for c in VARIANTS.values()})
    with open(path, "w") as f:
        f.write("{" + ",\n".join(f'"{t}":{json.dumps(transformers.AutoConfig.for_model(t).to_dict(), separators=(",", ":"))}'
                                 for t in types) + "}\n")


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    made = []
    for name, config in VARIANTS.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        try:
            result = golden(config)
        except Exception as why:  # a variant that this transformers refuses is left out, and said
            print(f"{name}: {type(why).__name__}: {str(why)[:300]}", flush=True)
            continue
        with open(os.path.join(out, name + ".json"), "w") as f:
            parts = [f'"{k}":{json.dumps(v, separators=(",", ":"))}' for k, v in result.items()]
            f.write("{" + ",\n".join(parts) + "}\n")
        made.append(name)
        print(f"{name}: {len(result['tensors'])} tensors, greedy {result['greedy']}", flush=True)
    write_defaults(os.path.join(out, "..", "defaults.json"))
    print(f"transformers {transformers.__version__}, torch {torch.__version__}: {len(made)} of {len(VARIANTS)}")


if __name__ == "__main__":
    main()
