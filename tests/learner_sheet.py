"""A worksheet as a learner sees it, and a learner who works it out line by line from what is given on it.

A line is asked for, or stands there because something asked for is worked out from it. A step after an update is worked out
by the same line from renewed weights.
"""

import math
import re

import learner_arithmetic as ar
from learner_arithmetic import Each, Heads


class Finding(Exception):
    """Something that cannot be worked out from the sheet."""


class Line:
    def __init__(self, path, formula, asked, is_last_line, order):
        self.is_update = path.endswith(":=")
        self.key = path
        self.path = path[:-2] if self.is_update else path
        self.formula, self.tree = formula, ar.read(formula)
        self.asked = asked  # the entry of the sheet under which it stands
        self.is_last_line = is_last_line  # of a call: its names are those of the call's own lines
        self.order = order
        self.found = {}
        self.reads_new = False


def parents(path, is_own):
    """h[0].A, h[0] and the program itself, for h[0].A.S."""
    chain = [path] if is_own else []
    while "." in path:
        path = path.rsplit(".", 1)[0]
        chain.append(path)
    return chain + [""]


# ---- what is given ----


def words_of(text):
    return [w[1:-1] if w.startswith('"') else w for w in re.findall(r'"[^"]*"|\S+', text)]


class Given:
    """Vocabularies, sizes, inputs with their examples, and numbers."""

    def __init__(self, sheet):
        self.vocabulary, self.sizes, self.numbers = {}, {}, {}
        self.kind_of = {"tokens": "vocab", "target": "vocab"}
        self.inputs = {}
        self.last = "vocab"
        for entry in sheet["given"]:
            if "numbers" in entry:
                self.add_numbers(entry)
            else:
                self.add_line(entry["line"])
        for name, values in self.inputs.items():
            self.numbers[name] = Each(values) if len(values) > 1 else values[0]

    def add_numbers(self, entry):
        kind, names = entry["line"].split(" ", 1)
        rows = [[float(x) for x in row] for row in entry["numbers"]]
        for name in names.split(" = "):
            self.numbers[name] = rows

    def add_line(self, line):
        kind, rest = line.split(" ", 1)
        if kind == "vocab":
            m = re.match(r"(\w+) = (.*)", rest)
            self.last = m.group(1) if m else "vocab"
            words = words_of(m.group(2) if m else rest)
            if len(words) == 1 and words[0].isdigit():
                words = ["t%d" % i for i in range(int(words[0]))]
            self.vocabulary[self.last] = words
        elif kind == "size":
            for name, text in re.findall(r"(\w+) = ([^,]+)", rest):
                self.sizes[name] = ar.Evaluator(lambda n: ar.number(self.sizes[n])).value(ar.read(text))[0][0]
        elif kind == "input":
            name, what = rest.split(" : ")
            self.kind_of[name] = what.rstrip("*").strip()
        elif kind in ("example", "examples"):
            self.add_example(kind, rest)
        else:
            raise Finding("given in a way that cannot be read: %s" % line)

    def add_example(self, kind, rest):
        if kind == "examples":
            for name, text in re.findall(r"(\w+) = (\[[^\]]*\]|\S+\(.*?\)+)(?=, \w+ =|$)", rest):
                rows = ar.Evaluator(lambda n: None).value(ar.read(text))
                self.inputs.setdefault(name, []).extend([list(r)] for r in rows)
            return
        if " = " in rest and not re.search(r"(^| )->( |$)", rest):
            for part in re.split(r", (?=\w+ = )", rest):
                name, text = part.split(" = ", 1)
                self.inputs.setdefault(name, []).append(self.column(name, text))
            return
        before, arrow, after = (" " + rest).partition(" ->")
        for name, text in (("tokens", before), ("target", after)):
            if text.strip():
                self.inputs.setdefault(name, []).append(self.column(name, text))

    def column(self, name, text):
        words = self.vocabulary.get(self.kind_of.get(name, "vocab"))
        if words is None:
            return [[float(x) for x in words_of(text)]]
        return [[float(words.index(w))] for w in words_of(text)]

    def word_number(self, word, tree):
        """Which number a word in quotes has: that of the vocabulary of what it is compared with."""
        kind = self.kind_of.get(tree[1]) if tree[0] == "name" else None
        for name in [kind] if kind in self.vocabulary else list(self.vocabulary):
            if word in self.vocabulary[name]:
                return self.vocabulary[name].index(word)
        raise Finding("%s is a word of no vocabulary" % word)


