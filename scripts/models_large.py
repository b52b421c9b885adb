#!/usr/bin/env python3
"""Models of about a billion weights, one of each family, made and run by Hugging Face transformers, then opened by Longhand.

    LONGHAND_LIBRARY=build/liblonghand.so python3 scripts/models_large.py FOLDER [NAME...]          needs torch and transformers; 5 GB in FOLDER

The weights are random, in float32; nothing is kept but the table, which is printed for docs/models.md: logits of every position, attention of the last
position in every layer and head, eight tokens chosen greedily, and the time that explaining one number takes once the model is open.
"""
import json
import os
import random
import shutil
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "tests", "golden"), os.path.join(ROOT, "python")]
import make  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
import longhand  # noqa: E402

VOCABULARY, NEW = 32000, 8
WORDS = [17, 4000, 9, 311, 25000, 8, 77, 1024, 31999, 5, 640, 12, 2048, 3, 19, 7]  # the prompt
WIDE = dict(vocab_size=VOCABULARY, hidden_size=2048, num_hidden_layers=18, num_attention_heads=32, intermediate_size=5632,
            max_position_embeddings=2048, num_key_value_heads=8, initializer_range=0.05, torch_dtype="float32")


def wide(base, **other):
    """A config of tests/golden with large sizes; windows shorter than the prompt, so that they count."""
    has_groups = base["model_type"] not in ("gpt_neox", "bert")
    return {**base, **{k: v for k, v in WIDE.items() if has_groups or k != "num_key_value_heads"}, **other}


GPT2 = dict(make.GPT2, vocab_size=VOCABULARY, n_embd=1600, n_layer=32, n_head=25, n_positions=1024, n_ctx=1024, initializer_range=0.05)
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 1024, "rope_type": "llama3"}
MODELS = {
    "gpt2": GPT2,
    "gpt_neox": wide(make.NEOX, intermediate_size=8192),
    "llama": wide(make.LLAMA, rope_theta=500000.0, rope_scaling=LLAMA3),
    "mistral": wide(make.MISTRAL, sliding_window=8),
    "mixtral": wide(make.MIXTRAL, num_hidden_layers=6, num_local_experts=4),
    "qwen2": wide(make.QWEN2),
    "qwen3": wide(make.QWEN3, head_dim=128, num_attention_heads=16),
    "gemma": wide(make.GEMMA, head_dim=256, num_attention_heads=8, num_key_value_heads=1),
    "gemma2": wide(make.GEMMA2, head_dim=256, num_attention_heads=8, num_key_value_heads=4, sliding_window=8, attn_logit_softcapping=50.0,
                   final_logit_softcapping=30.0, query_pre_attn_scalar=256),
    "gemma3": wide(make.GEMMA3, head_dim=256, num_attention_heads=8, num_key_value_heads=4, sliding_window=8, query_pre_attn_scalar=256,
                   sliding_window_pattern=6),
    "phi3": wide(make.PHI3, original_max_position_embeddings=2048),
    "olmo2": wide(make.OLMO2, num_key_value_heads=32),
    "bert": wide(make.BERT, hidden_size=1536, num_hidden_layers=32, num_attention_heads=24, intermediate_size=6144, max_position_embeddings=512),
}


def save(name, folder):
    config = dict(MODELS[name])
    kind = transformers.AutoConfig.for_model(**config)
    auto = transformers.AutoModelForMaskedLM if name == "bert" else transformers.AutoModelForCausalLM
    torch.manual_seed(1)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = auto.from_config(kind, attn_implementation="eager", dtype=torch.float32).eval()
    model.save_pretrained(folder, max_shard_size="2GB")
    tokens = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
              "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
              "model": {"type": "WordLevel", "vocab": {"w%d" % i: i for i in range(VOCABULARY)}, "unk_token": "w0"}}
    with open(os.path.join(folder, "tokenizer.json"), "w") as f:
        json.dump(tokens, f)
    return model


def answers(model, is_causal):
    ids = torch.tensor([WORDS], device=model.device)
    with torch.no_grad():
        said = model(ids, output_attentions=True)
    attention = torch.stack([a[0, :, -1, :] for a in said.attentions]).cpu()  # layers x heads x positions
    greedy = []
    if is_causal:
        written = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=NEW, pad_token_id=0)
        greedy = written[0].tolist()[len(WORDS):]
    return said.logits[0].float().cpu(), attention, greedy


def errors(ours, prompt, logits, attention):
    """How far logits (relative) and attention of the last position are off."""
    got = torch.tensor(ours.logits(prompt))
    seen = torch.tensor([[head[-1] for head in layer["heads"]] for layer in ours.look(prompt).data["attention"]])
    return (got - logits).abs().max().item() / logits.abs().max().item(), (seen - attention).abs().max().item()


def errors_somewhere(ours, prompt, logits, attention):
    """The same at 48 random places each. BERT: nothing comes next, so numbers have to be asked for one by one."""
    ours.prompt(prompt)
    random.seed(1)
    off = [0, 0]
    for _ in range(48):
        row, word = random.randrange(logits.shape[0]), random.randrange(logits.shape[1])
        off[0] = max(off[0], abs(ours.value("logits[%d][%d]" % (row, word)) - logits[row, word].item()))
        layer, head, place = (random.randrange(n) for n in attention.shape)
        mine = ours.value("h[%d].H.P{head %d}[%d][%d]" % (layer, head, len(WORDS) - 1, place))
        off[1] = max(off[1], abs(mine - attention[layer, head, place].item()))
    return off[0] / logits.abs().max().item(), off[1]


def compare(name, folder):
    model = save(name, folder)
    millions = sum(p.numel() for p in model.parameters()) / 1e6
    logits, attention, greedy = answers(model, name != "bert")
    del model
    torch.cuda.empty_cache()
    prompt = " ".join("w%d" % i for i in WORDS)
    ours = longhand.load(folder)
    error, off = (errors_somewhere if name == "bert" else errors)(ours, prompt, logits, attention)
    start = time.time()
    ours.explain("h[2].H.P{head 1}[9][3]")
    explained = time.time() - start
    same = "`look` guesses hidden words"
    if name != "bert":
        written = [int(w[1:]) for w in ours.generate(prompt, NEW, greedy=True).split()]
        greedy = greedy[:greedy.index(2)] if 2 in greedy else greedy  # the end of a text is not written
        same = "same, %d tokens" % len(greedy) if written == greedy else "%s, not %s" % (written, greedy)
    return "| %s | %.0f million | %.1e | %.1e | %s | %.2f s |" % (name, millions, error, off, same, explained)


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    print("| family | weights | logits | attention | greedy | explain |\n| --- | --- | --- | --- | --- | --- |")
    for name in sys.argv[2:] or MODELS:
        folder = os.path.join(sys.argv[1], name)
        try:
            print(compare(name, folder), flush=True)
        except Exception as x:
            print("| %s | %r |" % (name, x), flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
