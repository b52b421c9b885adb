"""Formulas of the notation as trees: tuples, the operation first."""

import re


class Word(str):
    """A word in quotes."""


PATH = r"[^\W\d]\w*(?:#\d+)?(?:\[\d+\](?=\.))?(?:\.[^\W\d]\w*(?:#\d+)?(?:\[\d+\](?=\.))?)*"
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<name>" + PATH + r")"
    r"|(?P<sign>\^T(?!\w)|==|!=|<=|>=|[-+*/@^<>()\[\],;=]))"
)


class Formula:
    """A reader of one formula: a tree of tuples, the operation first."""

    def __init__(self, text):
        self.text, self.at, self.tokens = text, 0, []
        place = 0
        while place < len(text.rstrip()):
            m = TOKEN.match(text, place)
            if not m:
                raise ValueError("cannot read %r at %d" % (text, place))
            self.tokens.append((m.lastgroup, m.group(m.lastgroup)))
            place = m.end()

    def look(self, k=0):
        return self.tokens[self.at + k][1] if self.at + k < len(self.tokens) else None

    def kind(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def take(self, sign=None):
        if self.at >= len(self.tokens) or (sign and self.look() != sign):
            raise ValueError("%s expected in %r" % (sign, self.text))
        self.at += 1
        return self.tokens[self.at - 1][1]

    def whole(self):
        tree = self.compare()
        if self.at < len(self.tokens):
            raise ValueError("%r is not read to its end" % self.text)
        return tree

    def compare(self):
        left = self.sum()
        if self.look() in ("==", "!=", "<", "<=", ">", ">="):
            sign = self.take()
            return (sign, left, self.sum())
        return left

    def sum(self):
        left = self.term()
        while self.look() in ("+", "-"):
            left = (self.take(), left, self.term())
        return left

    def term(self):
        left = self.unary()
        while self.look() in ("*", "/", "@"):
            left = (self.take(), left, self.unary())
        return left

    def unary(self):
        if self.look() == "-":
            self.take()
            return ("neg", self.unary())
        base = self.postfix()
        if self.look() == "^":
            self.take()
            return ("^", base, self.unary())
        return base

    def postfix(self):
        tree = self.atom()
        while self.look() in ("^T", "["):
            if self.take() == "^T":
                tree = ("T", tree)
            elif self.look() == "]":
                self.take()
                self.take("[")
                tree = ("column", tree, self.compare())
                self.take("]")
            elif self.look() == "last":
                self.take()
                self.take("]")
                tree = ("last", tree)
            else:
                tree = ("row", tree, self.compare())
                self.take("]")
        return tree

    def atom(self):
        if self.kind() == "number":
            return ("number", float(self.take()))
        if self.kind() == "string":
            return ("word", Word(self.take()[1:-1]))
        if self.kind() == "name":
            name = self.take()
            if self.look() != "(":
                return ("name", name)
            return ("call", name) + tuple(self.arguments())
        if self.look() == "[":
            return self.matrix()
        self.take("(")
        tree = self.compare()
        self.take(")")
        return tree

    def arguments(self):
        self.take("(")
        found = []
        while self.look() != ")":
            if self.kind() == "name" and self.look(1) == "=":
                name = self.take()
                self.take("=")
                found.append(("given", name, self.compare()))
            else:
                found.append(self.compare())
            if self.look() == ",":
                self.take()
        self.take(")")
        return found

    def matrix(self):
        rows = [[]]
        self.take("[")
        while self.look() != "]":
            if self.look() == ";":
                self.take()
                rows.append([])
            elif self.look() == ",":
                self.take()
            else:
                sign = -1 if self.look() == "-" and self.take() else 1
                rows[-1].append(sign * float(self.take()))
        self.take("]")
        return ("matrix", rows)


_read = {}


def read(text):
    if text not in _read:
        _read[text] = Formula(text).whole()
    return _read[text]
