"""longhand lsp, spoken to as an editor does. Prints TAP.

    python3 tests/lsp.py build/longhand
"""
import json
import os
import subprocess
import sys

PROGRAM = """size dim = 2
param W : dim x dim = [1 2; 3 4]   # the weights
fn double(a)
  y = a + a
end
X = [1 0; 0 1]
é = X @ W
P = softmax(é)
loss = sum(double(P))
backward loss
W := W - 0.1 * dW
"""

LESSON = """# A lesson

```longhand
A = [1 2]
B = A + A
```

Twice one is {{B[0][0]}}, and {{C[0][0]}} is not there.
"""


class Server:
    def __init__(self, path, encodings=None):
        self.process = subprocess.Popen([path, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.id = 0
        self.heard = []
        general = {"general": {"positionEncodings": encodings}} if encodings else {}
        self.can = self.ask("initialize", {"capabilities": general})["result"]["capabilities"]
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the server is gone")
            if line == b"\r\n":
                return json.loads(self.process.stdout.read(length))
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])

    def ask(self, method, params):
        self.id += 1
        self.send({"id": self.id, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.id:
                return message
            self.heard.append(message)

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def diagnostics(self):
        while True:
            message = self.heard.pop(0) if self.heard else self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                return message["params"]["diagnostics"]

    def open(self, uri, text):
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "longhand", "version": 1, "text": text}})
        return self.diagnostics()

    def change(self, uri, text):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]})
        return self.diagnostics()

    def at(self, method, uri, line, character, **more):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more})


count = failed = 0


def check(name, good, seen=""):
    global count, failed
    count += 1
    if good:
        print(f"ok {count} - {name}")
    else:
        failed = 1
        print(f"not ok {count} - {name}\n# {str(seen)[:2000]!r}")


def apply(text, edits, lines_in=lambda line, c: c):
    """The text after the edits of a client: from the last to the first, so that places stay right."""
    lines = text.split("\n")

    def offset(p):
        line, character = p["line"], p["character"]
        if line >= len(lines):
            return len(text)
        return sum(len(x) + 1 for x in lines[:line]) + lines_in(lines[line], character)

    for e in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        text = text[: offset(e["range"]["start"])] + e["newText"] + text[offset(e["range"]["end"]):]
    return text


def words(message):
    return message["result"]["contents"]["value"] if message["result"] else ""


