"""Operations on short words, without arrays; what they gave is kept with the program for the next word."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.rasp.meaning.vector.column import Column, from_values
from capax.rasp.meaning.vector.distinct import Bools

Result: TypeAlias = tuple[Column, Bools | None]
"""A column, and the positions at which an operation failed, if any (their values mean nothing)."""

MOST_RESULTS = 1 << 10
"""How many results are kept for a program."""
LONGEST_TEXT = 64
"""Rows with longer strings are not kept."""


@dataclass(slots=True)
class Room:
    """How many more results may be kept: the operations of a program share it."""

    left: int = MOST_RESULTS


class Memo:
    """Results of a function by the kinds and values of its operands.

    Threads may share it: a result that one of them misses is computed again, and is the same.

    >>> memo = Memo(Room())
    >>> memo.keep(("str",), [("a",), ("b",)], [1, 2])
    >>> memo.results(("str",), [("b",), ("a",), ("b",)]), memo.results(("str",), [("c",)])
    ([2, 1, 2], None)
    """

    __slots__ = ("_known", "_room")

    def __init__(self, room: Room) -> None:
        self._known: dict[tuple[str, ...], dict[tuple[Any, ...], Any]] = {}
        self._room = room

    def results(self, kinds: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> list[Any] | None:
        """The results for all rows, None if one is not known."""
        known = self._known.get(kinds)
        if known is None:
            return None
        try:
            return [known[row] for row in rows]
        except KeyError:
            return None

    def keep(self, kinds: tuple[str, ...], rows: Iterable[tuple[Any, ...]], results: Iterable[Any]) -> None:
        """Keeps results, as long as there is room."""
        known = self._known.setdefault(kinds, {})
        for row, result in zip(rows, results, strict=True):
            if self._room.left > 0 and row not in known and all(map(_is_small, (*row, result))):
                known[row] = result
                self._room.left -= 1


def _is_small(value: Any) -> bool:
    """Whether a value takes little memory."""
    return len(value) <= LONGEST_TEXT if isinstance(value, str) else not isinstance(value, int) or abs(value) < 1 << 64


def on_few(function: Callable[..., Any], args: list[Column], memo: Memo | None) -> Result:
    """A Python function on few positions, without arrays, once per distinct combination of operands."""
    rows = list(zip(*(a.values() for a in args), strict=True))
    if any(a.kind not in ("str", "int", "bool") for a in args):  # equal values may be different ones: 0.0 and -0.0
        results, bad = called(function, rows)
        return from_values(results, args[0].vocabulary), bad
    kinds = tuple(a.kind for a in args)
    if memo is not None and (known := memo.results(kinds, rows)) is not None:
        return from_values(known, args[0].vocabulary), None
    numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
    results, bad = called(function, numbers)
    if memo is not None and bad is None:
        memo.keep(kinds, numbers, results)
    inverse = np.array([numbers[row] for row in rows], dtype=np.int64)
    return from_values(results, args[0].vocabulary).take(inverse), None if bad is None else bad[inverse]


def called(function: Callable[..., Any], operands: Iterable[tuple[Any, ...]]) -> tuple[list[Any], Bools | None]:
    """The results of calls, and which of them failed, if any; some other result stands in their place."""
    results: list[Any] = []
    failures: list[int] = []
    for values in operands:
        try:
            results.append(function(*values))
        except CapaxError:
            failures.append(len(results))
            results.append(None)
    if not failures:
        return results, None
    bad = np.zeros(len(results), dtype=np.bool_)
    bad[failures] = True
    filler = next((result for result in results if result is not None), 0)
    return [filler if result is None else result for result in results], bad
