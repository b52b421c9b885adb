#!/usr/bin/env python3
"""Does Hugging Face transformers read what Longhand saves? Two halves, since the second needs torch and transformers:

    python3 scripts/models_saved.py make BUILD FOLDER         folders that train, --lora and merge saved, and what Longhand says of them
    python3 scripts/models_saved.py check FOLDER > scripts/models_saved.json          opens each with transformers and compares

A folder must load without one warning, and ids, decoded text, logits and greedy text must agree. scripts/models_table.py puts what was found
into docs/models.md.
"""
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GOLDEN = os.path.join(ROOT, "tests", "golden", "models")
LETTERS = "\n abcdefghijklmnopqrs"  # with three special tokens: the 24 tokens of the golden models
SPECIAL = ["<pad>", "<s>", "</s>"]
QWEN = ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|"
        "\\s+(?!\\S)|\\s+")  # how its folders split: transformers builds Qwen2's tokeniser so, whatever the folder says
PROMPTS = ["abc de", "bad dog", "q\nr s"]
NEW = 8  # tokens to write
OWN = ["gpt", "llama", "qwen", "mistral", "gemma", "mixture"]
TUNED = ["gpt2", "llama3", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "phi3", "olmo2", "neox"]


# ---- make ----

def text():
    words, state, out = [], 1, []
    for _ in range(60 + 120 * 8):
        state = (state * 1103515245 + 12345) % 2 ** 31
        if len(words) < 60:
            words.append("".join(LETTERS[2 + (state >> 5 * k) % 19] for k in range(1 + state % 6)))
        else:
            out.append(words[(state >> 8) % 60])
    return "\n".join(" ".join(out[i:i + 8]) for i in range(0, len(out), 8)) + "\n"


def tokenizer(is_qwen):
    special = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
               for i, t in enumerate(SPECIAL)]
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
             "vocab": {t: i for i, t in enumerate(SPECIAL + list("\u010a\u0120" + LETTERS[2:] if is_qwen else LETTERS))}, "merges": []}
    split = {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": QWEN}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}]}
    decoder = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False} if is_qwen else {"type": "Fuse"}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": {"type": "NFC"} if is_qwen else None,
            "pre_tokenizer": split if is_qwen else None, "post_processor": None, "decoder": decoder, "model": model}


def longhand(build, *words):
    done = subprocess.run([os.path.join(build, "longhand"), *words], capture_output=True)
    if done.returncode:
        sys.exit("longhand %s: %s" % (" ".join(words), done.stderr.decode()))
    return done.stdout.decode(errors="replace")


def make_base(name, folder):
    sys.path.insert(0, os.path.join(ROOT, "scripts"))
    import models_table
    with open(os.path.join(GOLDEN, name + ".json")) as f:
        golden = json.load(f)
    golden["config"].update(pad_token_id=0, bos_token_id=1, eos_token_id=2)
    is_qwen = name.startswith("qwen2") and "letters" not in folder
    with open("tokenizer.json", "w") as f:
        json.dump(tokenizer(is_qwen), f)
    models_table.write_folder(golden, folder, "tokenizer.json")


def saved_folders(build):
    train = ["--data", "text.txt", "--batch", "2"]
    for name in sorted(f[:-5] for f in os.listdir(GOLDEN) if not f.startswith("bert")):
        make_base(name, "base/" + name)
        longhand(build, "train", "base/" + name, *train, "--steps", "2", "--set", "steps=10", "-o", "saved/" + name)
    make_base("qwen2", "base/qwen2-letters")
    longhand(build, "train", "base/qwen2-letters", *train, "--steps", "2", "-o", "saved/qwen2-letters")
    for name in OWN:
        longhand(build, "train", name, *train, "--steps", "2", "-o", "saved/new-" + name)
    for tokens in ("bpe:280", "word"):
        for name in OWN:
            longhand(build, "train", name, *train, "--tokens", tokens, "--steps", "60", "--rate", "0.01",
                     "-o", "saved/%s-%s" % (name, tokens.split(":")[0]))
    for name in TUNED:
        longhand(build, "train", "saved/" + name, "--lora", "2", *train, "--steps", "20", "--rate", "0.02", "-o", "saved/adapter-" + name)
        longhand(build, "merge", "saved/adapter-" + name, "-o", "saved/merged-" + name)


