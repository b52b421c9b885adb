"""Longhand: write a transformer as on paper; run, differentiate, train and explain it.

    import longhand
    m = longhand.open("ex1")
    m["P"]                                  # a matrix: an array of NumPy where that is there
    m.explain("P[1][0]")                    # every step of it

docs/python.md is the manual.
"""
from __future__ import annotations

import os
from typing import Any, List, Optional

from ._alive import alive
from ._error import LonghandError
from ._library import library as _engine
from ._program import (Amount, Answer, Cost, Exercise, Path, Program, Progress, Size, Step)
from ._show import Check, Explanation, Line, Look, Marks, Picture, Values

__all__ = [
    "Amount", "Answer", "Check", "Cost", "Exercise", "Explanation", "Line", "LonghandError", "Look", "Marks", "Picture", "Program",
    "Progress", "Size", "Step", "Values", "alive", "diagram", "lessons", "load", "mark", "open", "program", "version",
]


def version() -> str:
    """Which Longhand this is: "0.2.0"."""
    return _engine().longhand_version().decode()


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'longhand' has no attribute {name!r}")


def lessons() -> List[str]:
    """The lessons and models that travel in the library, by their short names: ex1, softmax, gpt."""
    names: List[str] = []
    while True:
        name = _engine().longhand_lesson(len(names))
        if not name:
            return names
        names.append(os.path.splitext(os.path.basename(name.decode()))[0])


def open(name: Path) -> Program:  # noqa: A001 (as open() opens files)
    """A lesson ("ex1", "attention:bag"), or a file: .lh, .md, "notes.md:fit"."""
    text = os.fspath(name)
    m = Program(text)
    path = text.rsplit(":", 1)[0] if not os.path.exists(text) else text
    if os.path.exists(path) and ("." in os.path.basename(path) or os.sep in path):
        m._call("open_file", text.encode())
    else:
        m._call("open_lesson", text.encode())
    return m


def program(text: str, name: str = "program.lh", folder: Optional[Path] = None) -> Program:
    """A program as text. folder: where file() in it may read; without it files are refused."""
    m = Program(name)
    if folder is not None:
        m._call("set_folder", os.fspath(folder).encode())
    data = text.encode()
    m._call("open_text", name.encode(), data if data else b" ", len(data) or 1)
    return m


def load(folder: Path) -> Program:
    """A trained model: a folder of longhand train, of Program.save, or of GPT-2 from Hugging Face."""
    m = Program(os.fspath(folder))
    m._call("open_folder", os.fspath(folder).encode())
    m._recipe.note("model")
    return m


def mark(lesson: Path, answers: Any, **how: Any) -> Marks:
    """Marks answers to a sheet of a lesson: see Program.mark."""
    with open(lesson) as m:
        return m.mark(answers, **how)


def diagram(name: str) -> Picture:
    """An architecture by its name: transformer, gpt, today."""
    with Program() as m:
        return m.diagram(name)


def load_ipython_extension(ipython: Any) -> None:
    """%load_ext longhand: then %%longhand runs a cell of notation."""
    from ._magic import LonghandMagics
    ipython.register_magics(LonghandMagics)
