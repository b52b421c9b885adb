"""%%longhand: a cell of notation, run."""
from __future__ import annotations

from typing import Any, Optional

from IPython.core.magic import Magics, cell_magic, magics_class  # type: ignore[import-not-found]

from . import program
from ._error import LonghandError


@magics_class
class LonghandMagics(Magics):
    """
    %%longhand [NAME]       the program is the variable NAME afterwards; without a name, longhand_program
    """

    @cell_magic
    def longhand(self, line: str, cell: str) -> Optional[Any]:
        name = line.strip() or "longhand_program"
        if not name.isidentifier():
            raise LonghandError(f"%%longhand takes the name of a variable, and {name!r} is none", cure="%%longhand m")
        m = program(cell, "cell.lh")
        m.run()
        self.shell.user_ns[name] = m
        return m
