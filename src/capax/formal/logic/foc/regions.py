"""Sets of count vectors that linear conditions cut out: whether one is empty, over the rational numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import Final, TypeAlias

from capax.formal.logic.foc.linear import LinearCondition, LinearSum

Row: TypeAlias = tuple[tuple[int, ...], int, bool]
"""Coefficients, a constant, and whether the sum must be above 0 and not only at least 0."""
MOST_ROWS: Final = 1_500
"""With more conditions on the way nothing is said: the set counts as not empty."""


@dataclass(frozen=True, slots=True)
class Region:
    """All vectors of numbers that satisfy some conditions, over named variables."""

    names: tuple[str, ...]
    conditions: tuple[LinearCondition, ...] = ()

    def cut(self, *conditions: LinearCondition) -> "Region":
        """The part where further conditions hold, each kept once."""
        return Region(self.names, tuple(dict.fromkeys((*self.conditions, *conditions))))

    def contains(self, other: "Region") -> bool:
        """Whether another region lies in this one, as far as that is proved."""
        return all(not other.cut(*case).may_have_points for one in self.conditions for case in opposite_cases(one))

    @property
    def may_have_points(self) -> bool:
        """Whether some vector of numbers, 0 or more, may satisfy all: no only if it is proved that none does."""
        count = len(self.names)
        rows: list[Row] = [(tuple(int(k == at) for k in range(count)), 0, False) for at in range(count)]
        for one in self.conditions:
            row = _row(one.sum, self.names)
            rows.append((*row, one.kind == ">"))
            if one.kind == "=":
                rows.append((tuple(-x for x in row[0]), -row[1], False))
        return _solvable(rows, count)


def opposite_cases(one: LinearCondition) -> list[tuple[LinearCondition, ...]]:
    """When a condition does not hold: one of some cases."""
    below = LinearSum((), 0).plus(one.sum, -1)
    if one.kind == "=":
        return [(LinearCondition(one.sum, ">"),), (LinearCondition(below, ">"),)]
    return [(LinearCondition(below, ">" if one.kind == ">=" else ">="),)]


def _row(total: LinearSum, names: Sequence[str]) -> tuple[tuple[int, ...], int]:
    return tuple(total.coefficient(name) for name in names), total.constant


def _solvable(rows: list[Row], count: int) -> bool:
    """Whether rows have a solution: Fourier's and Motzkin's method, the variable with the fewest pairs first."""
    left = set(range(count))
    current = _reduced(rows)
    while left and current is not None:
        if len(current) > MOST_ROWS:
            return True
        pairs = {k: _pairs(current, k) for k in left}
        at = min(left, key=pairs.__getitem__)
        left.discard(at)
        low = [row for row in current if row[0][at] > 0]
        high = [row for row in current if row[0][at] < 0]
        rest = [row for row in current if row[0][at] == 0]
        current = _reduced([*rest, *(_combined(a, b, at) for a in low for b in high)])
    return current is not None


def _pairs(rows: Sequence[Row], at: int) -> int:
    """How many pairs of rows bound a variable from both sides."""
    return sum(row[0][at] > 0 for row in rows) * sum(row[0][at] < 0 for row in rows)


def _combined(low: Row, high: Row, at: int) -> Row:
    """The sum of two rows, with positive factors, in which a variable is cancelled."""
    one, other = -high[0][at], low[0][at]
    coefficients = tuple(one * x + other * y for x, y in zip(low[0], high[0], strict=True))
    return coefficients, one * low[1] + other * high[1], low[2] or high[2]


def _reduced(rows: Sequence[Row]) -> list[Row] | None:
    """The rows in lowest terms, of each direction the strongest; None if one of them can never hold."""
    strongest: dict[tuple[int, ...], tuple[int, int, bool]] = {}
    for coefficients, constant, strict in rows:
        divisor = reduce(gcd, coefficients, 0)
        if not divisor:
            if constant < 0 or (strict and constant == 0):
                return None
            continue
        direction = tuple(x // divisor for x in coefficients)
        # constant / divisor, kept as a fraction; the least is the strongest, and above 0 is stronger than at least 0
        known = strongest.get(direction)
        if known is None or (constant * known[1], not strict) < (known[0] * divisor, not known[2]):
            strongest[direction] = (constant, divisor, strict)
    return [
        (tuple(x * divisor for x in direction), constant, strict)
        for direction, (constant, divisor, strict) in strongest.items()
    ]