# ---- the sheet ----


class Sheet:
    def __init__(self, data):
        self.data = data
        self.lesson, self.seed, self.digits = data["lesson"], data["seed"], data["digits"]
        self.given = Given(data)
        self.lines = {}  # by key: the line that says how it is worked out
        self.asked = {}  # by (key, moment): the entry of the sheet
        self.order = []  # of what is asked, (key, moment)
        is_after_update = False
        for entry in data["asked"]:
            path, _, moment = entry["path"].partition("@")
            is_update = path.endswith(":=")
            is_after_update = is_after_update or is_update
            for inside in entry["inside"]:
                self.add(inside["path"], inside["formula"], entry, inside["is_result"], is_after_update)
            self.add(path, entry["formula"], entry, False, is_after_update)
            self.asked[path, int(moment or 0)] = entry
            self.order.append((path, int(moment or 0)))
        self.updates = {line.path: line for line in self.lines.values() if line.is_update}
        self.calls = {line.path: line for line in self.lines.values() if line.is_last_line}

    def add(self, path, formula, entry, is_last_line, is_after_update):
        before = self.lines.get(path)
        if before:
            return
        line = Line(path, formula, entry, is_last_line, len(self.lines))
        line.reads_new = is_after_update and entry["section"] == "forward"
        self.lines[path] = line

    def resolve(self, line, name):
        """The line or given that a name in a formula stands for."""
        if name in line.found:
            return line.found[name]
        chains = parents(line.path, line.is_last_line) + parents(line.asked["path"].split("@")[0].rstrip(":="), False)
        for scope in chains:
            if self.is_gradient(scope):
                continue
            path = scope + "." + name if scope else name
            known = self.lines.get(path)
            if (known and known.order < line.order) or path in self.given.numbers or path in self.updates:
                line.found[name] = path
                return path
        if name in self.given.sizes or name in self.given.vocabulary or name in ("pi", "inf", "training", "step"):
            line.found[name] = name
            return name
        raise Finding("step %s: %s stands nowhere on the sheet (%s)" % (line.asked["path"], name, line.formula))

    def is_gradient(self, scope):
        """de.s is a part of the gradient de, not a line inside something called de."""
        before, _, last = scope.rpartition(".")
        of = (before + "." if before else "") + last[1:]
        return last[:1] == "d" and (of in self.lines or of in self.given.numbers)

    def constant(self, name):
        if name in self.given.vocabulary:
            return ar.number(len(self.given.vocabulary[name]))
        if name in self.given.sizes:
            return ar.number(self.given.sizes[name])
        return ar.number({"pi": math.pi, "inf": math.inf, "training": 1, "step": 0}[name])

    def aux_call(self, line, fn, count):
        """The line that a call inside a formula has of its own."""
        for scope in [line.path] + ([line.path.rsplit(".", 1)[0]] if "." in line.path else []):
            path = "%s.%s%s" % (scope, fn, "#%d" % count if count else "")
            known = self.lines.get(path)
            if known and known.is_last_line and known.order < line.order:
                return path
        return None


# ---- working it out ----


class LineEvaluator(ar.Evaluator):
    """Formulas of one line; a call that has lines of its own is worked out by them."""

    def __init__(self, work, line, moment, hand):
        super().__init__(self.name, work.sheet.given.word_number, hand)
        self.work, self.line, self.moment = work, line, moment
        self.calls = {}

    def name(self, name):
        path = self.work.sheet.resolve(self.line, name)
        return self.work.named(path, self.moment, self.line)

    def call(self, t):
        count = self.calls.get(t[1], 0)
        self.calls[t[1]] = count + 1
        path = self.work.sheet.aux_call(self.line, t[1], count)
        if path:
            return self.work.named(path, self.moment, self.line)
        return super().call(t)


