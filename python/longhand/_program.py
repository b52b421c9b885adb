"""A program with its numbers."""
from __future__ import annotations

import ctypes
import json
import os
import re
import sys
import threading
from ctypes import byref
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _alive as life
from . import _library as c
from . import _numbers as numbers
from . import _show as show
from ._error import KINDS, LonghandError

STEP_KINDS = ("given", "forward", "gradient", "part", "update", "inside")
VERDICTS = ("right", "partly", "wrong", "unread")
# Not by what C calls back: it is in the midst of what these change.
CHANGES = frozenset(("differentiate", "freeze", "learn", "load", "open_file", "open_folder", "open_lesson", "open_text", "reset", "restore",
                     "rewrite", "set", "set_value", "train", "update", "write", "write_float"))
NEVER = 10**8  # steps between two looks at held-out text: the most that the library takes

Path = Union[str, "os.PathLike[str]"]


class Step(NamedTuple):
    """What has a name in a program."""

    kind: str  #: given, forward, gradient, part, update, inside
    path: str  #: h[0].A.P
    formula: str  #: softmax(Z); "" where it is given
    comment: str  #: what the program says of it
    shape: str  #: 2x4, tokens x 8 in 2 heads
    per_example: bool
    line: int  #: where it stands in the program
    may_be_set: bool  #: const, param, state or input
    learns: bool  #: a param


class Size(NamedTuple):
    """How large a value is."""

    examples: int
    heads: int
    rows: int
    cols: int


class Amount(NamedTuple):
    """A count, and its formula in the names of sizes."""

    number: float
    formula: str


class Cost(NamedTuple):
    """What one update costs."""

    parameters: Amount
    states: Amount
    multiply_adds: Amount
    operations: Amount
    once_multiply_adds: Amount
    once_operations: Amount


class Progress(NamedTuple):
    """How training goes."""

    step: int
    steps: int
    loss: float
    held_out: float  #: nan: not looked at now
    seconds: float


class Exercise(NamedTuple):
    """An exercise of a lesson."""

    kind: str
    title: str
    question: str
    form: str
    choices: List[str]
    hints: List[str]
    key: str
    because: str


class Answer(NamedTuple):
    """What an answer is worth."""

    verdict: str  #: right, partly, wrong, unread
    lines: List[str]
    error: str
    column: int

    def __bool__(self) -> bool:
        return self.verdict == "right"


def _is_false(x: Any) -> bool:
    """False, or what a comparison of NumPy's numbers has for it."""
    return x is False or (type(x).__module__ == "numpy" and type(x).__name__ in ("bool", "bool_") and not x)


class _Heard:
    """What C calls back. An exception must not pass through C: it stops what runs, and is raised where that was called.

    An exception of a signal, such as Ctrl-C, is raised as soon as Python runs: at the beginning of this call, before any `try`, or in it.
    ctypes hands the first kind to sys.unraisablehook alone. Signals come to the main thread only.
    """

    def __init__(self, function: Callable[..., Optional[bool]]) -> None:
        self._function = function
        self._raised: List[BaseException] = []
        self._hook: Optional[Callable[[Any], Any]] = None

    def __call__(self, *arguments: Any) -> bool:
        try:
            return not self._raised and not _is_false(self._function(*arguments))
        except BaseException as error:
            self._raised.append(error)
            return False

    def _note(self, ignored: Any) -> None:
        if ignored.object is self or repr(self) in (ignored.err_msg or ""):  # the second since Python 3.13
            self._raised.append(ignored.exc_value or ignored.exc_type())
        elif self._hook:
            self._hook(ignored)

    def __enter__(self) -> "_Heard":
        if threading.current_thread() is threading.main_thread():
            self._hook, sys.unraisablehook = sys.unraisablehook, self._note
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if self._hook:
            sys.unraisablehook = self._hook
        if self._raised and kind is None:
            raise self._raised[0]


def _bytes(text: Optional[Path]) -> Optional[bytes]:
    return None if text is None else os.fspath(text).encode()


def _str(text: Optional[bytes]) -> str:
    return (text or b"").decode("utf-8", "replace")


