"""How the numbers of each number system lie in arrays and in files."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.io.container import Stored
from capax.model.numbers import Fixed, Float, Integer, parse
from capax.model.parts import Array


@dataclass(frozen=True, slots=True)
class Storage:
    """What keeps the numbers of a system: a dtype in files, one in arrays, and the bits that one number has.

    Integers are from `least` to `most`.
    """

    file: str
    array: str
    bits: int
    least: int | None = None
    most: int | None = None


_FLOATS: Final = {
    "float64": Storage("F64", "float64", 64),
    "float32": Storage("F32", "float32", 32),
    "float16": Storage("F16", "float32", 16),
    "bfloat16": Storage("BF16", "float32", 16),
}
_BYTES: Final = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8"}


def storage_of(numbers: str) -> Storage:
    """How the numbers of a system are kept; a name that names no system is an error."""
    match parse(numbers):
        case Float(name):
            return _FLOATS[name]
        case (Fixed() | Integer()) as system:
            return Storage("I64", "int64", system.bits, system.least, system.most)


def is_exact(array: Array, storage: Storage) -> bool:
    """Whether the numbers of an array are finite numbers of the system, to be kept as they are."""
    if array.dtype != np.dtype(storage.array):
        return False
    if storage.least is not None and storage.most is not None:
        return bool(np.all((array >= storage.least) & (array <= storage.most)))
    if not np.isfinite(array).all():
        return False
    match storage.file:
        case "BF16":
            return not np.any(np.ascontiguousarray(array).view(np.uint32) & 0xFFFF)
        case "F16":
            small = np.abs(array) <= np.finfo(np.float16).max
            return bool(np.all(small & (np.where(small, array, 0).astype(np.float16) == array)))
        case _:
            return True


def stored(array: Array, storage: Storage) -> Stored:
    """An array whose numbers can be kept, as a tensor of a file."""
    assert is_exact(array, storage), "rounding is not for files to do"
    if storage.file == "BF16":
        bits = np.ascontiguousarray(array, dtype="<f4").view("<u4")
        return Stored("BF16", array.shape, (bits >> 16).astype("<u2").tobytes())
    return Stored(storage.file, array.shape, np.ascontiguousarray(array).astype(_BYTES[storage.file]).tobytes())


def array_of(tensor: Stored, storage: Storage) -> Array:
    """The numbers of a tensor of a file; they lie in the file's own bytes where they can."""
    flat = np.frombuffer(tensor.data, dtype=_BYTES[storage.file])
    if storage.file == "BF16":
        flat = (flat.astype("<u4") << 16).view("<f4")
    array: Array = flat.astype(storage.array, copy=not flat.flags.aligned).reshape(tensor.shape)
    return array
