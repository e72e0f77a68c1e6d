"""The means of several numbers, as the language rounds them."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from capax.certify.effort import Effort
from capax.certify.refusal import Refusal
from capax.model.parts import Array
from capax.rasp.types import Atom

MOST_VALUES = 20_000
"""An s-op with more means than these is not gone through."""


def means(numbers: list[Any], most: int, effort: Effort, what: str) -> list[float]:
    """The means of 2 to `most` of some numbers, in order: the rounded sum divided by the count."""
    unit = unit_of(numbers)
    whole = sorted({int(Fraction(v) / unit) for v in numbers})
    greatest = max(map(abs, whole)) * most * unit.numerator
    if greatest >= 2**62 or greatest >= 2**53 * unit.denominator:
        return _of_large(whole, unit, most, effort, what)
    step = np.array(whole, np.int64)
    sums, found = step, step[:0].astype(np.float64)
    for count in range(2, most + 1):
        _begin(len(sums) * len(whole), len(found), 1, effort, what)
        sums = np.unique((sums[:, None] + step[None, :]).reshape(-1))
        # numerators are exact in 64 bits, the denominator is a power of two: the sum is rounded once, as is meant
        found = np.union1d(found, sums * unit.numerator / float(unit.denominator) / count)
    listed: list[float] = found.tolist()
    return listed


def _of_large(whole: list[int], unit: Fraction, most: int, effort: Effort, what: str) -> list[float]:
    """The same where sums do not fit 53 bits."""
    sums, found = set(whole), set[float]()
    for count in range(2, most + 1):
        _begin(len(sums) * len(whole), len(found), 20, effort, what)
        sums = {s + v for s in sums for v in whole}
        found |= {_quotient(s * unit, count) for s in sums}
    return sorted(found)


def _begin(work: int, found: int, weight: int, effort: Effort, what: str) -> None:
    if work > 40 * MOST_VALUES or found > MOST_VALUES:
        raise Refusal(f"`{what}` has too many values to go through")
    effort.spend(weight * work)


def unit_of(numbers: list[Any]) -> Fraction:
    """The largest number of which all are multiples."""
    unit = Fraction(0)
    for value in map(Fraction, numbers):
        top = math.gcd(unit.numerator * value.denominator, value.numerator * unit.denominator)
        unit = Fraction(top, unit.denominator * value.denominator)
    return unit or Fraction(1)


def _quotient(total: Fraction, count: int) -> float:
    return (total.numerator if total.denominator == 1 else float(total)) / count


def is_sum(mean: Atom, count: int, unit: Fraction) -> bool:
    """Whether a number is (the rounded quotient of) a multiple of a unit divided by a count."""
    if isinstance(mean, str):
        return count == 1  # several strings have no mean
    if not math.isfinite(mean):
        return True
    steps = round(Fraction(mean) * count / unit)
    if abs(steps) >= 2**48:
        return True  # rounding may have led here from other multiples, too: nothing is excluded
    return bool(_quotient(steps * unit, count) == mean) if steps else mean == 0


def are_sums(values: Sequence[Atom], most: int, unit: Fraction) -> Array:
    """For each count from 1 to `most` and each number, whether it is a mean of so many; at once where floats are exact.

    Axes: count, number.
    """
    if all(not isinstance(v, str) and math.isfinite(v) for v in values):
        numbers, counts = np.array(values, np.float64)[None, :], np.arange(1.0, most + 1)[:, None]
        steps = np.rint(numbers * counts * unit.denominator / unit.numerator)
        # so small that the rounding of the steps before rint cannot lead to another integer
        if float(np.abs(steps).max(initial=0.0)) * unit.numerator < 2**48:
            return np.asarray(steps * unit.numerator / float(unit.denominator) / counts == numbers)
    return np.array([[is_sum(v, count, unit) for v in values] for count in range(1, most + 1)], bool)
