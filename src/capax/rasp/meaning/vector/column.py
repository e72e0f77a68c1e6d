"""Columns: the values of an s-op on a batch, as arrays that lose nothing.

A column has one of six kinds. `int`, `float` and `bool` are plain arrays; `str` holds codes into
the evaluation's vocabulary; `mixed` holds numbers of different Python types as floats with a tag
each; `object` holds anything else as Python values (integers beyond 2^53 among floats or beyond
64 bits, strings among numbers).
"""

from collections.abc import Iterable
from collections.abc import Sequence as Items
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.rasp.ir.types import Atom

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Tags: TypeAlias = NDArray[np.uint8]
Exact: TypeAlias = NDArray[Any]
"""Integers without loss: int64 where they fit, Python integers in an object array where they do not."""

SAFE = 1 << 53
"""Up to here every integer is a float64."""
WIDE = 1 << 62
"""Up to here sums of two stay inside int64."""


Kind: TypeAlias = Literal["int", "float", "bool", "str", "mixed", "object"]

BOOL, INT, FLOAT = 0, 1, 2
"""The tags of a mixed column."""

_TAG_OF = {"bool": BOOL, "int": INT, "float": FLOAT}


class StringTable:
    """The strings of an evaluation, each with a code."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._codes: dict[str, int] = {}
        self._ranks: Ints | None = None

    def code(self, text: str) -> int:
        """The code of a string, a new one if need be."""
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = len(self.strings)
            self.strings.append(text)
        return code

    def codes(self, texts: Iterable[str]) -> Ints:
        """The codes of several strings."""
        return np.fromiter((self.code(t) for t in texts), dtype=np.int64)

    def ranks(self) -> Ints:
        """For each code its rank in the order of the strings."""
        if self._ranks is None or len(self._ranks) != len(self.strings):
            order = sorted(range(len(self.strings)), key=self.strings.__getitem__)
            self._ranks = np.empty(len(order), dtype=np.int64)
            self._ranks[order] = np.arange(len(order))
        return self._ranks


@dataclass(frozen=True, slots=True)
class Column:
    """The values of an s-op at all flat positions of a batch."""

    kind: Kind
    data: NDArray[Any]
    vocabulary: StringTable
    tags: Tags | None = None

    def __len__(self) -> int:
        return len(self.data)

    def take(self, where: Ints | Bools) -> "Column":
        """The values at some positions."""
        tags = None if self.tags is None else self.tags[where]
        return Column(self.kind, self.data[where], self.vocabulary, tags)

    def values(self, start: int = 0, stop: int | None = None) -> list[Any]:
        """The values as Python values, of the types that the language gives them."""
        part: list[Any] = self.data[start:stop].tolist()
        if self.kind == "str":
            strings = self.vocabulary.strings
            return [strings[code] for code in part]
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
        if not len(self.data):
            return 0
        if self.kind == "int":
            return max(abs(int(self.data.min())), abs(int(self.data.max())))
        return 1 if self.kind == "bool" else float(np.abs(self.data).max())


def from_values(values: Items[Atom] | list[Any], vocabulary: StringTable) -> Column:
    """The column of some Python values, in the tightest kind."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return Column("str", vocabulary.codes(values), vocabulary)  # type: ignore[arg-type]
    if kinds == {bool}:
        return Column("bool", np.array(values, dtype=np.bool_), vocabulary)
    if kinds == {float}:
        return Column("float", np.array(values, dtype=np.float64), vocabulary)
    try:
        if kinds == {int}:
            return Column("int", np.array(values, dtype=np.int64), vocabulary)
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
    if len(tags) and (tags == tags[0]).all():
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
    one = from_values([value], vocabulary)
    return one.take(np.zeros(size, dtype=np.int64))


def factorized(column: Column) -> tuple[Ints, list[Any]]:
    """Codes for the values of a column, and the value of each code; 1, 1.0 and True have codes of their own."""
    if column.kind == "str":
        used, codes = np.unique(column.data, return_inverse=True)
        return codes.reshape(-1), [column.vocabulary.strings[c] for c in used.tolist()]
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
    else:
        _, first, codes = np.unique(data, return_index=True, return_inverse=True)
    return codes.reshape(-1), column.take(first).values()
