#!/usr/bin/env python3
"""The same models in PyTorch on a GPU, compiled, for bench/gpu.sh: steps of training in bf16, timed.

    python3 bench/torch_gpu.py gpt LAYERS DIM HEADS CONTEXT VOCAB BATCH STEPS [graphs]
    python3 bench/torch_gpu.py llama LAYERS DIM HEADS CONTEXT VOCAB BATCH STEPS [graphs] KEYS HIDDEN

Weights in float, autocast to bf16, attention by scaled_dot_product_attention, AdamW fused, gradients clipped to length 1. Prints the middle step, tokens in a
second and the peak memory. graphs: torch.compile with mode="reduce-overhead".
"""
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F

kind = sys.argv[1]
layers, dim, heads, context, vocab, batch, steps = map(int, sys.argv[2:9])
graphs = "graphs" in sys.argv[9:]
rest = [int(a) for a in sys.argv[9:] if a != "graphs"]
keys, hidden = rest if rest else (heads, 4 * dim)
torch.manual_seed(1)
torch.set_float32_matmul_precision("high")


def turned(x, cosine, sine):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.is_llama = kind == "llama"
        norm = (lambda: torch.nn.RMSNorm(dim)) if self.is_llama else (lambda: torch.nn.LayerNorm(dim))
        each = dim // heads
        self.n1, self.n2 = norm(), norm()
        self.qkv = torch.nn.Linear(dim, dim + 2 * keys * each, bias=not self.is_llama)
        self.out = torch.nn.Linear(dim, dim, bias=not self.is_llama)
        self.up = torch.nn.Linear(dim, hidden * (2 if self.is_llama else 1), bias=not self.is_llama)
        self.down = torch.nn.Linear(hidden, dim, bias=not self.is_llama)

    def forward(self, x, cosine, sine):
        b, t, _ = x.shape
        each = dim // heads
        q, k, v = self.qkv(self.n1(x)).split([dim, keys * each, keys * each], dim=2)
        q = q.view(b, t, heads, each).transpose(1, 2)
        k, v = (m.view(b, t, keys, each).transpose(1, 2) for m in (k, v))
        if self.is_llama:
            q, k = turned(q, cosine, sine), turned(k, cosine, sine)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=keys != heads)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, dim))
        h = self.up(self.n2(x))
        if self.is_llama:
            a, c = h.chunk(2, -1)
            h = F.silu(a) * c
        else:
            h = F.gelu(h, approximate="tanh")
        return x + self.down(h)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(vocab, dim)
        self.places = torch.nn.Embedding(context, dim) if kind == "gpt" else None
        self.blocks = torch.nn.ModuleList(Block() for _ in range(layers))
        self.norm = torch.nn.LayerNorm(dim) if kind == "gpt" else torch.nn.RMSNorm(dim)
        self.head = torch.nn.Linear(dim, vocab, bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                torch.nn.init.normal_(p, std=0.02)
        if kind == "gpt":
            self.head.weight = self.words.weight
        half = dim // heads // 2
        angle = torch.arange(context)[:, None] * 10000 ** (-torch.arange(half) / half)[None]
        self.register_buffer("cosine", torch.cos(angle))
        self.register_buffer("sine", torch.sin(angle))

    def forward(self, tokens, target):
        x = self.words(tokens)
        if self.places is not None:
            x = x + self.places.weight[: tokens.shape[1]]
        cosine, sine = self.cosine.to(torch.bfloat16), self.sine.to(torch.bfloat16)
        for block in self.blocks:
            x = block(x, cosine, sine)
        return F.cross_entropy(self.head(self.norm(x)).view(-1, vocab), target.view(-1))


model = Model().cuda()
decayed = [p for p in model.parameters() if p.dim() > 1]
others = [p for p in model.parameters() if p.dim() == 1]
optimiser = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3, betas=(0.9, 0.95), fused=True)
run = torch.compile(model, mode="reduce-overhead" if graphs else None)
tokens = torch.randint(vocab, (batch, context), device="cuda")
target = torch.randint(vocab, (batch, context), device="cuda")
took = []
for step in range(steps + 8):
    torch.cuda.synchronize()
    start = time.perf_counter()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = run(tokens, target)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    torch.cuda.synchronize()
    if step >= 8:
        took.append(time.perf_counter() - start)
middle = statistics.median(took)
print(f"{1e3 * middle:9.3f} ms  {batch * context / middle:10.0f} tokens/s  memory {torch.cuda.max_memory_allocated() / 2**30:.2f} GiB  loss {loss.item():.6f}")
