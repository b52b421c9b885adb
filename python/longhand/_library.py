"""The shared library: where it is, and what its header declares (include/longhand.h), for ctypes."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_size_t, c_ulonglong,
                    c_void_p)
from pathlib import Path
from typing import List, Optional

AS_TEXT, AS_JSON, AS_HTML, AS_MARKDOWN, AS_CSV, AS_SVG = range(6)


class Message(Structure):
    _fields_ = [("kind", c_int), ("file", c_char_p), ("line", c_int), ("column", c_int), ("source", c_char_p),
                ("what", c_char_p), ("cure", c_char_p)]


class Step(Structure):
    _fields_ = [("kind", c_int), ("path", c_char_p), ("formula", c_char_p), ("comment", c_char_p), ("shape", c_char_p),
                ("per_example", c_bool), ("line", c_int), ("may_be_set", c_bool), ("learns", c_bool)]


class Size(Structure):
    _fields_ = [("examples", c_int), ("heads", c_int), ("rows", c_int), ("cols", c_int)]


class Part(Structure):
    _fields_ = [("example", c_int), ("head", c_int), ("row_step", c_size_t), ("col_step", c_size_t)]


class Line(Structure):
    _fields_ = [("depth", c_int), ("label", c_char_p), ("formula", c_char_p), ("numbers", c_char_p), ("value", c_double),
                ("note", c_char_p)]


class Explanation(Structure):
    _fields_ = [("value", c_double), ("path", c_char_p), ("comment", c_char_p), ("where", c_char_p), ("n_lines", c_int),
                ("line", POINTER(POINTER(Line)))]


class Detail(Structure):
    _fields_ = [("size", c_size_t), ("digits", c_int), ("deep", c_bool), ("all_terms", c_bool)]


class Amount(Structure):
    _fields_ = [("number", c_double), ("formula", c_char_p)]


class Bill(Structure):
    _fields_ = [(name, Amount) for name in ("parameters", "states", "multiply_adds", "operations", "once_multiply_adds",
                                            "once_operations")]


class PlotHow(Structure):
    _fields_ = [("size", c_size_t), ("form", c_int), ("width", c_int), ("updates", c_int), ("log_y", c_bool),
                ("in_words", c_bool)]


class GraphHow(Structure):
    _fields_ = [("size", c_size_t), ("to", c_char_p), ("all", c_bool), ("forward", c_bool)]


class SheetHow(Structure):
    _fields_ = [("size", c_size_t), ("form", c_int), ("seed", c_ulonglong), ("digits", c_int), ("steps", POINTER(c_char_p)),
                ("n_steps", c_int), ("key", c_bool)]


class MarkHow(Structure):
    _fields_ = [("size", c_size_t), ("form", c_int), ("seed", c_ulonglong), ("digits", c_int), ("few_digits", c_int)]


class Marks(Structure):
    _fields_ = [("credit", c_int), ("total", c_int), ("points", c_double), ("report", c_char_p)]


class Exercise(Structure):
    _fields_ = [("kind", c_char_p), ("title", c_char_p), ("question", c_char_p), ("form", c_char_p), ("n_choices", c_int),
                ("choice", POINTER(c_char_p)), ("n_hints", c_int), ("hint", POINTER(c_char_p)), ("key", c_char_p),
                ("because", c_char_p)]


class Answered(Structure):
    _fields_ = [("verdict", c_int), ("n_lines", c_int), ("line", POINTER(c_char_p)), ("error", c_char_p), ("column", c_int)]


class Progress(Structure):
    _fields_ = [("step", c_int), ("steps", c_int), ("loss", c_double), ("held_out", c_double), ("seconds", c_double)]


PROGRESS = CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))
TOKEN = CFUNCTYPE(c_bool, c_void_p, c_int, POINTER(c_char), c_size_t)


class LearnHow(Structure):
    _fields_ = [("size", c_size_t), ("text", c_char_p), ("text_length", c_size_t), ("file", c_char_p), ("task", c_char_p),
                ("tokens", c_char_p), ("lines", c_bool), ("steps", c_int), ("batch", c_int), ("micro", c_int),
                ("precision", c_char_p), ("rate", c_char_p), ("seed", c_int), ("threads", c_int), ("every", c_int),
                ("progress", PROGRESS), ("who", c_void_p), ("recompute", c_bool)]


class LookHow(Structure):
    _fields_ = [("size", c_size_t), ("form", c_int), ("layer", c_int), ("head", c_int)]


class SampleHow(Structure):
    _fields_ = [("size", c_size_t), ("number", c_int), ("greedy", c_bool), ("temperature", c_double), ("top_k", c_int),
                ("top_p", c_double), ("seed", c_int), ("threads", c_int), ("context", c_int), ("precision", c_char_p),
                ("token", TOKEN), ("who", c_void_p)]


class Operand(Structure):
    _fields_ = [("name", c_char_p), ("part", Part), ("cell", POINTER(c_double)), ("n", c_size_t)]


class Rule(Structure):
    _fields_ = [("text", c_char_p), ("place", c_int), ("letter", c_char_p), ("number", c_int), ("look", c_bool)]


_handle, _text, _doubles, _floats = c_void_p, c_char_p, POINTER(c_double), POINTER(c_float)

# Name: what it returns, and what it takes behind the handle. A handle is the first argument of all but the first two.
FUNCTIONS = {
    "open_text": (None, [_text, c_char_p, c_size_t]),
    "open_file": (None, [_text]),
    "open_lesson": (None, [_text]),
    "open_folder": (None, [_text]),
    "set_folder": (None, [_text]),
    "title": (_text, []),
    "text": (_text, []),
    "set": (None, [_text, _text]),
    "train": (None, [_text]),
    "freeze": (None, [_text]),
    "differentiate": (None, [_text]),
    "restore": (None, []),
    "batch": (None, [POINTER(c_int), c_int]),
    "examples": (c_int, []),
    "training": (None, [c_bool]),
    "run": (None, []),
    "update": (None, []),
    "updates": (c_int, []),
    "reset": (None, []),
    "trouble": (_text, []),
    "steps": (c_int, []),
    "step_at": (POINTER(Step), [c_int]),
    "find": (POINTER(Step), [_text]),
    "value": (c_double, [_text]),
    "set_value": (None, [_text, c_double]),
    "size_of": (Size, [_text, c_int]),
    "read": (c_size_t, [_text, Part, c_void_p, c_size_t]),
    "read_float": (c_size_t, [_text, Part, c_void_p, c_size_t]),
    "write": (None, [_text, Part, c_void_p, c_size_t]),
    "write_float": (None, [_text, Part, c_void_p, c_size_t]),
    "view": (c_void_p, [_text, POINTER(Part)]),
    "hold": (None, [_text]),
    "release": (None, [_text]),
    "token": (c_int, [_text, _text]),
    "word": (_text, [_text, c_int]),
    "explain": (POINTER(Explanation), [_text, POINTER(Detail)]),
    "explain_as": (_text, [_text, POINTER(Detail), c_int]),
    "trace": (_text, [_text, c_int]),
    "check": (c_bool, [c_int, POINTER(c_char_p)]),
    "cost": (POINTER(Bill), []),
    "cost_as": (_text, [c_int]),
    "plot": (_text, [_text, POINTER(PlotHow)]),
    "graph": (_text, [POINTER(GraphHow)]),
    "diagram": (_text, [_text, c_int]),
    "sheet": (_text, [POINTER(SheetHow)]),
    "mark": (POINTER(Marks), [c_char_p, c_size_t, POINTER(MarkHow)]),
    "exercises": (c_int, []),
    "exercise_at": (POINTER(Exercise), [c_int]),
    "answer": (POINTER(Answered), [c_int, _text]),
    "load": (None, [_text]),
    "save": (None, [_text]),
    "learn": (c_int, [POINTER(LearnHow)]),
    "prompt": (None, [_text]),
    "prompt_tokens": (POINTER(c_int), [POINTER(c_int)]),
    "piece": (c_void_p, [c_int, POINTER(c_size_t)]),
    "logits": (c_size_t, [c_void_p, c_size_t]),
    "look": (_text, [POINTER(LookHow)]),
    "sample": (_text, [_text, POINTER(SampleHow)]),
    "evaluate": (c_size_t, [_text, POINTER(Operand), c_int, Part, c_void_p, c_size_t]),
    "matches": (c_int, [_text, Rule]),
    "rewrite": (None, [_text, Rule]),
}


def candidates() -> List[str]:
    """Where the library may be, in this order: LONGHAND_LIBRARY, beside this file, where the system has its libraries."""
    here = Path(__file__).resolve().parent
    found = [os.environ.get("LONGHAND_LIBRARY", "")]
    found += [str(p) for pattern in ("liblonghand.so*", "liblonghand*.dylib") for p in sorted(here.glob(pattern))]
    found.append(ctypes.util.find_library("longhand") or "")
    return [p for p in found if p]


def _open() -> ctypes.CDLL:
    tried = []
    for path in candidates():
        try:
            return _declare(ctypes.CDLL(path))
        except (OSError, AttributeError) as error:
            tried.append(f"{path}: {error}")
    raise ImportError("the library liblonghand cannot be loaded" + "".join("\n  " + t for t in tried) +
                      "\nthe wheel has it inside; otherwise install liblonghand0, or name it in LONGHAND_LIBRARY")


def _declare(lib: ctypes.CDLL) -> ctypes.CDLL:
    lib.longhand_version.restype = c_char_p
    lib.longhand_new.restype = c_void_p
    lib.longhand_free.argtypes = [c_void_p]
    lib.longhand_free.restype = None
    lib.longhand_error.argtypes = [c_void_p]
    lib.longhand_error.restype = POINTER(Message)
    lib.longhand_clear_error.argtypes = [c_void_p]
    lib.longhand_clear_error.restype = None
    lib.longhand_lesson.argtypes = [c_int]
    lib.longhand_lesson.restype = c_char_p
    lib.longhand_file.argtypes = [c_char_p, POINTER(c_size_t)]
    lib.longhand_file.restype = c_void_p
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(lib, "longhand_" + name)
        function.argtypes = [_handle] + arguments
        function.restype = result
    return lib


_library: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed."""
    global _library
    if _library is None:
        _library = _open()
    return _library
