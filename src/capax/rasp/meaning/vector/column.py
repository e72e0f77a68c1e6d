"""Columns: the values of an s-op on a batch, as arrays that lose nothing.

A column has one of six kinds. `int`, `float` and `bool` are plain arrays; `str` holds codes into
the evaluation's vocabulary; `mixed` holds numbers of different Python types as floats with a tag
each; `object` holds anything else as Python values (integers beyond 2^53 among floats or beyond
64 bits, strings among numbers).
"""

from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.rasp.ir.types import Atom
from capax.rasp.meaning.vector.distinct import Bools, Floats, Ints, distinct, repeated
from capax.rasp.meaning.vector.strings import StringTable

Tags: TypeAlias = NDArray[np.uint8]
Exact: TypeAlias = NDArray[Any]
"""Integers without loss: int64 where they fit, Python integers in an object array where they do not."""

SAFE = 1 << 53
"""Up to here every integer is a float64."""
WIDE = 1 << 62
"""Up to here sums of two stay inside int64."""


MANY = 10_000
"""From here on it pays to look for equal integers."""
EQUAL_ONES = 8
"""So many equal integers on average share an object."""

Kind: TypeAlias = Literal["int", "float", "bool", "str", "mixed", "object"]

BOOL, INT, FLOAT = 0, 1, 2
"""The tags of a mixed column."""

_TAG_OF = {"bool": BOOL, "int": INT, "float": FLOAT}


@dataclass(slots=True, eq=False)
class Column:
    """The values of an s-op, one for each position of a batch, or one for each of its words; never changed.

    `bound`, if there is one, is a number that no number of the column exceeds in size.
    """

    kind: Kind
    data: NDArray[Any]
    vocabulary: StringTable
    tags: Tags | None = None
    bound: int | float | None = None

    def __len__(self) -> int:
        return len(self.data)

    def take(self, where: Ints | Bools) -> "Column":
        """The values at some positions."""
        tags = None if self.tags is None else self.tags[where]
        return Column(self.kind, self.data[where], self.vocabulary, tags, self.bound)

    def repeated(self, size: int) -> "Column":
        """The only value of the column, some times, without taking memory for each."""
        tags = None if self.tags is None else repeated(self.tags, size)
        return Column(self.kind, repeated(self.data, size), self.vocabulary, tags, self.bound)

    def values(self, start: int = 0, stop: int | None = None) -> list[Any]:
        """The values as Python values, of the types that the language gives them."""
        if self.kind == "str":
            return self.vocabulary.texts(self.data[start:stop])
        if self.kind == "int" and len(self.data) >= MANY:
            return _integers(self.data[start:stop])
        part: list[Any] = self.data[start:stop].tolist()
        if self.tags is not None:
            for i in np.flatnonzero(self.tags[start:stop] != FLOAT).tolist():
                part[i] = bool(part[i]) if self.tags[start + i] == BOOL else int(part[i])
        return part

    def value(self, at: int) -> Any:
        """One value."""
        return self.values(at, at + 1)[0]

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers, held as numbers."""
        return self.kind in ("int", "float", "bool", "mixed")

    def tag_array(self) -> Tags:
        """The tags of a numeric column."""
        if self.tags is not None:
            return self.tags
        return np.full(len(self.data), _TAG_OF[self.kind], dtype=np.uint8)

    def floats(self) -> Floats:
        """The values of a numeric column as floats."""
        return self.data.astype(np.float64, copy=False)

    def largest(self) -> int | float:
        """A bound on the absolute values of a numeric column."""
        if self.bound is not None and self.bound <= SAFE:
            return self.bound
        if not len(self.data):
            return 0
        if self.kind == "int":
            return max(abs(int(self.data.min())), abs(int(self.data.max())))
        return 1 if self.kind == "bool" else float(np.abs(self.data).max())


def _integers(data: Ints) -> list[int]:
    """Integers as Python integers: where many are equal, one object for all of them."""
    low, high = int(data.min(initial=0)), int(data.max(initial=0))
    values: list[int]
    if (high - low) * EQUAL_ONES > len(data):
        values = data.tolist()
        return values
    values = (np.arange(high - low + 1) + low).astype(object)[data - low].tolist()
    return values


def from_values(values: Items[Atom] | list[Any], vocabulary: StringTable) -> Column:
    """The column of some Python values, in the tightest kind."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return Column("str", vocabulary.codes(values), vocabulary)  # type: ignore[arg-type]
    if kinds == {bool}:
        return Column("bool", np.fromiter(values, np.bool_, len(values)), vocabulary)
    if kinds == {float}:
        return Column("float", np.fromiter(values, np.float64, len(values)), vocabulary)
    try:
        if kinds == {int}:
            return Column("int", np.fromiter(values, np.int64, len(values)), vocabulary)
        if kinds <= {int, bool, float} and all(type(v) is not int or -SAFE <= v <= SAFE for v in values):
            tags = np.fromiter((_TAG_OF[type(v).__name__] for v in values), dtype=np.uint8, count=len(values))
            return Column("mixed", np.array(values, dtype=np.float64), vocabulary, tags)
    except OverflowError:
        pass
    boxed = np.empty(len(values), dtype=object)
    boxed[:] = values
    return Column("object", boxed, vocabulary)


def tagged(data: Floats, tags: Tags, vocabulary: StringTable) -> Column:
    """The column of numbers with tags, in the tightest kind; integers must be within 2^53."""
    if len(tags) and np.count_nonzero(tags == tags[0]) == len(tags):
        match int(tags[0]):
            case 2:
                return Column("float", data, vocabulary)
            case 1:
                return Column("int", data.astype(np.int64), vocabulary)
            case _:
                return Column("bool", data.astype(np.bool_), vocabulary)
    return Column("mixed", data, vocabulary, tags)


def constant(value: Atom, size: int, vocabulary: StringTable) -> Column:
    """The column that has one value everywhere."""
    column = from_values([value], vocabulary)
    if type(value) is int and column.kind == "int":
        column.bound = abs(value)
    return column if size == 1 else column.repeated(size)


def factorized(column: Column) -> tuple[Ints, list[Any]]:
    """Codes for the values of a column, and the value of each code; 1, 1.0 and True have codes of their own."""
    if column.kind == "object":
        table: dict[tuple[type, Any], int] = {}
        values = column.data.tolist()
        keys = [(float, v.hex()) if isinstance(v, float) else (type(v), v) for v in values]
        codes = np.fromiter((table.setdefault(k, len(table)) for k in keys), dtype=np.int64, count=len(keys))
        return codes, [float.fromhex(v) if kind is float else v for kind, v in table]
    data = column.data
    if column.kind in ("float", "mixed"):
        data = data.view(np.int64)  # tells 0.0 from -0.0
    if column.tags is not None:
        pairs = np.stack([data, column.tags.astype(np.int64)], axis=1)
        _, first, codes = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        return codes.reshape(-1), column.take(first).values()
    known, codes = distinct(data.astype(np.int64, copy=False))
    plain = known.view(np.float64) if column.kind == "float" else known.astype(data.dtype, copy=False)
    return codes, Column(column.kind, plain, column.vocabulary).values()