def main():
    longhand = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.environ.get("LH_BUILD_ROOT", "build"), "longhand")
    s = Server(longhand)
    uri = "file:///tmp/a%20program.lh"
    check("counts in UTF-16 unless both sides can count bytes", s.can["positionEncoding"] == "utf-16")
    check("a program that is right", s.open(uri, PROGRAM) == [])

    hover = words(s.at("hover", uri, 7, 0))
    check("hover: formula, shape and value of a step", "P = softmax(é)" in hover and "2x2" in hover and "0.2689" in hover, hover)
    hover = words(s.at("hover", uri, 1, 6))
    check("hover: a param, with its comment", "dimxdim" in hover.replace(" ", "") or "2x2" in hover, hover)
    check("... its comment", "the weights" in hover, hover)
    check("hover: a function of the prelude", "rowmax(x)" in words(s.at("hover", uri, 7, 6)))
    check("hover: a function of the program", "fn double(a)" in words(s.at("hover", uri, 8, 12)))
    check("hover: an operation", "sum" in words(s.at("hover", uri, 8, 8)))
    check("hover: a gradient", "dW" in words(s.at("hover", uri, 10, 16)))
    check("hover: nothing in a comment", s.at("hover", uri, 1, 45)["result"] is None)

    labels = [x["label"] for x in s.at("completion", uri, 9, 0)["result"]]
    check("completion: names, functions, operations, keywords", {"W", "P", "double", "softmax", "rowmax", "backward"} <= set(labels), labels)
    check("completion: nothing twice", len(labels) == len(set(labels)))

    place = s.at("definition", uri, 8, 18)["result"]["range"]["start"]
    check("definition", place == {"line": 7, "character": 0}, place)
    place = s.at("definition", uri, 7, 12)["result"]["range"]["start"]
    check("definition of a name with a letter of two bytes", place == {"line": 6, "character": 0}, place)
    place = s.at("definition", uri, 10, 16)["result"]["range"]["start"]
    check("definition of a gradient: where its value is made", place["line"] == 1, place)

    edits = s.at("rename", uri, 6, 8, newName="weights")["result"]["changes"][uri]
    text = apply(PROGRAM, edits)
    check("rename: everywhere, the gradient too, not in comments",
          text == PROGRAM.replace("W ", "weights ").replace("dW", "dweights").replace("@ W\n", "@ weights\n"), text)
    check("... and what comes out is a program", s.change(uri, text) == [], text)
    s.change(uri, PROGRAM)
    edits = s.at("rename", uri, 3, 6, newName="b")["result"]["changes"][uri]
    check("rename: a parameter, inside its function alone", apply(PROGRAM, edits) == PROGRAM.replace("double(a)\n  y = a + a", "double(b)\n  y = b + b"))
    edits = s.at("rename", uri, 6, 0, newName="Z")["result"]["changes"][uri]
    check("rename: a name of two bytes", apply(PROGRAM, edits) == PROGRAM.replace("é", "Z"))
    check("rename: what the prelude makes is refused", "error" in s.at("rename", uri, 7, 6, newName="x"))
    check("rename: a name that is taken is refused", "error" in s.at("rename", uri, 6, 8, newName="X"))
    check("rename: no name is refused", "error" in s.at("rename", uri, 6, 8, newName="2x"))
    check("prepareRename: yes and no", s.at("prepareRename", uri, 6, 8)["result"] and not s.at("prepareRename", uri, 7, 6)["result"])

    messy = PROGRAM.replace("  y = a + a", "y=a+a").replace(" = softmax", "=softmax")
    s.change(uri, messy)
    ask = {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}
    edits = s.ask("textDocument/formatting", ask)["result"]
    check("formatting", apply(messy, edits) == PROGRAM, apply(messy, edits))
    s.change(uri, PROGRAM)
    check("formatting: nothing to do", s.ask("textDocument/formatting", ask)["result"] == [])
    folds = s.ask("textDocument/foldingRange", {"textDocument": {"uri": uri}})["result"]
    check("folding", {"startLine": 2, "endLine": 4} in folds, folds)
    names = [x["name"] for x in s.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})["result"]]
    check("symbols", {"dim", "W", "double", "P", "loss"} <= set(names), names)

    wrong = s.change(uri, PROGRAM.replace("é = X @ W", "é = X @ [1 2 3]"))
    check("a wrong shape: one message, where it is, both sides", len(wrong) == 1 and wrong[0]["range"]["start"] == {"line": 6, "character": 4}
          and "2x2" in wrong[0]["message"] and "1x3" in wrong[0]["message"], wrong)
    wrong = s.change(uri, PROGRAM.replace("softmax", "sofmax"))
    check("an unknown name, with its cure", len(wrong) == 1 and "softmax" in wrong[0]["message"], wrong)
    check("what was last right stays known", "softmax(é)" in words(s.at("hover", uri, 7, 0)))
    check("half a line", len(s.change(uri, PROGRAM + "Q = ")) == 1)
    check("an empty text is no mistake", s.change(uri, "") == [])

    lesson = "file:///tmp/lesson.md"
    wrong = s.open(lesson, LESSON)
    check("a lesson: what is wrong, in its line", any(x["range"]["start"]["line"] == 7 and "C" in x["message"] for x in wrong), wrong)
    check("hover in a lesson", "2" in words(s.at("hover", lesson, 4, 0)))
    check("nothing in its prose", s.at("hover", lesson, 7, 1)["result"] is None)
    s.tell("textDocument/didClose", {"textDocument": {"uri": lesson}})
    check("closed: nothing is wrong with it any more", s.diagnostics() == [])

    check("a method that there is not", s.ask("workspace/nothing", {})["error"]["code"] == -32601)
    check("a document that is not open", s.at("hover", "file:///none.lh", 0, 0)["result"] is None)
    check("a place behind the end", s.at("hover", uri, 10000, 10000)["result"] is None)
    s.process.stdin.write(b"Content-Length: 3\r\n\r\n{x}")
    s.process.stdin.flush()
    check("no JSON", s.receive()["error"]["code"] == -32700)
    check("shutdown and exit", s.ask("shutdown", None)["result"] is None)
    s.tell("exit", None)
    check("it ends with 0", s.process.wait(10) == 0)

    b = Server(longhand, ["utf-8", "utf-16"])
    check("bytes where both can", b.can["positionEncoding"] == "utf-8")
    b.open(uri, PROGRAM)
    place = b.at("definition", uri, 7, 13)["result"]["range"]
    check("columns in bytes", place["end"]["character"] - place["start"]["character"] == 2, place)
    b.process.stdin.close()
    check("an editor that is gone: it ends", b.process.wait(10) == 1)
    print(f"1..{count}")
    return failed


sys.exit(main())
