"""page-model.py NAME TEXT FOLDER OUT: a text and a model folder as scripts of a page, OUT/NAME.js and OUT/NAME-model.js."""
import base64
import json
import struct
import sys
from pathlib import Path

name, text, folder, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4])


def bf16(weights):
    """The upper halves of floats, rounded to the nearest."""
    halves = []
    for (bits,) in struct.iter_unpack("<I", weights):
        halves.append((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF)
    return struct.pack(f"<{len(halves)}H", *halves)


def halved(data):
    """A safetensors file of floats as one of bf16; of its metadata the program and its settings."""
    length = struct.unpack("<Q", data[:8])[0]
    header, numbers, at, parts = json.loads(data[8 : 8 + length]), data[8 + length :], 0, []
    kept = ("longhand.program", "longhand.step", "longhand.seed", "longhand.position")
    new = {"__metadata__": {k: v for k, v in header.pop("__metadata__").items() if k in kept or k.startswith("longhand.set.")}}
    for key, entry in header.items():
        start, end = entry["data_offsets"]
        part = bf16(numbers[start:end])
        new[key] = {"dtype": "BF16", "shape": entry["shape"], "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text_of_header = json.dumps(new, separators=(",", ":")).encode()
    text_of_header += b" " * (-len(text_of_header) % 8)
    return struct.pack("<Q", len(text_of_header)) + text_of_header + b"".join(parts)


files = {"model.safetensors": halved((folder / "model.safetensors").read_bytes())}
for file in ("config.json", "tokenizer.json"):
    files[file] = json.dumps(json.loads((folder / file).read_text()), ensure_ascii=False, separators=(",", ":")).encode()
packed = {file: base64.b64encode(data).decode() for file, data in files.items()}
(out / f"{name}-model.js").write_text(f"longhandModel({json.dumps(name)},{json.dumps(packed)});\n")
(out / f"{name}.js").write_text(f"longhandText({json.dumps(name + '.txt')},{json.dumps(text.read_text())});\n")
