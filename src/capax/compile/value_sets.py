"""Which values an s-op can have on a domain: a list, or an interval of fractions."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from capax.rasp.types import Atom


@dataclass(frozen=True, slots=True)
class Finite:
    """A list of values, numbers in increasing order before strings in order; of equal numbers one stands for all."""

    values: tuple[Atom, ...]
    _place: dict[Atom, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_place", {v: i for i, v in enumerate(self.values)})

    def __len__(self) -> int:
        return len(self.values)

    def rank(self, value: Atom) -> int:
        """The place of a value in the order."""
        return self._place[value]

    def __contains__(self, value: object) -> bool:
        return value in self._place

    @property
    def numeric(self) -> bool:
        """Whether all values are finite numbers."""
        return all(not isinstance(v, str) and math.isfinite(v) for v in self.values)

    @property
    def integral(self) -> bool:
        """Whether all values are integers, or equal to one."""
        return all(is_integer(v) for v in self.values)


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers between `low` and `high` of the form unit * s / m with integers s and 1 <= m <= most."""

    low: Fraction
    high: Fraction
    unit: Fraction
    most: int

    @property
    def gap(self) -> Fraction:
        """No two different values are nearer than this."""
        return self.unit if self.most == 1 else self.unit / (self.most * (self.most - 1))

    @property
    def from_zero(self) -> Fraction:
        """No value but zero is nearer to zero than this."""
        return self.unit / self.most


ValueSet: TypeAlias = Finite | Interval


def is_integer(value: Atom) -> bool:
    """Whether a value is a number equal to an integer."""
    return not isinstance(value, str) and math.isfinite(value) and value == int(value)


def finite(values: Iterable[Atom]) -> Finite:
    """The set of some values in order: each once, and of equal numbers the first float, else the first."""
    found: dict[Atom, Atom] = {}
    for value in values:
        if value not in found or (isinstance(value, float) and not isinstance(found[value], float)):
            found[value] = value
    numbers = sorted(v for v in found.values() if not isinstance(v, str))
    strings = sorted(v for v in found.values() if isinstance(v, str))
    return Finite((*numbers, *strings))


def bounds(values: ValueSet) -> tuple[Fraction, Fraction]:
    """The least and the greatest value of a set of numbers."""
    if isinstance(values, Interval):
        return values.low, values.high
    return Fraction(values.values[0]), Fraction(values.values[-1])


def unit_of(values: ValueSet) -> Fraction:
    """The largest unit of which all values of a set of numbers (times their denominators) are multiples."""
    if isinstance(values, Interval):
        return values.unit
    found = Fraction(0)
    for value in values.values:
        found = common_unit(found, Fraction(value))
    return found or Fraction(1)


def common_unit(one: Fraction, two: Fraction) -> Fraction:
    """The largest fraction of which both are multiples; of zero and x it is x."""
    if not one or not two:
        return abs(one or two)
    return Fraction(
        math.gcd(one.numerator * two.denominator, two.numerator * one.denominator), one.denominator * two.denominator
    )


def means(values: Finite, most: int, budget: int) -> ValueSet:
    """The means of 1 to `most` numbers of a set."""
    low, high, unit = *bounds(values), unit_of(values)
    steps = (high - low) / unit
    if len(values) == 1:
        return values
    if steps * most * (most + 1) / 2 > budget:
        return Interval(low, high, unit, most)
    found: set[float] = set()
    base, width = low / unit, int(steps)
    for count in range(2, most + 1):
        first = base * count
        assert first.denominator == 1, "the least value is a multiple of the unit"
        for total in range(int(first), int(first) + width * count + 1):
            scaled = total * unit
            found.add(_quotient(scaled, count))
    return finite([*values.values, *found])


def _quotient(total: Fraction, count: int) -> float:
    """The mean as the language computes it: the rounded sum divided by the count."""
    return (total.numerator if total.denominator == 1 else float(total)) / count


def least_difference(left: ValueSet, right: ValueSet) -> Fraction:
    """A bound: no value of the one is nearer to a different value of the other than this."""
    if isinstance(left, Finite) and isinstance(right, Finite) and len(left) * len(right) <= 1_000_000:
        if left.integral and right.integral:
            return Fraction(1)
        merged = sorted({Fraction(v) for v in (*left.values, *right.values)})
        return min((b - a for a, b in zip(merged, merged[1:], strict=False)), default=Fraction(1))
    unit = common_unit(unit_of(left), unit_of(right))
    most = [s.most if isinstance(s, Interval) else 1 for s in (left, right)]
    return unit / (most[0] * most[1])
