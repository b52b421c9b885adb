"""What is seen of numbers, explanations and pictures: as text, and in a notebook as HTML and SVG."""
from __future__ import annotations

import math
import re
from html import escape
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from . import _alive as life

# As the pages of `longhand book` have them, for light and dark notebooks.
STYLE = """<style>
.longhand table { border-collapse: collapse; margin: 0.2em 0; display: inline-table; }
.longhand td, .longhand th { padding: 0.1em 0.6em; text-align: right; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
.longhand th { font-weight: 600; background: color-mix(in srgb, currentColor 7%, transparent); }
.longhand .step { margin: 0.6em 0 0.1em; } .longhand .note { opacity: 0.75; }
.longhand code { background: none; color: inherit; } .longhand .bad { color: #b3261e; } .longhand .good { color: #1b7f3b; }
</style>"""


def number_text(x: Any, digits: int = 6) -> str:
    """A number as a person would write it; nan and inf are words in JSON."""
    if isinstance(x, str):
        return x
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    return f"{x:.{digits}g}"


def _html(body: str) -> str:
    return f'{STYLE}<div class="longhand">{body}</div>'


def matrix_html(rows: List[List[Any]], label: str = "", most: int = 32, marks: Callable[[int, int], str] = lambda r, c: "",
                of_table: str = "") -> str:
    """A matrix as a table, cut where it is large. marks(r, c): attributes of a cell, for outputs that answer."""
    def line(r: int, cells: List[Any]) -> str:
        more = "<td>…</td>" if len(cells) > most else ""
        return "<tr>" + "".join(f"<td{marks(r, c)}>{escape(number_text(x))}</td>" for c, x in enumerate(cells[:most])) + more + "</tr>"
    caption = f"<caption>{escape(label)}</caption>" if label else ""
    return (f"<table{of_table}>" + caption + "".join(line(r, x) for r, x in enumerate(rows[:most])) +
            ("<tr><td>…</td></tr>" if len(rows) > most else "") + "</table>")


class Addresses:
    """The addresses of a program's numbers as a page writes them: src/pages/page_address.h has the rules."""

    def __init__(self, trace: Dict[str, Any], updates: int) -> None:
        self.updates = updates
        self.renewed = {s["path"][:-2] for s in trace["steps"] if s["section"] == "update"}

    def matrix(self, step: Dict[str, Any], example: int, head: int) -> str:
        """P{example 1, head 2}, and what stands behind the cell: @3."""
        path, heads = step["path"], len(step["values"][example])
        inside = ([f"example {example}"] if len(step["values"]) > 1 else []) + ([f"head {head}"] if heads > 1 else [])
        return (path[:-2] if step["section"] == "update" else path) + ("{" + ", ".join(inside) + "}" if inside else "")

    def after(self, step: Dict[str, Any]) -> str:
        """The update that it comes after: what nothing renews has one address at all times."""
        is_fixed = step["section"] == "given" and step["path"] not in self.renewed
        n = 0 if is_fixed else self.updates + (step["section"] == "update")
        return f"@{n}" if n else ""

    def marks(self, step: Dict[str, Any], example: int, head: int) -> Callable[[int, int], str]:
        """Attributes of the cells of one matrix."""
        rows = step["values"][example][head]
        name, after = self.matrix(step, example, head), self.after(step)
        may_change = step["section"] == "given" and not step["per_example"] and not after and len(step["values"][0]) == 1

        def mark(r: int, c: int) -> str:
            at = name + (f"[{r}]" if len(rows) > 1 else "") + (f"[{c}]" if len(rows[0]) > 1 else "") + after
            given = f' data-given="{escape(step["path"])}"' if may_change else ""
            return f' data-at="{escape(at)}"{given}'
        return mark


