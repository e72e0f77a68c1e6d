"""The means of several numbers, as the language rounds them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from capax.certify.certify_budget import WorkBudget
from capax.certify.not_certified import NotCertified
from capax.model.parts import Array
from capax.rasp.analysis.split_sums import SumRange
from capax.rasp.analysis.uniform import averages_equal
from capax.rasp.ir.nodes import Aggregate, Select, Width
from capax.rasp.ir.triple_nodes import PairAggregate
from capax.rasp.ir.types import Atom

MOST_VALUES = 400_000
"""An s-op with more means than these is not gone through."""
MOST_SUMS = 800_000
"""So many sums are made of those of one number less."""
BITS = 2**22
"""Sums in a range up to so long are kept as bits."""


FEW_VALUES = 20_000
"""So many means are made one by one."""


def means(numbers: list[Any], most: int, budget: WorkBudget, what: str) -> list[float]:
    """The means of 2 to `most` of some numbers, in order: the rounded sum divided by the count."""
    unit = unit_of(numbers)
    whole = sorted({int(Fraction(v) / unit) for v in numbers})
    if _is_large(whole, unit, most):
        return _of_large(whole, unit, most, budget, what)
    distinct_means, waiting = np.zeros(0), [np.zeros(0)]
    for count, sums in enumerate(_totals(whole, most, budget, what), 1):
        if count > 1:
            waiting.append(quotients(sums, unit, count))
            budget.spend(len(sums))
        if count == most or sum(map(len, waiting)) > MOST_VALUES:
            distinct_means = np.unique(np.concatenate([distinct_means, *waiting]))
            waiting = []
        if len(distinct_means) > MOST_VALUES:
            raise NotCertified(f"`{what}` has too many values to check")
    listed: list[float] = distinct_means.tolist()
    return listed


def means_of_equal(numbers: list[Any], most: int, budget: WorkBudget) -> list[float]:
    """The means of 2 to `most` times the same number, of each: three times 0.1 by three is not 0.1."""
    budget.spend(4 * len(numbers) * most)
    exact = [Fraction(v) for v in numbers]
    return list({float(v * count) / count for v in exact for count in range(2, most + 1)})


def totals(numbers: list[Any], most: int, budget: WorkBudget, what: str) -> list[Array] | None:
    """For each count from 1 to `most` the sums of this many of some numbers, in units of `unit_of`, in order.

    None where sums do not fit 53 bits.
    """
    unit = unit_of(numbers)
    whole = sorted({int(Fraction(v) / unit) for v in numbers})
    return None if _is_large(whole, unit, most) else list(_totals(whole, most, budget, what))


def _totals(whole: list[int], most: int, budget: WorkBudget, what: str) -> Iterator[Array]:
    """Sums of integers, in order: for each count the set of them, as bits from that many times the least one on."""
    least, spread = whole[0], whole[-1] - whole[0]
    in_a_row = spread == len(whole) - 1
    if not in_a_row and spread * most > BITS:
        yield from _few_totals(whole, most, budget, what)
        return
    above = [v - least for v in whole]
    sums = 1
    for count in range(1, most + 1):
        bits = count * spread + 1
        if in_a_row:  # all from the least to the greatest
            _begin(bits, 0, 1, budget, what)
            yield np.arange(bits) + count * least
            continue
        _begin(bits + len(above) * bits // 64, 0, 1, budget, what)
        sums = reduce(or_, (sums << v for v in above))
        read = np.frombuffer(sums.to_bytes(bits // 8 + 1, "little"), np.uint8)
        yield np.nonzero(np.unpackbits(read, bitorder="little"))[0] + count * least


def _few_totals(whole: list[int], most: int, budget: WorkBudget, what: str) -> Iterator[Array]:
    """The same for integers far apart, by all sums of two."""
    step = np.array(whole, np.int64)
    sums = step
    yield sums
    for _ in range(2, most + 1):
        _begin(len(sums) * len(whole), 0, 1, budget, what)
        sums = np.unique((sums[:, None] + step[None, :]).reshape(-1))
        yield sums


def quotients(sums: Array, unit: Fraction, count: Any) -> Array:
    """The means of numbers with some sums, which fit 53 bits.

    Numerators are exact in 64 bits, the denominator is a power of two: the sum is rounded once, as is meant.
    """
    return np.asarray(sums * unit.numerator / float(unit.denominator) / count)


def _is_large(whole: list[int], unit: Fraction, most: int) -> bool:
    greatest = max(map(abs, whole)) * most * unit.numerator
    return greatest >= 2**62 or greatest >= 2**53 * unit.denominator or not _fits(unit)


def _fits(unit: Fraction) -> bool:
    """Whether the parts of a fraction are in the range of floats: 5e-324 has the denominator 2^1074, which is not."""
    return max(unit.numerator, unit.denominator).bit_length() < 1000


def _of_large(whole: list[int], unit: Fraction, most: int, budget: WorkBudget, what: str) -> list[float]:
    """The same where sums do not fit 53 bits.

    A sum that is an integer is divided as it is where all numbers of a word are integers, and is rounded first where
    some are floats: it may have two means.
    """
    sums, distinct_means = set(whole), set[float]()
    for count in range(2, most + 1):
        _begin(len(sums) * len(whole), len(distinct_means), 20, budget, what)
        sums = {s + v for s in sums for v in whole}
        try:
            distinct_means |= {mean for s in sums for mean in _quotients(s * unit, count)}
        except OverflowError:
            raise NotCertified(f"`{what}` has means that may not fit a float") from None
    return sorted(distinct_means)


def _begin(work: int, count: int, weight: int, budget: WorkBudget, what: str) -> None:
    if work > MOST_SUMS or count > FEW_VALUES:
        raise NotCertified(f"`{what}` has too many values to check")
    budget.spend(weight * work)


def unit_of(numbers: list[Any]) -> Fraction:
    """The largest number of which all are multiples."""
    unit = Fraction(0)
    for value in map(Fraction, numbers):
        top = math.gcd(unit.numerator * value.denominator, value.numerator * unit.denominator)
        unit = Fraction(top, unit.denominator * value.denominator)
    return unit or Fraction(1)


def _quotients(total: Fraction, count: int) -> tuple[float, float]:
    """The means of this many numbers with a sum: of integers, and of numbers some of which are floats."""
    rounded = float(total)
    return (total.numerator if total.denominator == 1 else rounded) / count, rounded / count


def is_sum(mean: Atom, count: int, unit: Fraction) -> bool:
    """Whether a number is (the rounded quotient of) a multiple of a unit divided by a count.

    A multiple that is an integer is divided as it is, or rounded first: see `_of_large`.
    """
    if isinstance(mean, str):
        return count == 1  # several strings have no mean
    if not math.isfinite(mean):
        return True
    steps = round(Fraction(mean) * count / unit)
    if abs(steps) >= 2**48:
        return True  # rounding may have led here from other multiples, too: nothing is excluded
    try:
        return mean in _quotients(steps * unit, count) if steps else mean == 0
    except OverflowError:
        return True  # a sum beyond all floats


def are_sums(values: Sequence[Atom], most: int, unit: Fraction) -> Array:
    """For each count from 1 to `most` and each number, whether it is a mean of this many; at once if floats are exact.

    Axes: count, number.
    """
    if _fits(unit) and all(not isinstance(v, str) and math.isfinite(v) for v in values):
        numbers, counts = np.array(values, np.float64)[None, :], np.arange(1.0, most + 1)[:, None]
        steps = np.rint(numbers * counts * unit.denominator / unit.numerator)
        # so small that the rounding of the steps before rint cannot lead to another integer
        if float(np.abs(steps).max(initial=0.0)) * unit.numerator < 2**48:
            return np.asarray(steps * unit.numerator / float(unit.denominator) / counts == numbers)
    return np.array([[is_sum(v, count, unit) for v in values] for count in range(1, most + 1)], bool)


def in_ranges(values: Sequence[Any], most: int, ranges: Mapping[int, SumRange]) -> Array:
    """For each count from 1 to `most` and each mean, whether the sum is in the range of sums of this many integers."""
    numbers, counts = np.array(values, np.float64)[None, :], range(1, most + 1)
    low = np.array([ranges[c].low if c in ranges else np.inf for c in counts])[:, None] - 0.5
    high = np.array([ranges[c].high if c in ranges else -np.inf for c in counts])[:, None] + 0.5
    sums = numbers * np.array(counts)[:, None]
    return np.asarray((low <= sums) & (sums <= high))


def same_values(node: Aggregate, values: Sequence[Any], longest: int) -> bool:
    """Whether the mean of all selected keys is surely the value of each.

    So it is where the value is uniform, or a function of what the keys are equal by, and where keys are equal in how
    many smaller x there are, and the value is x; if sums of equal values are not rounded: three times 0.1 by three is
    not 0.1.
    """
    if any(not isinstance(v, str) and not _repeats(v, longest) for v in values):
        return False
    if averages_equal(node):
        return True
    chosen = node.selector
    if not isinstance(chosen, Select) or chosen.op != "==" or not isinstance(chosen.key, Width):
        return False
    order = chosen.key.selector
    return isinstance(order, Select) and order.op in ("<", ">") and order.key is order.query is node.value


def mixes_numbers(node: Aggregate | PairAggregate, values: Sequence[Atom], longest: int) -> bool:
    """Whether means of different numbers are taken; equal ones are their own mean, whatever stands for them."""
    same = isinstance(node, Aggregate) and same_values(node, values, longest)
    return any(not isinstance(v, (str, bool)) for v in values) and not same


def _repeats(value: Any, most: int) -> bool:
    """Whether sums of up to this many times a number are exact in floats."""
    if not math.isfinite(value):
        return True
    top = abs(value.as_integer_ratio()[0])
    odd = top // (top & -top) if top else 0
    return odd * most < 2**53 and abs(value) * most < 2**53
