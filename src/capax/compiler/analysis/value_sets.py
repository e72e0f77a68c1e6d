"""Which values an s-op can have on a domain: a list, or an interval of fractions."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from capax.errors import CapaxError
from capax.rasp.ir.types import Atom


def no_float(what: str, node: object = None) -> CapaxError:
    """The error for numbers that no float can hold, since the numbers of a model are floats."""
    text = f"{what} that no float can hold, and the numbers of a model are floats"
    return CapaxError("number-too-large", text, hint="keep the numbers below about 1e308", node=node)


@dataclass(frozen=True, slots=True)
class Finite:
    """A list of values, numbers in increasing order before strings in order; of equal numbers one stands for all."""

    values: tuple[Atom, ...]
    _rank: dict[Atom, int] = field(init=False, repr=False, compare=False, hash=False)
    numeric: bool = field(init=False, repr=False, compare=False, hash=False)
    """Whether all values are finite numbers."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rank", {v: i for i, v in enumerate(self.values)})
        numeric = all(not isinstance(v, str) and math.isfinite(v) for v in self.values)
        object.__setattr__(self, "numeric", numeric)

    def __len__(self) -> int:
        return len(self.values)

    def rank(self, value: Atom) -> int:
        """The index of a value in the order."""
        return self._rank[value]

    def __contains__(self, value: object) -> bool:
        return value in self._rank

    def nearest(self, value: Atom) -> Atom:
        """The value of a set of numbers that differs from a number by rounding only; the number, if there is none."""
        if isinstance(value, str) or value in self._rank or not math.isfinite(value):
            return value
        index = bisect_left(self.values, value)
        near = min(self.values[max(index - 1, 0) : index + 1], key=lambda v: abs(float(v) - value))
        return near if abs(float(near) - value) <= NEAR * abs(value) else value

    @property
    def integral(self) -> bool:
        """Whether all values are integers, or equal to one."""
        return all(is_integer(v) for v in self.values)


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers between `low` and `high` of the form unit * s / m with integers s and 1 <= m <= most.

    Like a list of integers, one whose ends no float can hold is an OverflowError: no weights can compute with it.
    """

    low: Fraction
    high: Fraction
    unit: Fraction
    most: int

    def __post_init__(self) -> None:
        float(self.low), float(self.high)

    @property
    def gap(self) -> Fraction:
        """No two different values are nearer than this."""
        return self.unit if self.most == 1 else self.unit / (self.most * (self.most - 1))

    @property
    def integral(self) -> bool:
        """Whether all values are integers."""
        return self.most == 1 and self.unit.denominator == 1

    @property
    def from_zero(self) -> Fraction:
        """No value but zero is nearer to zero than this."""
        return self.unit / self.most


ValueSet: TypeAlias = Finite | Interval


def is_numeric(values: ValueSet) -> bool:
    """Whether all values are finite numbers."""
    return isinstance(values, Interval) or values.numeric


def count_of(values: ValueSet) -> str:
    """How many values there are, in words."""
    if isinstance(values, Finite):
        return f"{len(values):,} value{'' if len(values) == 1 else 's'}"
    most = sum(int((values.high - values.low) * m / values.unit) + 1 for m in range(1, values.most + 1))
    return f"up to {most:,} values"


def is_integer(value: Atom) -> bool:
    """Whether a value is a number equal to an integer."""
    return not isinstance(value, str) and math.isfinite(value) and value == int(value)


def is_number_beyond(value: Atom) -> bool:
    """Whether a value is a number of at least 2^53, where sums of integers are rounded, or infinite."""
    return not isinstance(value, str) and abs(value) >= 2**53


def is_dyadic(value: Fraction) -> bool:
    """Whether a fraction has a power of two as its denominator."""
    return value.denominator & (value.denominator - 1) == 0


def finite(values: Iterable[Atom]) -> Finite:
    """The set of some values in order: each once, and of equal numbers the first float, else the first."""
    distinct: dict[Atom, Atom] = {}
    for value in values:
        if value not in distinct or (isinstance(value, float) and not isinstance(distinct[value], float)):
            distinct[value] = value
    numbers = sorted(v for v in distinct.values() if not isinstance(v, str))
    strings = sorted(v for v in distinct.values() if isinstance(v, str))
    return Finite((*numbers, *strings))


def bounds(values: ValueSet) -> tuple[Fraction, Fraction]:
    """The least and the greatest value of a set of numbers."""
    if isinstance(values, Interval):
        return values.low, values.high
    return Fraction(values.values[0]), Fraction(values.values[-1])


def gap_of(values: ValueSet) -> Fraction | None:
    """The least distance of two values of a set of numbers; None where there is only one."""
    return values.gap if isinstance(values, Interval) else _listed_gap(values)


@lru_cache(maxsize=4096)
def _listed_gap(values: Finite) -> Fraction | None:
    exact = [Fraction(v) for v in values.values]
    return min((b - a for a, b in pairwise(exact)), default=None)


def unit_of(values: ValueSet) -> Fraction:
    """The largest unit of which all values of a set of numbers (times their denominators) are multiples."""
    return values.unit if isinstance(values, Interval) else _listed_unit(values)


@lru_cache(maxsize=4096)
def _listed_unit(values: Finite) -> Fraction:
    unit = Fraction(0)
    for value in values.values:
        unit = common_unit(unit, rational(value))
    return unit or Fraction(1)


def rational(value: Atom) -> Fraction:
    """The fraction that a number stands for: a float within rounding of one with a small denominator is that one.

    0.1 is a tenth and 3 * 0.1 three of them, though neither float is.
    """
    exact = Fraction(value)
    if not isinstance(value, float):
        return exact
    near = exact.limit_denominator(10_000)
    return near if abs(near - exact) <= abs(exact) * _ROUNDING else exact


_ROUNDING = Fraction(1, 2**44)


def common_unit(one: Fraction, two: Fraction) -> Fraction:
    """The largest fraction of which both are multiples; of zero and x it is x."""
    if not one or not two:
        return abs(one or two)
    return Fraction(
        math.gcd(one.numerator * two.denominator, two.numerator * one.denominator), one.denominator * two.denominator
    )


def sum_of_ranges(op: str, args: list[ValueSet]) -> Finite | None:
    """The values of x + y or x - y where x and y have all integers between two; None where they have others."""
    ends = []
    for values in args:
        if not isinstance(values, Finite) or not values.values or any(type(v) is not int for v in values.values):
            return None
        low, high = int(values.values[0]), int(values.values[-1])
        if high - low >= len(values):
            return None
        ends.append((low, high))
    (a, b), (c, d) = ends
    low, high = (a + c, b + d) if op == "+" else (a - d, b - c)
    return Finite(tuple(range(low, high + 1)))


def means(values: Finite, most: int, budget: int) -> ValueSet:
    """The means of 1 to `most` numbers of a set; of numbers that stand for one fraction, one is averaged."""
    averages: set[float] = set()
    values = Finite(tuple({rational(v): v for v in values.values}.values()))
    exact = [rational(v) for v in values.values]
    unit = unit_of(values)
    whole = [int(v / unit) for v in exact]
    sums = set(whole)
    work = 0
    for count in range(2, most + 1):
        work += len(sums) * len(whole)
        if work > 20 * budget or len(averages) > budget:
            return _many_means(values, most)
        if whole[-1] - whole[0] == len(whole) - 1:
            sums = set(range(count * whole[0], count * whole[-1] + 1))
        else:
            sums = {s + v for s in sums for v in whole}
        averages.update(_quotient(s * unit, count) for s in sums)
    return _merged_by_rounding(values, averages) if len(averages) <= budget else _many_means(values, most)


NEAR = 2.0**-40
"""Means that differ by rounding only, relative to their size, count as one value."""

TINY = 2.0**-44
"""What rounding leaves of a sum whose exact value is zero is no more than this: less counts as zero in an answer."""


def _merged_by_rounding(values: Finite, averages: set[float]) -> Finite:
    """The values and the means; of those that differ by rounding only, one is left: a value if there is one."""
    # several equal numbers have a float as their mean
    distinct: list[Atom] = [v if isinstance(v, str) else float(v) for v in values.values]
    merged = sorted([*(float(v) for v in values.values if not isinstance(v, str)), *averages])
    group = merged[:1]
    for before, value in pairwise(merged):
        if value - before <= NEAR * max(abs(value), abs(before)):
            group.append(value)
            continue
        distinct += group[:1] if not any(v in values for v in group) else []
        group = [value]
    distinct += group[:1] if not any(v in values for v in group) else []
    return finite(distinct)


def _many_means(values: Finite, most: int) -> Interval:
    """All fractions between the least and the greatest value with the denominators that a mean can have."""
    return Interval(rational(values.values[0]), rational(values.values[-1]), unit_of(values), most)


def _quotient(total: Fraction, count: int) -> float:
    """The mean as the language computes it: the rounded sum divided by the count."""
    return (total.numerator if total.denominator == 1 else float(total)) / count


def least_difference(left: ValueSet, right: ValueSet) -> Fraction:
    """A bound: no value of the one is nearer to a different value of the other than this."""
    if isinstance(left, Finite) and isinstance(right, Finite):
        if left.integral and right.integral:
            return Fraction(1)
        merged = sorted({Fraction(v) for v in (*left.values, *right.values)})
        return min((b - a for a, b in pairwise(merged)), default=Fraction(1))
    unit = common_unit(unit_of(left), unit_of(right))
    most = [s.most if isinstance(s, Interval) else 1 for s in (left, right)]
    return unit / (most[0] * most[1])


def interval_of(op: str, args: Sequence[ValueSet], by: Fraction) -> Interval:
    """An interval that has the values of a sum, difference, product or quotient by one number, or of a sign."""
    ends, units = [bounds(a) for a in args], [unit_of(a) for a in args]
    most = math.prod(a.most for a in args if isinstance(a, Interval))
    match op:
        case "neg":
            return Interval(-ends[0][1], -ends[0][0], units[0], most)
        case "pos":
            return Interval(*ends[0], units[0], most)
        case "+":
            return Interval(ends[0][0] + ends[1][0], ends[0][1] + ends[1][1], common_unit(*units), most)
        case "-":
            return Interval(ends[0][0] - ends[1][1], ends[0][1] - ends[1][0], common_unit(*units), most)
        case "*":
            corners = [a * b for a in ends[0] for b in ends[1]]
            return Interval(min(corners), max(corners), units[0] * units[1] or Fraction(1), most)
        case _:
            low, high = sorted((ends[0][0] / by, ends[0][1] / by))
            return Interval(low, high, abs(units[0] / by), most)


# Results of an operation that differ by rounding only count as one: 7/3 - 1 and 4/3 are two floats near each other.
# Weights could tell them apart only by steps that are as steep as they are near. How far floats are from what stands
# for them is slack, which `check_rounding` follows; where an outcome would change by it, all floats are listed.

LEFT_OVER: Final = 2.0**-46
"""What rounding leaves where large numbers cancel is no more than this share of the greatest."""

MOST_DENOMINATOR: Final = 10_000


def stand_ins_of_floats(values: Iterable[Atom]) -> dict[float, float]:
    """What stands for floats of a list of which some differ by rounding only; nothing where none do.

    It is the float nearest to the fraction that they are roundings of.

    >>> stand_ins_of_floats([0.5, 4 / 3, 7 / 3 - 1])
    {1.3333333333333335: 1.3333333333333333}
    >>> stand_ins_of_floats([0, 1e-17, 0.5]), stand_ins_of_floats([0.1, 0.2, 3])
    ({1e-17: 0.0}, {})
    """
    numbers = sorted({v for v in values if not isinstance(v, str) and math.isfinite(v)})
    if len(numbers) < 2:
        return {}
    left_over = LEFT_OVER * float(max(abs(numbers[0]), abs(numbers[-1])))
    if not any(_near(one, two, left_over) for one, two in pairwise(numbers)):
        return {}
    stand = {v: _fraction(v, left_over) for v in numbers if isinstance(v, float) and not v.is_integer()}
    return {v: near for v, near in stand.items() if near != v}


def _near(one: float, two: float, left_over: float) -> bool:
    whole = all(isinstance(v, int) or v.is_integer() for v in (one, two))
    return not whole and two - one <= max(NEAR * max(abs(one), abs(two)), left_over)


def _fraction(value: float, left_over: float) -> float:
    """The float nearest to a fraction with a small denominator of which a float is a rounding; else the float."""
    near = Fraction(value).limit_denominator(MOST_DENOMINATOR)
    return float(near) if abs(float(near) - value) <= max(2.0**-44 * abs(value), left_over) else value