def _step_html(step: Dict[str, Any], addresses: Optional[Addresses] = None) -> str:
    formula = f" = {step['formula']}" if step["formula"] else ""
    note = f' <span class="note">{escape(step["comment"])}</span>' if step["comment"] else ""
    tables = []
    for e, example in enumerate(step["values"]):
        for h, rows in enumerate(example):
            label = ", ".join(([f"example {e}"] if len(step["values"]) > 1 else []) + ([f"head {h}"] if len(example) > 1 else []))
            more = {}
            if addresses and rows and rows[0]:
                more = {"marks": addresses.marks(step, e, h), "of_table": f' class="matrix" data-value="{escape(addresses.matrix(step, e, h))}"'}
            tables.append(matrix_html(rows, label, **more))
    return f'<div><div class="step"><code>{escape(step["path"] + formula)}</code>{note}</div>{" ".join(tables)}</div>'


def values_html(title: str, trace: Dict[str, Any], recipe: Optional[Dict[str, Any]] = None) -> str:
    """Every step with its numbers. recipe: how a page comes to them; None: they do not answer."""
    addresses = Addresses(trace, recipe["step"]) if recipe else None
    steps = [s for s in trace["steps"] if s["section"] != "inside"]
    head = f"<strong>{escape(title)}</strong>" if title else ""
    return life.output(recipe, _html(head + "".join(_step_html(s, addresses) for s in steps)))


def steps_html(title: str, steps: List[Any]) -> str:
    """Of a model without examples: what it is made of."""
    rows = "".join(f"<tr><th>{escape(s.path)}</th><td>{escape(s.formula or s.kind)}</td><td>{escape(s.shape)}</td></tr>"
                   for s in steps if s.kind in ("given", "forward"))
    return _html(f"<strong>{escape(title)}</strong><br><table>{rows}</table>")


class Values:
    """Some values of a program, with their formulas."""

    def __init__(self, trace: Dict[str, Any], recipe: Optional[Dict[str, Any]] = None) -> None:
        self.data, self._recipe = trace, recipe

    def __str__(self) -> str:
        def rows(step: Dict[str, Any]) -> List[str]:
            return ["  " + "  ".join(number_text(x) for x in row) for example in step["values"] for head in example for row in head]
        return "\n".join("\n".join([s["path"] + (f" = {s['formula']}" if s["formula"] else "")] + rows(s)) for s in self.data["steps"])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return values_html("", self.data, self._recipe if life.is_wanted() else None)


class Line(NamedTuple):
    """One line of an explanation: label = formula = numbers = value."""

    depth: int
    label: str
    formula: str
    numbers: str
    value: float
    note: Optional[str]


class Explanation:
    """How a number came about."""

    def __init__(self, text: str, data: Dict[str, Any], recipe: Optional[Dict[str, Any]] = None, paths: Sequence[str] = ()) -> None:
        self._text, self.data, self._recipe, self._paths = text, data, recipe, frozenset(paths)
        self.value: float = float(data["value"])
        self.address: str = data["address"]
        self.step: str = data["step"]
        self.where: str = data["where"]
        self.comment: str = data["comment"]
        self.lines = [Line(x["depth"], x["label"], x["formula"], x["numbers"], float(x["value"]), x["note"])
                      for x in data["lines"]]

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        recipe = self._recipe if life.is_wanted() else None

        def number(x: float, at: str) -> str:
            return f'<span class="n" data-at="{escape(at)}">{number_text(x)}</span>' if recipe and at else number_text(x)
        head = f"<strong><code>{escape(self.address)} = {number(self.value, self.address)}</code></strong> "
        head += f'<span class="note">{escape(" ".join(x for x in (self.where, self.comment) if x))}</span>'
        rows = ""
        for x in self.lines:
            note = f' <span class="note">({escape(x.note)})</span>' if x.note else ""
            parts = [x.formula] if x.formula == "given" else [x.formula, x.numbers]
            rows += (f'<div style="margin-left:{1 + 1.5 * x.depth}em"><code>{escape(x.label)} = '
                     f'{escape(" = ".join(parts))} = {number(x.value, self._address_of(x.label))}</code>{note}</div>')
        return life.output(recipe, _html(head + rows))

    def _address_of(self, label: str) -> str:
        """Of a line's number: m[1] in an explanation of P is P.m[1]; "" where it is not certain."""
        if "{" in self.address or "@" in self.address:
            return ""
        name = re.sub(r"(\[\d+\])*$", "", label)
        return label if name == self.step else f"{self.step}.{label}" if f"{self.step}.{name}" in self._paths else ""


