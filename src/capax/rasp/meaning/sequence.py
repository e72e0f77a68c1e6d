"""What a program gives on a word: a typed sequence, or the matrix of a selector."""

import math
from collections.abc import Iterator
from collections.abc import Sequence as Items
from typing import Any, TypeAlias, overload

from capax.display import Displayed
from capax.rasp.ir.strings import string_text
from capax.rasp.ir.types import Atom, integer_text, sequence_type


class Sequence(Displayed, Items[Atom]):
    """The values of an s-op on a word: reads like a list, and knows its type.

    >>> s = Sequence([1, 2, 3])
    >>> s, s.type, s == [1, 2, 3], s[-1]
    ([1, 2, 3], 'ints', True, 3)
    >>> print(s)
    [1, 2, 3] (ints)
    """

    __slots__ = ("type", "values")

    def __init__(self, values: Items[Atom], type: str | None = None) -> None:
        self.values = tuple(values)
        self.type = sequence_type(self.values) if type is None else type

    @overload
    def __getitem__(self, index: int) -> Atom: ...
    @overload
    def __getitem__(self, index: slice) -> Items[Atom]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """The value at a position, or a list of values."""
        return list(self.values[index]) if isinstance(index, slice) else self.values[index]

    def __len__(self) -> int:
        """The length of the word."""
        return len(self.values)

    def __iter__(self) -> Iterator[Atom]:
        return iter(self.values)

    def __eq__(self, other: object) -> bool:
        """Whether the other list, tuple or sequence holds equal values."""
        if isinstance(other, Sequence):
            return self.values == other.values
        if isinstance(other, (list, tuple)):
            return list(self.values) == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.values)

    def __repr__(self) -> str:
        return f"[{', '.join(integer_text(v) if type(v) is int else repr(v) for v in self.values)}]"

    def __str__(self) -> str:
        return format_values([_visible(v) for v in self.values], self.type)


class Matrix(Displayed, Items[Items[bool]]):
    """The pairs a selector selects on a word: one row of booleans per query."""

    __slots__ = ("rows",)

    def __init__(self, rows: Items[Items[bool]]) -> None:
        self.rows = tuple(tuple(row) for row in rows)

    @overload
    def __getitem__(self, index: int) -> Items[bool]: ...
    @overload
    def __getitem__(self, index: slice) -> Items[Items[bool]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """The row of a query, or a list of rows."""
        if isinstance(index, slice):
            return [list(row) for row in self.rows[index]]
        return list(self.rows[index])

    def __len__(self) -> int:
        """The length of the word."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Items[bool]]:
        return (list(row) for row in self.rows)

    def __eq__(self, other: object) -> bool:
        """Whether the other matrix or list of rows selects the same pairs."""
        if isinstance(other, Matrix):
            return self.rows == other.rows
        if isinstance(other, (list, tuple)):
            return [list(row) for row in self.rows] == [list(row) for row in other]
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return repr([list(row) for row in self.rows])


class Triples(Displayed, Items[Items[Items[bool]]]):
    """The pairs of keys that a selector over triples selects on a word: for each query a row per first key."""

    __slots__ = ("rows",)

    def __init__(self, rows: Items[Items[Items[bool]]]) -> None:
        self.rows = tuple(tuple(tuple(line) for line in row) for row in rows)

    @overload
    def __getitem__(self, index: int) -> Items[Items[bool]]: ...
    @overload
    def __getitem__(self, index: slice) -> Items[Items[Items[bool]]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """The pairs of a query (first key, second key), or a list of those of several."""
        return self.plain()[index]

    def __len__(self) -> int:
        """The length of the word."""
        return len(self.rows)

    def slice(self, query: int) -> Matrix:
        """The pairs of one query: a row of second keys for each first key."""
        return Matrix(self.rows[query])

    def plain(self) -> list[list[list[bool]]]:
        """The booleans as lists: query, first key, second key."""
        return [[list(line) for line in row] for row in self.rows]

    def __eq__(self, other: object) -> bool:
        """Whether the other selects the same triples."""
        if isinstance(other, Triples):
            return self.rows == other.rows
        return self.plain() == other if isinstance(other, list) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.rows)

    def __repr__(self) -> str:
        return repr(self.plain())


ProgramValue: TypeAlias = Sequence | Matrix | Triples
"""What a program gives on a word."""


def format_value(value: Atom) -> str:
    """A value as the language prints it: no quotes, T and F, floats to three places."""
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, float):
        return str(round(value, 3)) if math.isfinite(value) else str(value)
    return integer_text(value) if isinstance(value, int) else value


def _visible(value: Atom) -> Atom:
    """The value; a string that would not be seen, or be misread, in quotes."""
    return visible_string(value) if isinstance(value, str) else value


def visible_string(text: str) -> str:
    """The text, in quotes if it is empty, a space, a comma or not printable."""
    return text if text and text.isprintable() and text not in (" ", ",") else string_text(text)


def format_values(values: Items[Atom], type: str) -> str:
    """A sequence as the language prints it, `[x]*n` when all values are equal."""
    if len(values) > 1 and all(v == values[0] for v in values):
        return f"[{format_value(values[0])}]*{len(values)} ({type})"
    return f"[{', '.join(map(format_value, values))}] ({type})"
