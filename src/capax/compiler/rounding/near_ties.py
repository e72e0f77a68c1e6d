"""Sets of values as floats: which are exact, and whether values of two sets can be equal up to rounding."""

import math
from bisect import bisect_left
from fractions import Fraction
from typing import TypeGuard

from capax.compiler.analysis.values import (
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
from capax.rasp.ir.types import Atom


def tie(one: ValueSet, slack_one: Slack, two: ValueSet, slack_two: Slack) -> float | None:
    """A number that both sides can have up to rounding, one of them not exactly."""
    if isinstance(one, Finite) and isinstance(two, Finite):
        found = _listed_tie(one, slack_one, two, slack_two)
        return found if found is not None else _listed_tie(two, slack_two, one, slack_one)
    if isinstance(one, Interval) and isinstance(two, Interval):
        apart = one.high < two.low or two.high < one.low
        return None if apart or not (slack_one or slack_two) else float(max(one.low, two.low))
    if isinstance(two, Interval):
        return tie(two, slack_two, one, slack_one)
    assert isinstance(one, Interval)
    assert isinstance(two, Finite)
    for value in two.values:
        if not is_number(value):
            continue
        exact = not slack_two.at(value) and float(rational(value)) == value
        meets = one.low <= rational(value) <= one.high and (rational(value) / one.unit).denominator <= one.most
        if meets and not (exact and not slack_one.at(value)):
            return float(value)
    numbers = numbers_of(two)
    if numbers is not None and (slack_one or slack_two):
        most = max(slack_one.at(float(b)) for b in bounds(one)) + max(map(slack_two.at, two.values))
        if least_difference(one, numbers) <= 2 * most:
            return float(bounds(numbers)[0])
    return None


def _listed_tie(one: Finite, slack_one: Slack, two: Finite, slack_two: Slack) -> float | None:
    """A value of the one that has slack and is as near to one of the other as their slacks."""
    others = sorted(float(v) for v in two.values if is_number(v))
    most = max(map(slack_two.at, two.values), default=0.0)
    for value, slack in slack_one.listed.items():
        reach = slack + most
        place = bisect_left(others, float(value) - reach)
        if place < len(others) and others[place] <= float(value) + reach:
            return float(value)
    return None


def is_number(value: Atom) -> TypeGuard[int | float]:
    """Whether a value is a finite number."""
    return not isinstance(value, str) and math.isfinite(value)


def numbers_of(values: ValueSet) -> ValueSet | None:
    """The numbers of a set, or None if there are none."""
    if isinstance(values, Interval) or values.numeric:
        return values if isinstance(values, Interval) or values.values else None
    found = tuple(v for v in values.values if is_number(v))
    return Finite(found) if found else None


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