def expected(build, path, module):
    out = []
    model = module.load(path)
    context = 16 if "longrope" in path or "gpt" in path else 32
    prompts = PROMPTS if "-word" not in path else [" ".join(l.split()[:2]) for l in open("text.txt").readlines()[:3]]
    for p in prompts:
        ids = [int(x) for x in longhand(build, "tokens", "encode", path, p, "--ids").split()]
        new = min(NEW, context - len(ids))
        greedy = longhand(build, "sample", path, "-i", p, "-n", str(new), "-t", "0")
        out.append({"prompt": p, "ids": ids, "new": new, "logits": model.logits(p), "greedy": greedy[:-1]})
    return out


def make(build, folder):
    build = os.path.abspath(build)
    os.environ["LONGHAND_LIBRARY"] = os.path.join(build, "liblonghand.so")
    sys.path.insert(0, os.path.join(ROOT, "python"))
    import longhand as module
    os.makedirs(folder + "/base")
    os.makedirs(folder + "/saved")
    os.chdir(folder)
    with open("text.txt", "w") as f:
        f.write(text())
    saved_folders(build)
    for name in sorted(os.listdir("saved")):
        with open("saved/%s/expected.json" % name, "w") as f:
            json.dump(expected(build, "saved/" + name, module), f)
        for file in os.listdir("saved/" + name):
            if file.startswith("optimizer") or file == "log.jsonl":
                os.remove("saved/%s/%s" % (name, file))
    shutil.rmtree("base")


# ---- check ----

def open_model(root, name):
    import torch
    from transformers import AutoModelForCausalLM
    path = os.path.join(root, name)
    how = {"dtype": torch.float32}
    if "gemma" in name:  # its usual way, sdpa, leaves out the soft cap of the scores
        how["attn_implementation"] = "eager"
    if not name.startswith("adapter-"):
        return AutoModelForCausalLM.from_pretrained(path, **how).eval()
    import peft
    base = AutoModelForCausalLM.from_pretrained(os.path.join(root, name[8:]), **how)
    return peft.PeftModel.from_pretrained(base, path).eval()


def open_tokens(path):
    from transformers import AutoTokenizer, PreTrainedTokenizerFast
    if path.endswith("qwen2-letters"):  # AutoTokenizer takes Qwen2Tokenizer, which knows bytes alone
        return PreTrainedTokenizerFast.from_pretrained(path)
    return AutoTokenizer.from_pretrained(path)


def check_one(root, name):
    import torch
    notes, worst, path = [], 0, os.path.join(root, name)
    with open(path + "/expected.json") as f:
        answers = json.load(f)
    tokens, model = open_tokens(path), open_model(root, name)
    for e in answers:
        ids = tokens(e["prompt"], add_special_tokens=False)["input_ids"]
        if ids != e["ids"]:
            notes.append("ids of %r: %s, not %s" % (e["prompt"], ids, e["ids"]))
        if tokens.decode(e["ids"]) != e["prompt"]:
            notes.append("decodes %r as %r" % (e["prompt"], tokens.decode(e["ids"])))
        given = torch.tensor([e["ids"]])
        with torch.no_grad():
            got, want = model(given).logits[0], torch.tensor(e["logits"])
        worst = max(worst, ((got - want).abs().max() / want.abs().max()).item())
        written = model.generate(input_ids=given, attention_mask=torch.ones_like(given), do_sample=False, max_new_tokens=e["new"])
        said = tokens.decode([t for t in written[0].tolist() if t != model.config.eos_token_id])
        if said != e["greedy"]:
            notes.append("writes %r, not %r" % (said, e["greedy"]))
    if not worst < 1e-4:
        notes.append("logits off by %.2g" % worst)
    return {"logits": float("%.1e" % worst), "class": type(tokens).__name__, "notes": notes}


def check(root):
    import logging
    import warnings
    import transformers
    said = []

    class Listener(logging.Handler):
        def emit(self, record):
            if record.levelno >= logging.WARNING:
                said.append(record.getMessage())
    transformers.logging.set_verbosity_warning()
    transformers.logging.disable_default_handler()
    transformers.logging.add_handler(Listener())
    warnings.simplefilter("error")
    found = {"transformers": transformers.__version__, "folders": {}}
    for name in sorted(os.listdir(root)):
        said.clear()
        try:
            found["folders"][name] = check_one(root, name)
        except Exception as x:
            found["folders"][name] = {"logits": None, "notes": [repr(x)[:300]]}
        found["folders"][name]["notes"] += ["warned: " + s for s in said]
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    make(*sys.argv[2:4]) if sys.argv[1] == "make" else check(sys.argv[2])
