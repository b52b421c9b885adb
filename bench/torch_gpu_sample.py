#!/usr/bin/env python3
"""GPT in PyTorch on a GPU writes a text, for bench/gpu.sh: one token at a time in bf16, keys and values in a static cache, compiled with CUDA graphs.

    python3 bench/torch_gpu_sample.py LAYERS DIM HEADS CONTEXT VOCAB PROMPT TOKENS

The likeliest token is taken, on the GPU, and stays there: nobody waits for it. Prints microseconds a token and tokens a second.
"""
import sys
import time

import torch
import torch.nn.functional as F

layers, dim, heads, context, vocab, prompt, tokens = map(int, sys.argv[1:8])
torch.manual_seed(1)
each = dim // heads


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = torch.nn.LayerNorm(dim), torch.nn.LayerNorm(dim)
        self.qkv, self.out = torch.nn.Linear(dim, 3 * dim), torch.nn.Linear(dim, dim)
        self.up, self.down = torch.nn.Linear(dim, 4 * dim), torch.nn.Linear(4 * dim, dim)
        self.register_buffer("k", torch.zeros(1, heads, context, each))
        self.register_buffer("v", torch.zeros(1, heads, context, each))

    def forward(self, x, place, mask):
        t = x.shape[1]
        q, k, v = (m.view(1, t, heads, each).transpose(1, 2) for m in self.qkv(self.n1(x)).split(dim, dim=2))
        self.k[:, :, place] = k
        self.v[:, :, place] = v
        y = F.scaled_dot_product_attention(q, self.k, self.v, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).reshape(1, t, dim))
        return x + self.down(F.gelu(self.up(self.n2(x)), approximate="tanh"))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(vocab, dim), torch.nn.Embedding(context, dim)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(layers))
        self.norm = torch.nn.LayerNorm(dim)

    def forward(self, token, place):
        mask = torch.arange(context, device="cuda")[None, :] <= place[:, None]
        x = self.words(token) + self.places(place)
        for block in self.blocks:
            x = block(x, place, mask[None, None])
        return torch.argmax(F.linear(self.norm(x[:, -1:]), self.words.weight), dim=-1)


with torch.inference_mode():
    model = Model().cuda().bfloat16()
    start = time.perf_counter()
    step = torch.compile(model, mode="reduce-overhead", fullgraph=True)
    token = model(torch.randint(vocab, (1, prompt), device="cuda"), torch.arange(prompt, device="cuda"))
    place = torch.tensor([prompt], device="cuda")
    for i in range(8):
        token = step(token, place).clone()
        place = place + 1
    torch.cuda.synchronize()
    compiled = time.perf_counter() - start
    start = time.perf_counter()
    for i in range(tokens):
        token = step(token, place).clone()
        place = place + 1
    torch.cuda.synchronize()
    took = (time.perf_counter() - start) / tokens
print(f"{1e6 * took:9.1f} us a token, {1 / took:.0f} tokens/s; compiled in {compiled:.0f} s")