class Program:
    """A program with its numbers: longhand.open, longhand.load and longhand.program make one.

    >>> m = longhand.open("ex1")
    >>> m.set("rate", 1)
    >>> m.run()
    >>> m["P"]                          # a matrix
    >>> m["P[1][0]"]                    # a number
    >>> m.explain("P[1][0]")            # how it came about

    Rows, columns, heads and examples count from 0. Errors are LonghandError, with line, column and cure; after one the program
    is what it was before. A program may be used from several threads: calls wait for each other.
    """

    def __init__(self, name: Optional[str] = None) -> None:
        self._lib = c.library()
        self._lock = threading.RLock()
        self._running: Tuple[str, ...] = ()  # calls that have not come back yet
        self._handle = self._lib.longhand_new()
        if not self._handle:
            raise MemoryError("there is no memory for a program")
        self.name = name or ""
        self._recipe = life.Recipe()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Gives back all memory. Views of matrices must not be read any more."""
        if not getattr(self, "_handle", None):
            return
        with self._lock:
            self._refuse_within()
            handle, self._handle = self._handle, None
            if handle:
                self._lib.longhand_free(handle)

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- calling ----

    def _call(self, name: str, *arguments: Any, result: Callable[[Any], Any] = lambda x: x) -> Any:
        """One call. What it returns is copied by `result` before another thread may call."""
        with self._lock:
            if not self._handle:
                raise LonghandError("the program was closed")
            if name in CHANGES or name in self._running:
                self._refuse_within()
            running = self._running
            try:
                self._running = running + (name,)
                value = getattr(self._lib, "longhand_" + name)(self._handle, *arguments)
            finally:
                self._running = running
            self._raise()
            return result(value)

    def _refuse_within(self) -> None:
        if self._running:
            raise LonghandError("the model is learning or writing: what is called back meanwhile cannot change or close it",
                                cure="stop it by False or an exception, and change it then")

    def _raise(self) -> None:
        message = self._lib.longhand_error(self._handle)
        if not message:
            return
        m = message.contents
        error = LonghandError(_str(m.what), kind=KINDS[m.kind], file=_str(m.file), line=m.line, column=m.column,
                              source=_str(m.source), cure=_str(m.cure))
        self._lib.longhand_clear_error(self._handle)
        raise error

    # ---- changing ----

    @property
    def title(self) -> str:
        """What the program calls itself."""
        return self._call("title", result=_str)

    @property
    def text(self) -> str:
        """The program as text, without the prose of its lesson and without what was changed since it was opened."""
        return self._call("text", result=_str)

    def set(self, name: str, value: Any) -> "Program":
        """Another value for a size, const or param: a number, a matrix, or notation as text. Values begin at their starts."""
        text = numbers.notation(value)
        self._call("set", _bytes(name), text.encode())
        self._recipe.set(name, text)
        return self

    def train(self, *names: str) -> "Program":
        """Consts that learn from now on."""
        for name in names:
            self._call("train", _bytes(name))
            self._recipe.change()
        return self

    def freeze(self, *names: str) -> "Program":
        """Params that learn no more; "*": none does."""
        for name in names:
            self._call("freeze", _bytes(name))
            self._recipe.change()
        return self

    def differentiate(self, name: str) -> "Program":
        """Makes the gradients of this step although the program has no `backward`."""
        self._call("differentiate", _bytes(name))
        self._recipe.change()
        return self

    def restore(self) -> "Program":
        """Forgets all changes: the program is as it was opened."""
        self._call("restore")
        self._recipe.restore()
        return self

    def rewrite(self, name: str, rule: str, place: int = 0, letter: Optional[str] = None, number: int = 0,
                look: bool = False) -> "Program":
        """Applies a rule, "a / sqrt(cols(k)) => a", to the formula of a step."""
        self._call("rewrite", _bytes(name), c.Rule(rule.encode(), place, _bytes(letter), number, look))
        self._recipe.change()
        return self

    def matches(self, name: str, rule: str) -> int:
        """In how many places of a step's formula the rule fits."""
        return self._call("matches", _bytes(name), c.Rule(rule.encode(), 0, None, 0, False))

    # ---- running ----

    def run(self) -> "Program":
        """Computes every step."""
        self._call("run")
        return self

    def step(self, n: int = 1) -> "Program":
        """Trains: n updates, each of them a run and every `:=`; then a run, so that values are those after the last."""
        for _ in range(n):
            self._call("update")
        return self.run()

    @property
    def updates(self) -> int:
        """How many updates were made since the start."""
        return self._call("updates")

    def reset(self) -> "Program":
        """Back to the start: all values as the program has them."""
        self._call("reset")
        self._recipe.reset()
        return self

    def batch(self, examples: Optional[Sequence[int]] = None) -> "Program":
        """Which examples of the program to run on; None: all."""
        which = list(examples or [])
        self._call("batch", (ctypes.c_int * len(which))(*which), len(which))
        self._recipe.note("batch", bool(which))
        return self

    @property
    def examples(self) -> int:
        """How many examples are in the batch."""
        return self._call("examples")

    def training(self, is_on: bool) -> "Program":
        """The number `training`, which dropout looks at."""
        self._call("training", bool(is_on))
        self._recipe.note("training", not is_on)
        return self

    @property
    def trouble(self) -> Optional[str]:
        """Where nan or infinity began in the last run, in words; None: nowhere."""
        return self._call("trouble", result=lambda t: _str(t) if t else None)

    # ---- steps ----

    @staticmethod
    def _step(pointer: Any) -> Step:
        s = pointer.contents
        return Step(STEP_KINDS[s.kind], _str(s.path), _str(s.formula), _str(s.comment), _str(s.shape), bool(s.per_example),
                    s.line, bool(s.may_be_set), bool(s.learns))

    @property
    def steps(self) -> List[Step]:
        """Everything that has a name, in the order of the program, lines inside calls included."""
        with self._lock:
            return [self._call("step_at", i, result=self._step) for i in range(self._call("steps"))]

    def find(self, name: str) -> Step:
        """A step by its path, or by a tail that is unique."""
        return self._call("find", _bytes(name), result=self._step)

    def __iter__(self) -> Iterator[str]:
        return iter([s.path for s in self.steps if s.kind != "inside"])

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self.find(name))
        except LonghandError:
            return False

    # ---- numbers ----

    def value(self, address: str) -> float:
        """One number: P[1][0], L{example 2}, WO[0][3]@10. Row, column, head and example are 0 where they are left out."""
        return self._call("value", _bytes(address))

    def size(self, name: str, example: int = 0) -> Size:
        """How large a value is."""
        return self._call("size_of", _bytes(name), example, result=lambda z: Size(z.examples, z.heads, z.rows, z.cols))

    def array(self, name: str, example: int = 0, head: int = 0, dtype: str = "f8", copy: bool = True) -> Any:
        """One matrix of a value, in double ("f8") or float ("f4"): an array of NumPy, or lists without it.

        copy=False: the memory of the engine itself, to be read only, where the value has memory of its own (else a copy). Its
        numbers change with the next run, and it must not be read after the program was changed, opened anew or closed.
        """
        item = {"f8": 8, "float64": 8, "f4": 4, "float32": 4}.get(str(dtype))
        if not item:
            raise ValueError(f"dtype is f8 or f4, not {dtype}")
        with self._lock:
            z = self.size(name, example)
            if not copy and item == 8 and numbers.numpy is not None:
                part = c.Part(example, head, 0, 0)
                address = self._call("view", _bytes(name), byref(part))
                if address:
                    return numbers.view(address, z.rows, z.cols, part.row_step, part.col_step, self)
            array, address = numbers.empty(z.rows, z.cols, item)
            self._call("read" if item == 8 else "read_float", _bytes(name), c.Part(example, head, 0, 0), address,
                       z.rows * z.cols)
            return numbers.finished(array, z.rows, z.cols)

    def write(self, name: str, matrix: Any, example: int = 0, head: int = 0) -> "Program":
        """Sets a matrix of a given, an input or a held step. Others follow with the next run.

        Arrays of NumPy, tensors of PyTorch on the processor and whatever else says where it lies are read where they are, in
        float or double, whatever their strides; anything else is copied first.
        """
        block = numbers.block_of(matrix)
        z = self.size(name, example)
        if block.rows != z.rows and (block.rows, block.cols) == (1, z.rows) and z.cols == 1:
            block = block._replace(rows=block.cols, cols=1, row_step=block.col_step, col_step=1)
        if (block.rows, block.cols) != (z.rows, z.cols):
            raise LonghandError(f"{name} is {z.rows} x {z.cols}, and the matrix is {block.rows} x {block.cols}", kind="shape")
        self._call("write" if block.item == 8 else "write_float", _bytes(name),
                   c.Part(example, head, block.row_step, block.col_step), block.address, block.span)
        self._recipe.write(self, name)
        return self

    def __getitem__(self, name: str) -> Any:
        """A value: m["P"] a matrix, m["loss"] a number, m["P[1]"] a row, m["P[1][0]"] one cell, m["P{head 1}"] one head, m["WO@10"] after ten steps.

        With several heads, or several examples, there is a further axis for each; examples of different lengths are a list.
        """
        if "[" in name or "{" in name or "@" in name:
            try:
                z = self.size(name)
            except LonghandError:
                return self._part(name)
        else:
            z = self.size(name)
        with self._lock:
            sizes = [self.size(name, e) for e in range(z.examples)]
            parts = [self._example(name, e, sizes[e]) for e in range(z.examples)]
        if all(s[1:] == (1, 1, 1) for s in sizes):
            parts = [float(p[0][0]) for p in parts]
            return parts[0] if z.examples == 1 else numbers.row(parts)
        return parts[0] if z.examples == 1 else numbers.stacked(parts)

    def _part(self, address: str) -> Any:
        """What an address with indices, braces or a number of steps names: a cell where it names one, otherwise a row or a matrix."""
        path, indices, braces, steps = self._split(address)
        example, head = braces.get("example"), braces.get("head")
        z = self.size(path, example or 0)
        is_outside = bool(indices) and indices[0] >= z.rows  # asking for the number says what is wrong
        if len(indices) == 2 or z.rows * z.cols == 1 or (indices and 1 in (z.rows, z.cols)) or is_outside:
            return self.value(address)
        if z.heads > 1 and head is None or z.examples > 1 and example is None:
            left = "head" if z.heads > 1 and head is None else "example"
            raise LonghandError("%s: which %s? For example %s{%s 0}" % (address, left, path, left))
        if not steps:
            whole = self.array(path, example=example or 0, head=head or 0)
            return whole[indices[0]] if indices else whole
        where = "".join("{%s %d}" % b for b in braces.items())
        rows = [[self.value("%s%s[%d][%d]%s" % (path, where, r, c, steps)) for c in range(z.cols)] for r in (indices or range(z.rows))]
        return numbers.row(rows[0] if indices else rows)

    def _split(self, address: str) -> Tuple[str, List[int], Dict[str, int], str]:
        """h[0].P{head 1}[2]@10 is h[0].P, [2], {"head": 1}, "@10": the shortest ending that leaves the name of a step."""
        body, at, number = address.partition("@")
        braces = {k: int(v) for k, v in re.findall(r"\{ *(example|head) +(\d+) *\}", body)}
        path, indices = re.sub(r"\{[^}]*\}", "", body), []
        while True:
            try:
                self.size(path)
                return path, indices, braces, at + number
            except LonghandError:
                last = re.search(r"\[(\d+)\]$", path)
                if not last or len(indices) == 2:
                    self.value(address)  # says what is wrong with it
                    raise
                path, indices = path[:last.start()], [int(last[1])] + indices

    def _example(self, name: str, example: int, z: Size) -> Any:
        heads = [self.array(name, example, h) for h in range(z.heads)]
        return numbers.stacked(heads) if z.heads > 1 else heads[0]

    def __setitem__(self, name: str, value: Any) -> None:
        """Sets a value: m["WQ"] = matrix, m["WQ[0][1]"] = number."""
        if "[" in name or "{" in name:
            try:
                self.find(name)
            except LonghandError:
                self._call("set_value", _bytes(name), float(value))
                self._recipe.write(self, name)
                return
        self.write(name, value)

    def hold(self, name: str) -> "Program":
        """A computed step keeps its numbers from now on. They may be set, and what follows uses them."""
        self._call("hold", _bytes(name))
        self._recipe.note("held")
        return self

    def release(self, name: Optional[str] = None) -> "Program":
        """It is computed again; None: all held steps are."""
        self._call("release", _bytes(name))
        if name is None:
            self._recipe.note("held", False)
        return self

    def evaluate(self, name: str, **operands: Any) -> Any:
        """One step from these operands in place of the program's: m.evaluate("Z", S=[[1, 2], [3, 4]])."""
        blocks = {n: numbers.block_of(numbers._rows_of(x)) for n, x in operands.items()}
        list_of = (c.Operand * len(blocks))(*[
            c.Operand(n.encode(), c.Part(0, 0, 0, 0), ctypes.cast(b.address, ctypes.POINTER(ctypes.c_double)), b.span)
            for n, b in blocks.items()])
        with self._lock:
            z = self.size(name)
            array, address = numbers.empty(z.rows, z.cols, 8)
            self._call("evaluate", _bytes(name), list_of, len(blocks), c.Part(0, 0, 0, 0), address, z.rows * z.cols)
        return numbers.finished(array, z.rows, z.cols)

    def token(self, word: str, vocab: Optional[str] = None) -> int:
        """The number of a word; -1: none."""
        return self._call("token", _bytes(vocab), word.encode())

    def word(self, token: int, vocab: Optional[str] = None) -> Optional[str]:
        """The word of a number, or None."""
        return self._call("word", _bytes(vocab), token, result=lambda w: _str(w) if w else None)

    # ---- telling ----

    def explain(self, address: str, deep: bool = False, digits: int = 6, all_terms: bool = False) -> "show.Explanation":
        """How a number came about, down to the numbers that made it."""
        detail = c.Detail(ctypes.sizeof(c.Detail), digits, deep, all_terms)
        with self._lock:
            text = self._call("explain_as", _bytes(address), byref(detail), c.AS_TEXT, result=_str)
            data = json.loads(self._call("explain_as", _bytes(address), byref(detail), c.AS_JSON, result=_str))
            data["comment"] = self._call("explain", _bytes(address), byref(detail), result=lambda e: _str(e.contents.comment))
            recipe = self._recipe.of(self)
            return show.Explanation(text, data, recipe, [s.path for s in self.steps] if recipe else ())

    def show(self, *names: str) -> "show.Values":
        """Some values with their formulas, as a notebook shows the whole program: m.show("P", "Z")."""
        paths = [self.find(name).path for name in names]
        with self._lock:
            trace = self.trace()
            trace["steps"] = [s for path in paths for s in trace["steps"] if s["path"] == path]
            return show.Values(trace, self._recipe.of(self))

    def trace(self, to: Optional[str] = None) -> Dict[str, Any]:
        """Every step in the order in which a person would work it out, with all its numbers: as longhand run --json."""
        return json.loads(self._call("trace", _bytes(to), c.AS_JSON, result=_str))

    def check(self) -> "show.Check":
        """Compares gradients with differences of the loss, values with higher precision and gradient rules with the code they
        stand for. It is true when all is well."""
        text, data = ctypes.c_char_p(), ctypes.c_char_p()
        with self._lock:
            self._call("check", c.AS_TEXT, byref(text))
            told = _str(text.value)
            self._call("check", c.AS_JSON, byref(data))
            return show.Check(told, json.loads(_str(data.value)))

    def cost(self) -> Cost:
        """What one update costs, counted from the formulas."""
        def copy(bill: Any) -> Cost:
            amounts = [getattr(bill.contents, name) for name in Cost._fields]
            return Cost(*[Amount(a.number, _str(a.formula)) for a in amounts])
        return self._call("cost", result=copy)

    def costs(self) -> Dict[str, Any]:
        """The same step by step, as longhand cost --json."""
        return json.loads(self._call("cost_as", c.AS_JSON, result=_str))

    def plot(self, what: str, updates: int = 0, width: int = 0, log: bool = False) -> "show.Picture":
        """Numbers as a picture: "heat P", "bars probs", "loss 100", "points X Y", "vectors E", "line xs ys"."""
        def draw(form: int, in_words: bool, wide: int) -> str:
            how = c.PlotHow(ctypes.sizeof(c.PlotHow), form, wide, updates, log, in_words)
            return self._call("plot", what.encode(), byref(how), result=_str)
        with self._lock:
            return show.Picture(draw(c.AS_SVG, False, width), draw(c.AS_TEXT, False, 0), draw(c.AS_TEXT, True, 0),
                                self._recipe.of(self, at_start=True))

    def graph(self, to: Optional[str] = None, all: bool = False, forward: bool = False) -> "show.Picture":
        """The program as boxes and arrows."""
        how = c.GraphHow(ctypes.sizeof(c.GraphHow), _bytes(to), all, forward)
        return show.Picture(self._call("graph", byref(how), result=_str))

    def diagram(self, name: str = "training") -> "show.Picture":
        """The loop of training of this program; "transformer" and "gpt" are architectures."""
        with self._lock:
            return show.Picture(self._call("diagram", name.encode(), c.AS_SVG, result=_str),
                                self._call("diagram", name.encode(), c.AS_TEXT, result=_str))

    # ---- learning by hand ----

    def sheet(self, seed: int = 0, digits: int = 0, steps: Sequence[str] = (), key: bool = False, form: str = "text") -> str:
        """A worksheet: text, json, markdown or csv."""
        forms = {"text": c.AS_TEXT, "json": c.AS_JSON, "markdown": c.AS_MARKDOWN, "csv": c.AS_CSV}
        if form not in forms:
            raise ValueError(f"form is one of {', '.join(forms)}, not {form}")
        names = (ctypes.c_char_p * max(1, len(steps)))(*[s.encode() for s in steps])
        how = c.SheetHow(ctypes.sizeof(c.SheetHow), forms[form], seed, digits, names, len(steps), key)
        return self._call("sheet", byref(how), result=_str)

    def mark(self, answers: Union[str, Dict[str, Any]], seed: int = 0, digits: int = 0, few_digits: str = "full") -> "show.Marks":
        """Marks answers: the text of a sheet that was filled in, lines such as "P = 0.498 0.502", or a dictionary
        {"P": [["0.498", "0.502"]]}."""
        if isinstance(answers, dict):
            answers = json.dumps({"answers": {k: _cells(v) for k, v in answers.items()}})
        text = answers.encode()
        worth = ("full", "half", "none").index(few_digits)

        def marked(form: int) -> Any:
            how = c.MarkHow(ctypes.sizeof(c.MarkHow), form, seed, digits, worth)
            return self._call("mark", text, len(text), byref(how),
                              result=lambda m: (m.contents.credit, m.contents.total, m.contents.points, _str(m.contents.report)))
        with self._lock:
            credit, total, points, report = marked(c.AS_TEXT)
            return show.Marks(credit, total, points, report, json.loads(marked(c.AS_JSON)[3]))

    @property
    def exercises(self) -> List[Exercise]:
        """The exercises of the lesson."""
        def copy(pointer: Any) -> Exercise:
            e = pointer.contents
            return Exercise(_str(e.kind), _str(e.title), _str(e.question), _str(e.form),
                            [_str(e.choice[k]) for k in range(e.n_choices)], [_str(e.hint[k]) for k in range(e.n_hints)],
                            _str(e.key), _str(e.because))
        with self._lock:
            return [self._call("exercise_at", i, result=copy) for i in range(self._call("exercises"))]

    def answer(self, exercise: int, text: str) -> Answer:
        """An answer to an exercise, from 0, judged by the engine. It is true when it is right."""
        def copy(pointer: Any) -> Answer:
            a = pointer.contents
            return Answer(VERDICTS[a.verdict], [_str(a.line[k]) for k in range(a.n_lines)], _str(a.error), a.column)
        return self._call("answer", exercise, text.encode(), result=copy)

    # ---- weights and training at full speed ----

    def load_weights(self, path: Path) -> "Program":
        """The params have the numbers of a file from now on: .safetensors, or a model folder."""
        self._call("load", _bytes(path))
        self._recipe.note("model")
        return self

    def save(self, path: Path) -> "Program":
        """The params as they are: to one file in double (.safetensors), or to a model folder."""
        self._call("save", _bytes(path))
        return self

    def learn(self, text: Optional[str] = None, *, file: Optional[Path] = None, task: Optional[str] = None,
              tokens: Optional[str] = None, lines: bool = False, steps: int = 0, batch: int = 0, micro: int = 0,
              precision: Optional[str] = None, rate: Any = None, seed: int = 0, threads: int = 0, every: int = 0,
              recompute: bool = False, progress: Optional[Callable[[Progress], Optional[bool]]] = None) -> int:
        """Trains with the fast evaluator on a text, a file or a task; again without one of them: goes on. Returns the steps done.

        recompute: layers are computed again for their gradients, to the same bits in less memory.
        progress(p) is called after each step; False stops. An exception that it raises stops, too, and is raised here; so does Ctrl-C. What was
        learned until then is kept.
        """
        def tell(_: Any, now: Any) -> Optional[bool]:
            p = now.contents
            return progress(Progress(p.step, p.steps, p.loss, p.held_out, p.seconds)) if progress else True
        data = None if text is None else text.encode()
        with _Heard(tell) as heard:
            how = c.LearnHow(ctypes.sizeof(c.LearnHow), data, len(data) if data else 0, _bytes(file), _bytes(task), _bytes(tokens),
                             lines, steps, batch, micro, _bytes(precision),
                             None if rate is None else numbers.notation(rate).encode(), seed, threads,
                             every if progress else NEVER,
                             c.PROGRESS(heard), None, recompute)
            self._recipe.note("model")
            return self._call("learn", byref(how))

    # ---- a model that reads ----

    def prompt(self, text: Optional[str]) -> "Program":
        """What the model reads: values and explanations are of this text from now on. None: no prompt."""
        self._call("prompt", _bytes(text))
        self._recipe.note("prompt", text is not None)
        return self

    def tokens(self, text: str) -> List[str]:
        """A text as the model's tokens."""
        with self._lock:
            self.prompt(text)
            n = ctypes.c_int()
            ids = self._call("prompt_tokens", byref(n))
            return [self._piece(ids[i]) for i in range(n.value)]

    def _piece(self, token: int) -> str:
        n = ctypes.c_size_t()
        address = self._call("piece", token, byref(n))
        return ctypes.string_at(address, n.value).decode("utf-8", "replace") if address else ""

    def logits(self, text: str) -> Any:
        """Scores of the next token at every position of a text: positions x vocabulary, in float."""
        with self._lock:
            self.prompt(text)
            n = ctypes.c_int()
            self._call("prompt_tokens", byref(n))
            total = self._call("logits", None, 0)
            cols = total // n.value
            array, address = numbers.empty(n.value, cols, 4)
            self._call("logits", address, total)
            return numbers.finished(array, n.value, cols)

    def look(self, text: str, layer: Optional[int] = None, head: Optional[int] = None) -> "show.Look":
        """Tokens, attention, what each layer would say and what comes next. Layers and heads count from 0; None: all."""
        def told(form: int) -> str:
            how = c.LookHow(ctypes.sizeof(c.LookHow), form, 0 if layer is None else layer + 1, 0 if head is None else head + 1)
            return self._call("look", byref(how), result=_str)
        with self._lock:
            self.prompt(text)
            data = json.loads(told(c.AS_JSON))
            return show.Look(data, told(c.AS_SVG) if data["attention"] else "")

    def generate(self, prompt: str = "", number: int = 200, *, greedy: bool = False, temperature: Optional[float] = None,
                 top_k: Optional[int] = None, top_p: Optional[float] = None, seed: int = 0, threads: int = 0, context: int = 0, precision: Optional[str] = None,
                 token: Optional[Callable[[str], Optional[bool]]] = None) -> str:
        """Goes on after the prompt, token by token; returns what was written without the prompt.

        token(piece) is called for each; False stops. Temperature 0 takes the likeliest token each time, as greedy does; top_k 0 chooses
        from all tokens. None: as generation_config.json of the folder says, or 0.8, 40 and 1.
        """
        if temperature == 0:
            greedy = True

        def tell(_: Any, number_of: int, piece: Any, n: int) -> Optional[bool]:
            return token(ctypes.string_at(piece, n).decode("utf-8", "replace")) if token else True
        with _Heard(tell) as heard:
            how = c.SampleHow(ctypes.sizeof(c.SampleHow), number, greedy, temperature or 0, -1 if top_k == 0 else top_k or 0, top_p or 0,
                              seed, threads, context, _bytes(precision), c.TOKEN(heard), None)
            return self._call("sample", prompt.encode(), byref(how), result=_str)

    # ---- in a notebook ----

    def __repr__(self) -> str:
        return f"<longhand program {self.name}: {self.title}>" if self._handle else "<longhand program, closed>"

    def _repr_html_(self) -> str:
        if not self.examples:
            return show.steps_html(self.title, self.steps)
        with self._lock:
            return show.values_html(self.title, self.trace(), self._recipe.of(self) if life.is_wanted() else None)


def _cells(x: Any) -> Any:
    """Answers as they are written: numbers keep their digits as text, None is a blank."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [_cells(v) for v in x]
    return x if x is None or isinstance(x, str) else repr(x)
