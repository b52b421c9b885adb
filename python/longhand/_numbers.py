"""Matrices on their way in and out: NumPy where it is there, lists where it is not."""
from __future__ import annotations

import ctypes
from typing import Any, List, NamedTuple, Optional, Tuple

try:
    import numpy
except ImportError:  # lists will do
    numpy = None

_TYPES = {8: ctypes.c_double, 4: ctypes.c_float}


class Block(NamedTuple):
    """A matrix in memory: where it begins, what a number takes, how far rows and columns lie apart (in numbers)."""

    address: int
    item: int
    rows: int
    cols: int
    row_step: int
    col_step: int
    owner: Any  # keeps the memory alive

    @property
    def span(self) -> int:
        """How many numbers of the array it takes, from its first to its last."""
        return (self.rows - 1) * self.row_step + (self.cols - 1) * self.col_step + 1


def _steps(shape: Tuple[int, ...], strides: Tuple[int, ...], item: int) -> Optional[Tuple[int, int, int, int]]:
    """Rows, columns and their distances, where this layout can be handed over as it is."""
    if len(shape) == 0:
        shape, strides = (1, 1), (item, item)
    elif len(shape) == 1:
        shape, strides = (1,) + tuple(shape), (0,) + tuple(strides)
    if len(shape) != 2 or 0 in shape:
        return None
    (rows, cols), (by_row, by_col) = shape, strides
    if cols == 1:
        by_col = item
    if rows == 1:
        by_row = cols * by_col
    if by_row <= 0 or by_col <= 0 or by_row % item or by_col % item:
        return None
    return rows, cols, by_row // item, by_col // item


def _from_interface(x: Any) -> Optional[Block]:
    """Of what says where it lies: NumPy arrays, tensors of PyTorch on the processor, and others."""
    if numpy is not None and isinstance(x, numpy.ndarray):
        if x.dtype.kind != "f" or x.dtype.itemsize not in _TYPES or not x.dtype.isnative:
            return None
        steps = _steps(x.shape, x.strides, x.dtype.itemsize)
        return Block(x.ctypes.data, x.dtype.itemsize, *steps, x) if steps else None
    if hasattr(x, "data_ptr") and hasattr(x, "element_size") and hasattr(x, "stride"):
        return _from_tensor(x)
    found = _from_dlpack(x) if hasattr(x, "__dlpack__") else None
    if found:
        return found
    if numpy is not None and any(hasattr(x, name) for name in ("__array_interface__", "__array__", "__dlpack__")):
        says_itself = hasattr(x, "__array_interface__") or hasattr(x, "__array__")
        array = numpy.asarray(x) if says_itself else numpy.from_dlpack(x)
        return _from_interface(array) or _from_interface(numpy.asarray(array, dtype=float))
    try:
        view = memoryview(x)
    except TypeError:
        return None
    if view.format not in ("d", "f") or view.ndim > 2 or view.readonly:
        return None
    steps = _steps(view.shape or (), view.strides or (), view.itemsize)
    address = ctypes.addressof(ctypes.c_char.from_buffer(view)) if steps else 0
    return Block(address, view.itemsize, *steps, view) if steps else None


def _from_tensor(x: Any) -> Optional[Block]:
    """A tensor of PyTorch: in place on the processor, where it is float or double."""
    x = x.detach()
    item = x.element_size()
    if getattr(x.device, "type", "cpu") != "cpu" or not x.is_floating_point() or item not in _TYPES:
        return None
    steps = _steps(tuple(x.shape), tuple(s * item for s in x.stride()), item)
    return Block(x.data_ptr(), item, *steps, x) if steps else None


