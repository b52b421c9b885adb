"""A model that guesses hidden words (BERT): `longhand look FOLDER --prompt '... [MASK] ...'` has what transformers has.

    python3 tests/hidden_words.py LONGHAND GOLDEN

GOLDEN: tests/golden/models. The token that is twice in the golden prompt is the one that hides words.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden"))
import golden_weights

longhand, golden = os.path.abspath(sys.argv[1]), json.load(open(os.path.join(sys.argv[2], "bert.json")))
MASK = 1
passed = failed = 0


def verdict(name, is_so, why=""):
    global passed, failed
    passed, failed = passed + bool(is_so), failed + (not is_so)
    print("ok" if is_so else "not ok", passed + failed, "-", name, "" if is_so else why)


def write_folder(folder, mask):
    golden_weights.write(golden, folder)
    words = [mask if i == MASK else f"w{i}" for i in range(golden["config"]["vocab_size"])]
    tokenizer = {"version": "1.0", "normalizer": None, "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
                 "added_tokens": [{"id": MASK, "content": mask, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                                   "special": True}],
                 "model": {"type": "WordPiece", "unk_token": "w0", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                           "vocab": {w: i for i, w in enumerate(words)}}}
    with open(os.path.join(folder, "tokenizer.json"), "w") as f:
        json.dump(tokenizer, f)
    return " ".join(words[t] for t in golden["tokens"])


def run(*arguments):
    return subprocess.run([longhand, *arguments], capture_output=True, text=True)


def softmax(row):
    e = [math.exp(x - max(row)) for x in row]
    return [x / sum(e) for x in e]


def agrees(found, row):
    p = softmax(row)
    best = sorted(range(len(p)), key=lambda i: -p[i])
    return [w["id"] for w in found] == best[:len(found)] and all(abs(w["probability"] - p[w["id"]]) < 1e-5 for w in found)


with tempfile.TemporaryDirectory() as folder:
    for mask in "<mask>", "[MASK]":
        prompt = write_folder(folder, mask)
        told = run("look", folder, "--prompt", prompt, "--json")
        verdict(f"look with {mask}", told.returncode == 0, told.stderr)
        data = json.loads(told.stdout or "{}")
        verdict("the prompt as its tokens", [t["id"] for t in data.get("tokens", [])] == golden["tokens"], data.get("tokens"))
        hidden = data.get("hidden", [])
        places = [i for i, t in enumerate(golden["tokens"]) if t == MASK]
        verdict("every hidden word", [h["token"] for h in hidden] == places and len(places) == 2, hidden)
        for h in hidden:
            verdict(f"the words that transformers has, token {h['token']}", agrees(h["words"], golden["logits"][h["token"]]), h["words"])
            verdict("the last layer says what the model says", h["layers"][-1]["words"] == h["words"] or
                    agrees(h["layers"][-1]["words"], golden["logits"][h["token"]]), h["layers"][-1])
        verdict("layers differ from place to place", hidden[0]["layers"] != hidden[1]["layers"])
        verdict("both ways", data["attention"][0]["heads"][0][0][9] > 0.01, data["attention"][0])

    screen = run("look", folder, "--prompt", prompt)
    verdict("on the screen", screen.returncode == 0 and "The hidden word, token 1\n" in screen.stdout and
            "The hidden word, token 3\n" in screen.stdout and "would say for token 3" in screen.stdout, screen.stdout + screen.stderr)
    pictures = os.path.join(folder, "pictures")
    verdict("pictures", run("look", folder, "--prompt", prompt, "-o", pictures).returncode == 0 and
            sorted(os.listdir(pictures)) == ["attention0.svg", "attention1.svg", "hidden1.svg", "hidden3.svg"])
    rounded = run("look", folder, "--prompt", prompt, "--precision", "int8", "--json")
    verdict("in int8", rounded.returncode == 0 and len(json.loads(rounded.stdout)["hidden"]) == 2, rounded.stderr)
    none = run("look", folder, "--prompt", "w3 w4")
    verdict("nothing hidden: refused, with the cure", none.returncode == 2 and "no word of the prompt is hidden" in none.stderr and
            "[MASK]" in none.stderr, none.stderr)
    number = run("explain", folder, "--prompt", prompt, "logits[1][3]", "--json")
    verdict("a number of it", number.returncode == 0 and abs(json.loads(number.stdout)["value"] - golden["logits"][1][3]) < 1e-4,
            number.stdout + number.stderr)
    sample = run("sample", folder, "--prompt", prompt)
    verdict("sample says which command it is", sample.returncode == 2 and "longhand look" in sample.stderr, sample.stderr)

print(f"1..{passed + failed}")
sys.exit(failed > 0)
