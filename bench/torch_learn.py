#!/usr/bin/env python3
"""Does a GPT that Longhand trained know as much as one that PyTorch trained from the same first weights?

    longhand train gpt --data TEXT --set layers=6 dim=384 heads=6 context=256 --steps 1 --rate 1e-30 -o first
    longhand train gpt --data TEXT --set layers=6 dim=384 heads=6 context=256 --steps 250 -o ours
    python3 bench/torch_learn.py TEXT first 250 12 ours [MORE ...]

Trains the weights of `first` for so many steps with so many examples in a batch, as models/gpt.lh does: AdamW, decay of matrices
alone, warm-up and half a wave, gradients clipped to length 1. Then it works out the loss on the last tenth of the text, which
nobody learned from: of its own model and of each folder, with the same code.
"""
import json
import math
import struct
import sys
import time

import torch
import torch.nn.functional as F

text_path, first, steps, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
others = sys.argv[5:]
torch.set_num_threads(2)
torch.manual_seed(1)


def tensors(folder):
    with open(folder + "/model.safetensors", "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        body = bytearray(f.read())
    out = {}
    for name, t in header.items():
        if name != "__metadata__":
            part = memoryview(body)[slice(*t["data_offsets"])]
            out[name] = torch.frombuffer(part, dtype=torch.float32).reshape(t["shape"]).clone()
    return out


def numbers(folder, text):
    with open(folder + "/tokenizer.json") as f:
        vocab = json.load(f)["model"]["vocab"]
    return torch.tensor([vocab[c] for c in text])


with open(first + "/config.json") as f:
    config = json.load(f)
layers, heads, context = config["n_layer"], config["n_head"], config["n_positions"]
with open(text_path) as f:
    text = f.read()
words = numbers(first, text)
held = len(words) // 10
learned, held_out = words[:-held], words[-held:]


def logits(w, tokens):
    b, t = tokens.shape
    hidden = torch.triu(torch.ones(t, t, dtype=torch.bool), 1)
    x = w["wte.weight"][tokens] + w["wpe.weight"][:t]
    dim = x.shape[2]
    for i in range(layers):
        p = f"h.{i}."
        n = F.layer_norm(x, (dim,), w[p + "ln_1.weight"].flatten(), w[p + "ln_1.bias"].flatten())
        q, k, v = (n @ w[p + "attn.c_attn.weight"] + w[p + "attn.c_attn.bias"]).split(dim, dim=2)
        q, k, v = (m.view(b, t, heads, dim // heads).transpose(1, 2) for m in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(dim // heads)
        y = (F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1) @ v).transpose(1, 2).reshape(b, t, dim)
        x = x + y @ w[p + "attn.c_proj.weight"] + w[p + "attn.c_proj.bias"]
        n = F.layer_norm(x, (dim,), w[p + "ln_2.weight"].flatten(), w[p + "ln_2.bias"].flatten())
        up = F.gelu(n @ w[p + "mlp.c_fc.weight"] + w[p + "mlp.c_fc.bias"], approximate="tanh")
        x = x + up @ w[p + "mlp.c_proj.weight"] + w[p + "mlp.c_proj.bias"]
    return F.layer_norm(x, (dim,), w["ln_f.weight"].flatten(), w["ln_f.bias"].flatten()) @ w["wte.weight"].T


def loss_of(w, at, text):
    tokens = torch.stack([text[i:i + context] for i in at])
    target = torch.stack([text[i + 1:i + 1 + context] for i in at])
    return F.cross_entropy(logits(w, tokens).flatten(0, 1), target.flatten())


@torch.no_grad()
def held_out_loss(w):
    places = list(range(0, len(held_out) - context - 1, context))
    groups = [places[i:i + batch] for i in range(0, len(places), batch)]
    return sum(loss_of(w, g, held_out).item() * len(g) for g in groups) / len(places)


for folder in others:
    print(f"{folder}: {held_out_loss(tensors(folder)):.4f}", flush=True)

w = {name: t.requires_grad_() for name, t in tensors(first).items()}
matrices = [t for t in w.values() if t.shape[0] > 1 and t.dim() > 1]
rows = [t for t in w.values() if not (t.shape[0] > 1 and t.dim() > 1)]
optimiser = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": rows, "weight_decay": 0.0}],
                              lr=1e-3, betas=(0.9, 0.95))
start = time.time()
for step in range(steps):
    rate = 1e-3 * min(1, (step + 1) / 10) * 0.5 * (1 + math.cos(math.pi * step / steps))
    for group in optimiser.param_groups:
        group["lr"] = rate
    loss = loss_of(w, torch.randint(len(learned) - context - 1, (batch,)).tolist(), learned)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(w.values()), 1.0)
    optimiser.step()
    if step % 25 == 24:
        print(f"step {step + 1}: {loss.item():.4f}, {time.time() - start:.0f} s", flush=True)
print(f"PyTorch: {held_out_loss(w):.4f}")
