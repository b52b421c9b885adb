"""The weights of the golden models, by a formula, and a folder that has them.

    golden = json.load(open("tests/golden/models/bert.json"))
    golden_weights.write(golden, folder)                     config.json and model.safetensors
"""
import json
import math
import os
import struct


def mixed(x):
    """A hash of 32 bits to one of 32 bits."""
    x ^= x >> 15
    x = x * 2246822519 & 0xFFFFFFFF
    x ^= x >> 13
    x = x * 3266489917 & 0xFFFFFFFF
    return x ^ x >> 16


def numbers(name, shape):
    """The weights of a tensor: from -0.5 to 0.5 and exact in float; of a norm from 0.75 to 1.25."""
    h = 2166136261
    for c in name.encode():
        h = (h ^ c) * 16777619 & 0xFFFFFFFF
    for i in range(math.prod(shape)):
        u = (mixed(h + i * 2654435761 & 0xFFFFFFFF) >> 8) / 16777216 - 0.5
        yield u if len(shape) > 1 else 1 + u / 2 if name.endswith("weight") else u / 2


def write(golden, folder):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, shape in golden["tensors"].items():
        cells = struct.pack(f"<{math.prod(shape)}f", *numbers(name, shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(cells)]}
        data += cells
    head = json.dumps(header).encode()
    with open(os.path.join(folder, "model.safetensors"), "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head + data)
    with open(os.path.join(folder, "config.json"), "w") as f:
        json.dump(golden["config"], f)
