"""Truth by the sign of a number: conditions on sums, their AND, OR and NOT, as ReLU units.

A sum that is above 0 where something holds and below 0 where it does not stands for it. Then the opposite stands for
NOT, the least of several for AND and the greatest for OR; min(x, y) = x - relu(x - y), max(x, y) = x + relu(y - x). No
bound on how far from 0 the numbers are is needed, so that one network serves all lengths of words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from capax.theorems.weights.stream import Terms

STEEP: Final = 2.0**53
"""A sign as an answer: numbers that may be tiny are put far from 0."""


def minus(one: Terms, other: Terms) -> dict[str, float]:
    """The difference of two sums; what cancels is left out."""
    total = dict(one)
    for name, coefficient in other.items():
        total[name] = total.get(name, 0.0) - coefficient
    return {name: coefficient for name, coefficient in total.items() if coefficient}


def plus(one: Terms, other: Terms) -> dict[str, float]:
    """The sum of two sums."""
    return minus(one, opposite(other))


def opposite(one: Terms) -> dict[str, float]:
    """The sum with all signs changed: NOT."""
    return {name: -coefficient for name, coefficient in one.items()}


@dataclass
class SignedUnits:
    """The units that some conditions need, in an order in which each reads units before it."""

    units: dict[str, Terms] = field(default_factory=dict)
    _known: dict[tuple[tuple[str, float], ...], str] = field(default_factory=dict)

    def relu(self, terms: Terms) -> dict[str, float]:
        """The positive part of a sum; one unit for equal sums."""
        key = tuple(sorted(terms.items()))
        name = self._known.setdefault(key, f"unit {len(self._known)}")
        self.units.setdefault(name, dict(terms))
        return {name: 1.0}

    def size(self, terms: Terms) -> dict[str, float]:
        """The distance of a sum from 0."""
        return plus(self.relu(terms), self.relu(opposite(terms)))

    def least(self, sums: Sequence[Terms]) -> dict[str, float]:
        """The least of some sums: AND."""
        return self._folded(sums, lambda x, y: minus(x, self.relu(minus(x, y))))

    def greatest(self, sums: Sequence[Terms]) -> dict[str, float]:
        """The greatest of some sums: OR."""
        return self._folded(sums, lambda x, y: plus(x, self.relu(minus(y, x))))

    def _folded(self, sums: Sequence[Terms], pair: Callable[[Terms, Terms], dict[str, float]]) -> dict[str, float]:
        """Pairs of pairs, so that the depth is logarithmic in their number."""
        row = [dict(one) for one in sums]
        while len(row) > 1:
            paired = [pair(one, other) for one, other in zip(row[::2], row[1::2], strict=False)]
            row = [*paired, *(row[-1:] if len(row) % 2 else [])]
        return row[0]
