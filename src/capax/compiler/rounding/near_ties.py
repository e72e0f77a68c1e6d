"""Sets of values as floats: which are exact, and whether values of two sets can be equal up to rounding."""

import itertools
import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

from capax.compiler.analysis.value_sets import (
    Finite,
    Interval,
    ValueSet,
    bounds,
    is_dyadic,
    least_difference,
    rational,
    unit_of,
)
from capax.compiler.rounding.rounding_error import Slack
from capax.rasp.ir.nodes import Aggregate, Map, Table
from capax.rasp.ir.types import Atom

BEYOND_ROUNDING = 2.0**-30
"""Results that differ by more than this share of themselves differ by more than rounding."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """One side of a comparison: its values, and how far they may be from the interpreter's floats."""

    values: ValueSet
    slack: Slack


def tie(one: Rounded, two: Rounded) -> float | None:
    """A number that both sides can have up to rounding, one of them not exactly."""
    match one.values, two.values:
        case Finite(), Finite():
            near = _listed_tie(one, two)
            return near if near is not None else _listed_tie(two, one)
        case Interval() as first, Interval() as second:
            apart = first.high < second.low or second.high < first.low
            return None if apart or not (one.slack or two.slack) else float(max(first.low, second.low))
        case Interval() as interval, Finite() as listed:
            return _mixed_tie(interval, one.slack, listed, two.slack)
        case Finite() as listed, Interval() as interval:
            return _mixed_tie(interval, two.slack, listed, one.slack)
        case _:
            raise AssertionError(one, two)


def _listed_tie(one: Rounded, two: Rounded) -> float | None:
    """A value of the one that has slack and is as near to one of the other as their slacks."""
    assert isinstance(two.values, Finite)
    others = sorted(float(v) for v in two.values.values if is_number(v))
    most = max(map(two.slack.at, two.values.values), default=0.0)
    for value, slack in one.slack.listed.items():
        reach = slack + most
        index = bisect_left(others, float(value) - reach)
        if index < len(others) and others[index] <= float(value) + reach:
            return float(value)
    return None


def _mixed_tie(interval: Interval, slack: Slack, listed: Finite, listed_slack: Slack) -> float | None:
    """A listed value that the interval has too, one of them not exactly; or one that may come too near to it."""
    for value in filter(is_number, listed.values):
        fraction = rational(value)
        meets = interval.low <= fraction <= interval.high and (fraction / interval.unit).denominator <= interval.most
        exact = not slack.at(value) and not listed_slack.at(value) and float(fraction) == value
        if meets and not exact:
            return float(value)
    numbers = numbers_of(listed)
    if numbers is not None and (slack or listed_slack):
        most = max(slack.at(float(b)) for b in bounds(interval)) + max(map(listed_slack.at, listed.values))
        if least_difference(interval, numbers) <= 2 * most:
            return float(bounds(numbers)[0])
    return None


def is_number(value: Atom) -> TypeGuard[int | float]:
    """Whether a value is a finite number."""
    return not isinstance(value, str) and math.isfinite(value)


def numbers_of(values: ValueSet) -> ValueSet | None:
    """The numbers of a set, or None if there are none."""
    if isinstance(values, Interval) or values.numeric:
        return values if isinstance(values, Interval) or values.values else None
    numbers = tuple(v for v in values.values if is_number(v))
    return Finite(numbers) if numbers else None


def size_of(values: ValueSet) -> float:
    """The greatest absolute value, as far as floats go."""
    low, high = bounds(values)
    return float(min(max(abs(low), abs(high)), Fraction(10**300)))


def is_whole(values: ValueSet) -> bool:
    """Whether all values are multiples of one power of two."""
    if isinstance(values, Finite) and not values.numeric:
        return False
    if not is_dyadic(unit_of(values)) or (isinstance(values, Interval) and values.most > 1):
        return False
    return isinstance(values, Interval) or all(rational(v) == Fraction(v) for v in values.values)


def are_nearest(values: ValueSet) -> bool:
    """Whether all values are the floats nearest to their fractions."""
    return isinstance(values, Interval) or all(float(rational(v)) == v for v in values.values)


def share_of(numbers: ValueSet, slack: Slack) -> float | None:
    """The greatest slack as a share of its number, where all numbers have one sign and zero is exact; else None.

    Then no terms of a sum cancel, and their mean has no greater share, beside the rounding of sum and quotient.
    """
    low, high = bounds(numbers)
    if low < 0 < high or slack.at(0):
        return None
    if isinstance(numbers, Interval):
        return None if slack.absolute or slack.listed else slack.relative
    others = [v for v in numbers.values if is_number(v) and v]
    shares = [slack.at(v) / abs(v) + float(abs(rational(v) / Fraction(v) - 1)) for v in others]
    return max(shares, default=0.0)


def repeats(value: Fraction, n: int) -> bool:
    """Whether the mean of up to n times a value is exactly the value."""
    return is_dyadic(value) and abs(value.numerator) * n < 2.0**53


def moves(slack: Slack, value: Atom) -> tuple[Atom, ...]:
    """The value, and a little less and more, if it has slack."""
    if not slack.at(value) or isinstance(value, str):
        return (value,)
    by = max(slack.at(value), math.ulp(value))
    return value, value - by, value + by


def distance(one: Atom | None, two: Atom | None) -> float | None:
    """How far two outcomes are from each other; None if by more than rounding."""
    if one is None or two is None or isinstance(one, (str, bool)) or isinstance(two, (str, bool)):
        same = type(one) is type(two) and one == two
        return 0.0 if same else None
    if one == two:
        return 0.0
    away = abs(one - two)
    return float(away) if away <= BEYOND_ROUNDING * max(1.0, abs(one)) else None


def shares_mean(node: Map | Table) -> bool:
    """Whether a node is a sum or difference of two means over the same keys."""
    if not isinstance(node, Map) or node.op not in ("+", "-"):
        return False
    one, two = node.args
    return isinstance(one, Aggregate) and isinstance(two, Aggregate) and one.selector is two.selector


def all_means(numbers: ValueSet, result: Finite, n: int, most: int) -> dict[Atom, float]:
    """For each value of a mean of up to n how far the interpreter's floats are from it, where at most so many are."""
    if not isinstance(numbers, Finite) or math.comb(len(numbers) + n, n) > most:
        return {}
    listed = sorted(float(v) for v in result.values if is_number(v))
    distances: dict[Atom, float] = dict.fromkeys(result.values, 0.0)
    for count in range(2, n + 1):
        for picked in itertools.combinations_with_replacement(numbers.values, count):
            mean = math.fsum(map(float, picked)) / count
            index = bisect_left(listed, mean)
            near = min(listed[max(index - 1, 0) : index + 1], key=lambda v: abs(v - mean))
            distances[near] = max(distances[near], abs(near - mean))
    return distances
