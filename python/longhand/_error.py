"""What goes wrong, as an exception with its place and its cure."""
from __future__ import annotations

KINDS = ("ok", "text", "name", "shape", "value", "limit", "file", "memory")


class LonghandError(Exception):
    """An error of the engine.

    kind     text, name, shape, value, limit, file or memory
    file     which text it is in, or ""
    line     where in it, from 1; 0: nowhere
    column   likewise
    source   that line of it, or ""
    what     what is wrong, both sides named
    cure     the likely cure, or ""
    """

    def __init__(self, what: str, *, kind: str = "value", file: str = "", line: int = 0, column: int = 0, source: str = "",
                 cure: str = "") -> None:
        super().__init__(what)
        self.what, self.kind, self.file = what, kind, file
        self.line, self.column, self.source, self.cure = line, column, source, cure

    def __reduce__(self):
        return (_again, (self.what, self.kind, self.file, self.line, self.column, self.source, self.cure))

    def __str__(self) -> str:
        place = ":".join([self.file or "line"] + [str(n) for n in (self.line, self.column) if n]) if self.line else self.file
        text = f"{place}: {self.what}" if place else self.what
        if self.source:
            text += "\n    " + self.source
            if 0 < self.column <= len(self.source) + 1:
                text += "\n    " + " " * (self.column - 1) + "^"
        return text + ("\n" + self.cure if self.cure else "")


def _again(what, kind, file, line, column, source, cure) -> LonghandError:
    return LonghandError(what, kind=kind, file=file, line=line, column=column, source=source, cure=cure)
