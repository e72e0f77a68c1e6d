"""What the operations of a program gave on short words, kept for the next word."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

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
