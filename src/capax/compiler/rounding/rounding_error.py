"""How far the interpreter's floats may be from the values that stand for them in the compiler's sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from capax.rasp.ir.types import Atom

UNIT = 2.0**-53
"""A float64 result is within this share of itself of the exact one."""

MOST_REPEATED = 100
"""Means of at most so many equal values are tried one by one."""


@dataclass(frozen=True, slots=True)
class Slack:
    """Bounds on the distance: of each listed value, or of all values of an interval.

    In an interval it is `absolute + relative * |v|` for a value v that is not zero, and `zero` for zero; multiples of
    `grid` have none. With none at all the interpreter has exactly the listed values, and of an interval's fractions
    the nearest floats.
    """

    listed: Mapping[Atom, float] = field(default_factory=dict)
    absolute: float = 0.0
    relative: float = 0.0
    zero: float = 0.0
    grid: Fraction | None = None

    def __bool__(self) -> bool:
        return bool(self.listed or self.absolute or self.relative or self.zero)

    def at(self, value: Atom) -> float:
        """The bound for a value."""
        if isinstance(value, str):
            return 0.0
        if value in self.listed:
            return self.listed[value]
        if self.grid is not None and Fraction(value) % self.grid == 0:
            return 0.0
        return self.absolute + self.relative * abs(value) if value else self.zero


EXACT = Slack()


@dataclass(frozen=True, slots=True)
class Measure:
    """An operand's greatest size, and its slack against the fractions of its set."""

    size: float
    absolute: float
    relative: float
    zero: float

    def plus(self, other: "Measure", *, zero: float | None = None) -> Slack:
        """The slack of a sum or difference."""
        absolute = self.absolute + other.absolute + self.relative * self.size + other.relative * other.size
        at_zero = absolute + UNIT * (self.size + other.size) if zero is None else zero
        return Slack(absolute=absolute, relative=2 * UNIT, zero=at_zero)

    def times(self, other: "Measure") -> Slack:
        """The slack of a product: zero if a factor is exactly zero."""
        absolute = self.size * other.absolute + other.size * self.absolute + self.absolute * other.absolute
        at_zero = max(self.zero * (other.size + other.absolute), other.zero * (self.size + self.absolute))
        return Slack(absolute=absolute, relative=2 * (self.relative + other.relative + UNIT), zero=at_zero)

    def over(self, divisor: float) -> Slack:
        """The slack of a quotient by a constant."""
        by = abs(divisor)
        return Slack(absolute=self.absolute / by, relative=2 * (self.relative + UNIT), zero=self.zero / by)


def rounded_by(value: float, n: int) -> float:
    """How far the mean of up to n times a value can be from it."""
    if n > MOST_REPEATED:
        return 4 * UNIT * abs(value)
    exact = Fraction(value)
    return max(abs(float(exact * count) / count - value) for count in range(2, n + 1))


def nonzero_slack(slacks: Mapping[Atom, float]) -> Slack:
    """The slack of listed values, of which most may have none."""
    return Slack({value: slack for value, slack in slacks.items() if slack})
