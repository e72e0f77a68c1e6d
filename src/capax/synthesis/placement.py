"""Where steps go: sublayers of an order, and sets of heads, for whole blocks of candidates.

An order is a text of `s` and `f`. An entry's `at` is the number of sublayers up to the one that gives its value;
attention goes into the next `s` behind its parts, element-wise work into the next `f`, or into the one that its parts
come from. Work on the input alone is free.
"""

from typing import Any, Final, TypeAlias

import numpy as np

from capax.synthesis.bank import NEVER

Array: TypeAlias = Any
TOO_MANY: Final = -1


class StepPlacement:
    """The sublayers and heads of steps, within an order and a number of heads; None for no limit."""

    def __init__(self, order: str | None, heads: int | None) -> None:
        self.order, self.heads = order, heads
        self._sets: list[frozenset[int]] = [frozenset()]
        self._numbers: dict[frozenset[int], int] = {frozenset(): 0}

    @property
    def sets(self) -> list[frozenset[int]]:
        """The sets of heads, by their numbers."""
        return self._sets

    def restore(self, sets: list[frozenset[int]]) -> None:
        """Takes over the sets of an earlier search, with their numbers."""
        self._sets = sets
        self._numbers = {heads: number for number, heads in enumerate(sets)}

    def attend(self, *ats: int) -> int:
        """The sublayer of an attention step whose parts are there after the sublayers `ats`."""
        return 0 if self.order is None else self._next("s", max(ats))

    def work(self, *ats: int) -> int:
        """The sublayer of element-wise work."""
        at = max(ats)
        if self.order is None or at == 0 or at == NEVER or self.order[at - 1] == "f":
            return at
        return self._next("f", at)

    def _next(self, kind: str, after: int) -> int:
        assert self.order is not None
        place = -1 if after == NEVER else self.order.find(kind, after)
        return NEVER if place < 0 else place + 1

    def joined(self, *numbers: Array) -> Array:
        """The sets (entries,) that are the unions of sets; -1 where these are too many heads."""
        if self.heads is None:
            return np.zeros(len(numbers[0]), dtype=np.int32)
        total = numbers[0].astype(np.int64)
        for other in numbers[1:]:
            total = self._union(total, other)
        return total

    def _union(self, left: Array, right: Array) -> Array:
        codes = left.astype(np.int64) * (1 << 31) + right
        unique, inverse = np.unique(codes, return_inverse=True)
        unions = [self._number(int(c) >> 31, int(c) & 0x7FFFFFFF) if c >= 0 else TOO_MANY for c in unique]
        return np.array(unions, dtype=np.int64)[inverse]

    def _number(self, left: int, right: int) -> int:
        return self._numbered(self._sets[left] | self._sets[right])

    def _numbered(self, heads: frozenset[int]) -> int:
        if self.heads is None:
            return 0
        if len(heads) > self.heads:
            return TOO_MANY
        if heads not in self._numbers:
            self._numbers[heads] = len(self._sets)
            self._sets.append(heads)
        return self._numbers[heads]

    def head_of(self, selector_hashes: Array, counts: bool, at: int) -> Array:
        """The sets (entries,) of one head each: that of a selector in a sublayer, which counts or averages."""
        if self.heads is None:
            return np.zeros(len(selector_hashes), dtype=np.int32)
        keys = [frozenset({(int(h) << 9) | (at << 1) | counts}) for h in selector_hashes]
        return np.array([self._numbered(key) for key in keys], dtype=np.int64)