class Habit:
    """How a learner writes, what is carried on, and what goes wrong. This one writes nothing and keeps everything."""

    hand = ar.EXACT

    def begin(self, work):
        pass

    def tree(self, work, line, moment):
        return line.tree

    def asked(self, work, line, moment, value, entry):
        return value

    def unasked(self, work, line, moment, value):
        return value


class Work:
    """One learner's sheet."""

    def __init__(self, sheet, habit):
        self.sheet, self.habit = sheet, habit
        self.done = {}
        self.written = {}  # by address: rows of texts
        habit.begin(self)

    def named(self, path, moment, line):
        sheet = self.sheet
        if path in sheet.given.numbers:
            update = sheet.updates.get(path)
            if update and update is not line and self.reads_new(line, update):
                return self.line(update, moment)
            if update and moment > 0:
                return self.line(update, moment - 1)
            return sheet.given.numbers[path]
        if path in sheet.lines:
            return self.line(sheet.lines[path], moment)
        return sheet.constant(path)

    def reads_new(self, line, update):
        if line.order <= update.order:
            return False
        is_state_of_call = line.asked is update.asked and update.asked["path"] != update.key
        return line.reads_new or is_state_of_call

    def line(self, line, moment):
        key = line.key, moment
        if key not in self.done:
            self.done[key] = None
            self.done[key] = self.work_out(line, moment)
        if self.done[key] is None:
            raise Finding("%s is worked out from itself" % line.key)
        return self.done[key]

    def work_out(self, line, moment):
        tree = self.habit.tree(self, line, moment)
        value = LineEvaluator(self, line, moment, self.habit.hand).value(tree)
        entry = self.sheet.asked.get((line.key, moment))
        if entry:
            return self.habit.asked(self, line, moment, value, entry)
        return self.habit.unasked(self, line, moment, value)

    def all(self):
        for key, moment in self.sheet.order:
            self.line(self.sheet.lines[key], moment)
        return self

    def write(self, entry, value, text):
        """The texts of a value into the blocks of an entry; a shape that is not asked for is a finding."""
        for block in entry["blocks"]:
            rows = part(value, block)
            if len(rows) != block["rows"] or any(len(r) != block["columns"] for r in rows):
                raise Finding(
                    "step %s is %d x %d, and %d x %d are asked for"
                    % (entry["path"], len(rows), len(rows[0]), block["rows"], block["columns"])
                )
            self.written[block["address"]] = [[text(x) for x in r] for r in rows]


def part(value, block):
    if type(value) is Each:
        value = value[block["example"]]
    if type(value) is Heads:
        value = value[block["head"]]
    return value


def every_cell(f, value):
    return ar.lift(lambda m: [[f(x) for x in r] for r in m], value)


def exact_values(sheet):
    """By (key, moment) what each asked step comes to."""
    work = Work(sheet, Habit()).all()
    return {k: work.done[k] for k in sheet.order}


def differences(sheet):
    """Where the key says something else than this arithmetic: (address, row, column, key, own)."""
    exact = exact_values(sheet)
    for key, moment in sheet.order:
        entry = sheet.asked[key, moment]
        unit = 10.0 ** -entry["decimals"]
        for block in entry["blocks"]:
            own, right = part(exact[key, moment], block), sheet.data["answers"][block["address"]]
            if len(own) != len(right) or len(own[0]) != len(right[0]):
                yield block["address"], 0, 0, "another shape", "%d x %d" % (len(own), len(own[0]))
                continue
            for i, row in enumerate(right):
                for j, text in enumerate(row):
                    x, y = float(text), own[i][j]
                    near = abs(x - y) <= max(0.500001 * unit, 10.0 ** (1 - sheet.digits) * abs(x) * (entry["decimals"] > 7))
                    if not (near or x == y):
                        yield block["address"], i, j, text, repr(y)
