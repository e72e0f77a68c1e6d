"""What a function of a program gave on short words, kept for the next word."""

from collections.abc import Iterable
from typing import Any

MOST_RESULTS = 1 << 12
"""How many results are kept for each operation of a program."""
LONGEST_TEXT = 64
"""Rows with longer strings are not kept."""


class Memo:
    """Results of a function by the kinds and values of its operands.

    Threads may share it: a result that one of them misses is computed again, and is the same.
    """

    __slots__ = ("_known", "_room")

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], dict[tuple[Any, ...], Any]] = {}
        self._room = MOST_RESULTS

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
            if self._room > 0 and row not in known and all(map(_is_small, (*row, result))):
                known[row] = result
                self._room -= 1


def _is_small(value: Any) -> bool:
    """Whether a value takes little memory."""
    return len(value) <= LONGEST_TEXT if isinstance(value, str) else not isinstance(value, int) or abs(value) < 1 << 64