class Check:
    """What a check found. It is true when all is well."""

    def __init__(self, text: str, data: Dict[str, Any]) -> None:
        self._text, self.data = text, data
        self.ok: bool = data["ok"]
        self.findings: List[Dict[str, Any]] = data["findings"]

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(f'<pre class="{"good" if self.ok else "bad"}">{escape(self._text)}</pre>')


class Picture:
    """A drawing: SVG in a notebook, characters elsewhere."""

    def __init__(self, svg: str, text: str = "", words: str = "", recipe: Optional[Dict[str, Any]] = None) -> None:
        self.svg, self.text, self.words, self._recipe = svg, text, words, recipe

    def __str__(self) -> str:
        return self.text.rstrip("\n") or self.words or "<a drawing of longhand>"

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> Optional[str]:
        """Where its numbers can be opened; None: the picture alone will do."""
        if self._recipe is None or " data-at=" not in self.svg or not life.is_wanted():
            return None
        return life.output(self._recipe, _html(self.svg))

    def save(self, path: Any) -> None:
        """To a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def _likely(words: List[Any]) -> List[Any]:
    return [(t["text"] or "", t["probability"]) for t in words]


class Look:
    """Inside a model that reads a text. Of one that guesses hidden words (BERT), `hidden` has them by their place among the tokens."""

    def __init__(self, data: Dict[str, Any], svg: str) -> None:
        self.data, self.svg = data, svg
        self.tokens: List[str] = [t["text"] or "" for t in data["tokens"]]
        self.attention: Dict[str, Any] = {a["path"]: a["heads"] for a in data["attention"]}
        self.next: List[Any] = _likely(data.get("next", []))
        self.layers: Dict[str, Any] = {x["path"]: _likely(x["next"]) for x in data.get("layers", [])}
        self.hidden: Dict[int, List[Any]] = {h["token"]: _likely(h["words"]) for h in data.get("hidden", [])}
        #: ... and what each layer would say
        self.hidden_layers: Dict[int, Dict[str, Any]] = {h["token"]: {x["path"]: _likely(x["words"]) for x in h["layers"]}
                                                         for h in data.get("hidden", [])}

    def _answers(self) -> List[Any]:
        if "hidden" not in self.data:
            return [("next", self.layers, self.next)]
        return [(f"token {place}, hidden", self.hidden_layers[place], self.hidden[place]) for place in self.hidden]

    def __str__(self) -> str:
        lines = [f"{len(self.tokens)} tokens: {self.tokens}"]
        for what, layers, words in self._answers():
            lines.append("what each layer would say")
            lines += [f"  {path}: " + "  ".join(f"{t!r} {p:.3f}" for t, p in top[:3]) for path, top in layers.items()]
            lines.append(f"{what}: " + "  ".join(f"{t!r} {p:.3f}" for t, p in words[:5]))
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        tables = ""
        for what, layers, words in self._answers():
            rows = "".join(f"<tr><th>{escape(repr(t))}</th><td>{p:.4f}</td></tr>" for t, p in words)
            says = "".join(f"<tr><th>{escape(path)}</th>" + "".join(f"<td>{escape(repr(t))} {p:.3f}</td>" for t, p in top[:3]) + "</tr>"
                           for path, top in layers.items())
            tables += (f"<table><caption>what each layer would say</caption>{says}</table> "
                       f"<table><caption>{'the next token' if what == 'next' else what}</caption>{rows}</table>")
        return _html(f"<div><code>{escape(' '.join(repr(t) for t in self.tokens))}</code></div>{self.svg}{tables}")


class Marks:
    """Answers that were marked."""

    def __init__(self, credit: int, total: int, points: float, text: str, data: Dict[str, Any]) -> None:
        self.credit, self.total, self.points, self.data = credit, total, points, data
        self._text = text

    def __bool__(self) -> bool:
        return self.credit == self.total

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(f"<pre>{escape(self._text)}</pre>")
