#!/usr/bin/env python3
"""The same GPT in PyTorch, for bench_gpt: one training step, timed.

    python3 bench/torch_gpt.py LAYERS DIM HEADS CONTEXT VOCAB BATCH STEPS THREADS [bf16]

Prints the best seconds of a step, the best of processor time, and the peak memory in bytes. As models/gpt.lh: pre-norm, GELU by tanh, learned
positions, a tied head, AdamW with decay of matrices alone, gradients clipped to length 1.
"""
import math
import resource
import sys
import time

import torch
import torch.nn.functional as F

layers, dim, heads, context, vocab, batch, steps, threads = map(int, sys.argv[1:9])
half = len(sys.argv) > 9 and sys.argv[9] == "bf16"
torch.set_num_threads(threads)
torch.manual_seed(1)


def weight(*shape, scale=0.02):
    return torch.nn.Parameter(torch.randn(*shape) * scale)


def row(n, value):
    return torch.nn.Parameter(torch.full((n,), float(value)))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        small = 0.02 / math.sqrt(2 * layers)
        self.g1, self.b1, self.g2, self.b2 = row(dim, 1), row(dim, 0), row(dim, 1), row(dim, 0)
        self.qkv, self.qkv_b = weight(dim, 3 * dim), row(3 * dim, 0)
        self.out, self.out_b = weight(dim, dim, scale=small), row(dim, 0)
        self.up, self.up_b = weight(dim, 4 * dim), row(4 * dim, 0)
        self.down, self.down_b = weight(4 * dim, dim, scale=small), row(dim, 0)

    def forward(self, x, hidden):
        b, t, _ = x.shape
        n = F.layer_norm(x, (dim,), self.g1, self.b1)
        q, k, v = (n @ self.qkv + self.qkv_b).split(dim, dim=2)
        q, k, v = (m.view(b, t, heads, dim // heads).transpose(1, 2) for m in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(dim // heads)
        weights = F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
        mixed = (weights @ v).transpose(1, 2).reshape(b, t, dim)
        x = x + mixed @ self.out + self.out_b
        n = F.layer_norm(x, (dim,), self.g2, self.b2)
        return x + F.gelu(n @ self.up + self.up_b, approximate="tanh") @ self.down + self.down_b


class Gpt(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = weight(vocab, dim), weight(context, dim)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(layers))
        self.g, self.b = row(dim, 1), row(dim, 0)

    def forward(self, tokens, target):
        t = tokens.shape[1]
        hidden = torch.triu(torch.ones(t, t, dtype=torch.bool), 1)
        x = self.words[tokens] + self.places[:t]
        for block in self.blocks:
            x = block(x, hidden)
        logits = F.layer_norm(x, (dim,), self.g, self.b) @ self.words.T
        return F.cross_entropy(logits.view(-1, vocab), target.view(-1))


model = Gpt()
decayed = [p for p in model.parameters() if p.dim() > 1]
others = [p for p in model.parameters() if p.dim() == 1]
optimiser = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3, betas=(0.9, 0.95))
tokens = torch.randint(vocab, (batch, context))
target = torch.randint(vocab, (batch, context))
best = busy = math.inf
for step in range(steps):
    start, processor = time.perf_counter(), time.process_time()
    if half:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(tokens, target)
    else:
        loss = model(tokens, target)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    if step:
        best = min(best, time.perf_counter() - start)
        busy = min(busy, time.process_time() - processor)
print(best, busy, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