class _DLTensor(ctypes.Structure):
    """As DLPack lays it out."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int), ("ndim", ctypes.c_int),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_DL_PROCESSOR, _DL_FLOAT = 1, 2


def _from_dlpack(x: Any) -> Optional[Block]:
    """Of what speaks DLPack, in place where it lies in the processor's memory in float or double; it needs no NumPy.

    The capsule is not used up: it stays ours while we read, and gives the memory back when we let go of it.
    """
    try:
        if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] != _DL_PROCESSOR:
            return None
        capsule = x.__dlpack__()
    except (BufferError, RuntimeError, TypeError):  # it says that it cannot
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    t = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    item = t.bits // 8
    if t.device_type != _DL_PROCESSOR or t.code != _DL_FLOAT or t.lanes != 1 or item not in _TYPES:
        return None
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = tuple(t.strides[i] * item for i in range(t.ndim)) if t.strides else _tight(shape, item)
    steps = _steps(shape, strides, item)
    return Block(t.data + t.byte_offset, item, *steps, (x, capsule)) if steps else None


def _tight(shape: Tuple[int, ...], item: int) -> Tuple[int, ...]:
    """Strides in bytes where there are none: row after row."""
    strides: List[int] = []
    for n in reversed(shape):
        strides.insert(0, item)
        item *= n
    return tuple(strides)


def _rows_of(x: Any) -> List[List[float]]:
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (int, float)):
        return [[float(x)]]
    rows = [list(r) if isinstance(r, (list, tuple)) else r for r in x]
    if rows and not isinstance(rows[0], list):
        rows = [rows]
    if not rows or any(not isinstance(r, list) or len(r) != len(rows[0]) for r in rows):
        raise ValueError("a matrix is expected: rows of the same length")
    return [[float(v) for v in r] for r in rows]


def block_of(x: Any) -> Block:
    """A matrix as a block in memory: the caller's own where its layout allows it, else a copy."""
    found = _from_interface(x)
    if found:
        return found
    if numpy is not None and hasattr(x, "__array__"):
        return block_of(numpy.ascontiguousarray(x, dtype=float))
    rows = _rows_of(x)
    n, m = len(rows), len(rows[0])
    copy = (ctypes.c_double * (n * m))(*[v for r in rows for v in r])
    return Block(ctypes.addressof(copy), 8, n, m, m, 1, copy)


def empty(rows: int, cols: int, item: int) -> Tuple[Any, int]:
    """Room for a matrix, and where it lies."""
    if numpy is not None:
        array = numpy.empty((rows, cols), dtype="f8" if item == 8 else "f4")
        return array, array.ctypes.data
    array = (_TYPES[item] * (rows * cols))()
    return array, ctypes.addressof(array)


def finished(array: Any, rows: int, cols: int) -> Any:
    """What the caller gets: the array, or lists."""
    if numpy is not None:
        return array
    return [list(array[r * cols:(r + 1) * cols]) for r in range(rows)]


def view(address: int, rows: int, cols: int, row_step: int, col_step: int, owner: Any) -> Any:
    """Memory of the engine, to be read in place."""
    span = (rows - 1) * row_step + (cols - 1) * col_step + 1
    memory = (ctypes.c_double * span).from_address(address)
    memory._owner = owner  # the program lives as long as the view
    flat = numpy.frombuffer(memory, dtype="f8")
    array = numpy.lib.stride_tricks.as_strided(flat, (rows, cols), (8 * row_step, 8 * col_step), writeable=False)
    return array


def stacked(parts: List[Any]) -> Any:
    """Several matrices as one array where they have one shape, else a list of them."""
    if numpy is not None and len({p.shape for p in parts}) == 1:
        return numpy.stack(parts)
    return parts


def row(parts: List[Any]) -> Any:
    """Numbers, or rows of numbers, one after the other."""
    return numpy.array(parts) if numpy is not None else parts


def notation(x: Any) -> str:
    """A value as the notation writes it: 0.5, [1 2; 3 4]."""
    if isinstance(x, str):
        return x
    if isinstance(x, bool):
        return str(int(x))
    if isinstance(x, (int, float)):
        return repr(x)
    rows = _rows_of(x)
    if len(rows) == 1 and len(rows[0]) == 1:
        return repr(rows[0][0])
    return "[" + "; ".join(" ".join(repr(v) for v in r) for r in rows) + "]"
