#!/usr/bin/env python3
"""Writes the table at the end of docs/models.md again: which model folders open, and what was found with each.

    python3 scripts/models_table.py BUILD

Every line is one file of tests/golden/models. A folder is made of it with the weights of its formula, then `longhand program`,
`explain`, `train --init` and `sample` are run on it, and tests/test_families says how far logits, attention and greedy text are off.
What transformers made of the folders that were saved is in models_saved.json, which scripts/models_saved.py wrote.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
import golden_weights

GOLDEN = os.path.join(ROOT, "tests", "golden", "models")
BESIDES = """
The same check for folders that were trained from a program in `models/` (`new-` with characters as tokens, `-bpe` and `-word` with those tokens), for adapters that `train --lora`
wrote, opened with PEFT on top of their base model, and for what `merge` made of the adapters:

| saved | logits there | greedy | tokeniser |
| --- | --- | --- | --- |
"""
TEXT = "a rose is a rose is a rose\nsee the sea and the tree\n" * 20


def write_folder(golden, folder, tokenizer):
    os.makedirs(folder)
    golden_weights.write(golden, folder)
    shutil.copy(tokenizer, folder)


def run(*words, cwd):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=120)


def answer(done):
    return "yes" if done.returncode == 0 else "no: " + (done.stderr.strip().splitlines() or ["?"])[0][:80]


def line(name, golden, longhand, work, errors):
    folder = os.path.join(work, name)
    write_folder(golden, folder, os.path.join(work, "letters", "tokenizer.json"))
    is_encoder = golden["config"]["model_type"] == "bert"
    program = run(longhand, "program", name, cwd=work)
    with open(os.path.join(work, name + ".lh"), "w") as f:
        f.write(program.stdout)
    cells = [name, golden["config"]["model_type"], answer(program), errors.get(name, ("not run", ""))[0],
             errors.get(name, ("", "not run"))[1],
             "`look` guesses hidden words" if is_encoder else "same, %d tokens" % len(golden["greedy"])]
    cells.append(answer(run(longhand, "explain", name, "--prompt", "a rose", "h[1].H.P{head 1}[3][1]", cwd=work)))
    if is_encoder:
        return cells + ["in the notation; `train` reads running text only", "not written by `train`", "nothing to read", "WordPiece, golden"]
    out = os.path.join(work, name + "-trained")
    cells.append(answer(run(longhand, "train", name + ".lh", "--init", name, "--data", "text.txt", "--steps", "3",
                            "--batch", "2", "-o", out, cwd=work)))
    saved = "not written"
    if os.path.exists(os.path.join(out, "config.json")):
        with open(os.path.join(out, "config.json")) as f:
            saved = json.load(f)["model_type"]
        again = run(longhand, "sample", out, "-n", "5", cwd=work)
        saved += "" if again.returncode == 0 else ", " + answer(again)
    return cells + [saved] + in_transformers(name)


def found_there():
    with open(os.path.join(ROOT, "scripts", "models_saved.json")) as f:
        return json.load(f)["folders"]


def in_transformers(name):
    """What transformers said of the saved folder: logits and greedy text, and ids and text of its tokeniser."""
    found = found_there().get(name)
    if not found:
        return ["not run", "not run"]
    if found["logits"] is None:
        return ["no: " + found["notes"][0][:80], "not reached"]
    words = [n for n in found["notes"] if n.startswith(("ids", "decodes"))]
    others = [n for n in found["notes"] if n not in words]
    said = " (warns, as the folder that it began from does)" if others and all(n.startswith("warned") for n in others) else ""
    return ["%.1e%s" % (found["logits"], said if said or not others else ", " + others[0][:80]), words[0][:80] if words else "same"]


def others():
    """Folders that began with a program of ours, adapters, and what was merged."""
    golden = {f[:-5] for f in os.listdir(GOLDEN)}
    lines = [BESIDES]
    for name, found in sorted(found_there().items()):
        if name in golden:
            continue
        logits, tokens = in_transformers(name)
        written = [n for n in found["notes"] if n.startswith("writes")]
        lines.append("| %s | %s | %s | %s |\n" % (name, logits, written[0][:80] if written else "same", tokens))
    return "".join(lines)


def measured(build):
    done = run(os.path.join(build, "tests", "test_families"), cwd=ROOT)
    found = {}
    for m in re.finditer(r"# (\S+)\.json +(?:config|saved) +logits (\S+), fast (\S+), attention (\S+)", done.stdout):
        worst = max(float(m[2]), float(m[3]), float(found.get(m[1], ("0",))[0]))
        found[m[1]] = (f"{worst:.1e}", m[4])
    return found


def main():
    build = os.path.abspath(sys.argv[1])
    longhand = os.path.join(build, "longhand")
    errors = measured(build)
    rows = []
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "text.txt"), "w") as f:
            f.write(TEXT)
        run(longhand, "train", "gpt", "--data", "text.txt", "--steps", "1", "-o", "letters", cwd=work)
        for file in sorted(os.listdir(GOLDEN)):
            with open(os.path.join(GOLDEN, file)) as f:
                rows.append(line(file[:-5], json.load(f), longhand, work, errors))
    path = os.path.join(ROOT, "docs", "models.md")
    with open(path) as f:
        text = f.read()
    head = text.index("\n", text.index("| --- |", text.index("| model |"))) + 1
    with open(path, "w") as f:
        f.write(text[:head] + "".join("| " + " | ".join(r) + " |\n" for r in rows) + others())


if __name__ == "__main__":
    main()
