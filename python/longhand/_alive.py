"""Outputs in a notebook that answer: the page's script and engine, handed over once, and what they need to know of a program.

The script (web/modules/notebook.js), its styles and the engine travel in the library. They go into the notebook as one output of
the kind application/javascript, so that whoever shows a notebook without scripts leaves them out and shows tables as they are.
"""
from __future__ import annotations

import ctypes
import json
import re
import sys
from html import escape
from typing import Any, Dict, Optional, Set

from . import _numbers as numbers
from ._error import LonghandError
from ._library import library

MOST_CELLS = 4096  # of a given that a page sets

_wanted: Optional[bool] = None  # None: where there is a notebook and an engine
_carrier: Optional[str] = None  # the cell whose output has the script, where the notebook says which
_run: Optional[str] = None  # the run of it
_is_handed = False


def file(name: str) -> Optional[str]:
    """A file that travels in the library, or None."""
    n = ctypes.c_size_t()
    at = library().longhand_file(name.encode(), ctypes.byref(n))
    return ctypes.string_at(at, n.value).decode() if at else None


def script() -> Optional[str]:
    """All that outputs need, about half a megabyte; None: the library was built without the engine for pages."""
    code, engine = file("notebook.js"), file("engine.js")
    if not code or not engine:
        return None
    style = "".join(file(name) or "" for name in ("book.css", "page.css", "notebook.css"))
    return f"{code}longhandStyle({json.dumps(style)});\n{engine}"


def _kernel() -> Any:
    """The shell of a notebook's kernel, or None."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if shell is not None and hasattr(shell, "kernel") else None


def alive(wanted: bool = True) -> None:
    """Whether numbers in a notebook can be opened and changed, as on the pages of longhand book.

    Without a call they can, and the first output brings the engine with it (0.5 MB, once for a notebook). alive() puts the engine
    into the output of this cell: then it is in the file whichever other cells are run again. alive(False): outputs are plain
    tables and pictures from now on.
    """
    global _wanted
    if wanted and script() is None:
        raise LonghandError("this library was built without the engine for pages",
                            cure="build it where clang, lld and wasi-libc are installed; plain outputs need nothing")
    _wanted = bool(wanted)
    if wanted and _kernel() is not None:
        _hand_over(_kernel())


def is_wanted() -> bool:
    """Are outputs to be alive? Where there is no notebook, only after alive()."""
    return (_wanted if _wanted is not None else _kernel() is not None) and script() is not None


def _hand_over(shell: Any) -> None:
    global _carrier, _run, _is_handed
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    _carrier = parent.get("metadata", {}).get("cellId")
    _run = parent.get("header", {}).get("msg_id")
    _is_handed = True
    shell.display_pub.publish(data={"application/javascript": script(), "text/plain": ""})


def _hand_over_once(shell: Any) -> None:
    """Once for a notebook; once more where the cell that has it is run again, since its output is gone."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    is_again = (_carrier is not None and parent.get("metadata", {}).get("cellId") == _carrier and
                parent.get("header", {}).get("msg_id") != _run)
    if not _is_handed or is_again:
        _hand_over(shell)


def output(recipe: Optional[Dict[str, Any]], html: str) -> str:
    """HTML whose numbers have their addresses, as an output that comes to life where scripts run."""
    if recipe is None:
        return html
    shell = _kernel()
    if shell is not None:
        _hand_over_once(shell)
    return f'<longhand-output data-program="{escape(json.dumps(recipe))}">{html}</longhand-output>'


class Recipe:
    """What was done to a program, for an engine that has to come to the same numbers.

    What a page cannot repeat is noted as such; then outputs are plain. Numbers are compared by the page before anything is said of
    them, so that something forgotten here makes an output plain, never wrong.
    """

    def __init__(self) -> None:
        self.settings: Dict[str, str] = {}
        self.written: Dict[str, str] = {}
        self.beyond: Set[str] = set()  # what a page cannot repeat: program, numbers, held, batch, training, model, prompt

    def set(self, name: str, value: str) -> None:
        """A setting: the last of a name counts, and values begin at their starts."""
        self.settings.pop(name, None)
        self.settings[name] = value
        self.build()

    def change(self) -> None:
        """The program is another one."""
        self.beyond.add("program")
        self.build()

    def build(self) -> None:
        """The program is built anew: no step is held, values are at their starts."""
        self.beyond.discard("held")
        self.reset()

    def reset(self) -> None:
        """Values are at their starts."""
        self.written.clear()
        self.beyond.discard("numbers")

    def restore(self) -> None:
        """The program is as it was opened."""
        self.settings.clear()
        self.beyond.discard("program")
        self.build()

    def note(self, what: str, is_so: bool = True) -> None:
        """Something that a page cannot repeat, or no longer is so."""
        if is_so:
            self.beyond.add(what)
        else:
            self.beyond.discard(what)

    def write(self, program: Any, address: str) -> None:
        """Numbers were set: of a given, before the first update, a page can do the same."""
        path = re.sub(r"(\{[^}]*\})?(\[\d+\])*$", "", address) if address not in program else address
        step, size = program.find(path), program.size(path)
        if step.kind != "given" or step.per_example or size.heads > 1 or size.rows * size.cols > MOST_CELLS or program.updates:
            self.beyond.add("numbers")
        else:
            self.written[step.path] = numbers.notation(program.array(step.path))

    def of(self, program: Any, at_start: bool = False) -> Optional[Dict[str, Any]]:
        """For a page; None: it cannot come to these numbers. at_start: those before anything was written or learned."""
        text = program.text
        beyond = self.beyond - {"numbers", "held"} if at_start else self.beyond
        if beyond or re.search(r"\bfile\s*\(", text):
            return None
        done = self.settings if at_start else {**self.settings, **self.written}
        return {"text": text, "settings": [[k, v] for k, v in done.items()], "step": 0 if at_start else program.updates}
