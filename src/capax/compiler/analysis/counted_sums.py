"""Means times the number of values in them: sums.

Such a product is how programs count (`(indices + 1) * aggregate(select(indices, indices, <=), x)`). Its values are few
integers, where all products of a mean and a number would be very many.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import or_

import numpy as np
import numpy.typing as npt

from capax.compiler.analysis.linear import Linear
from capax.compiler.analysis.value_sets import Finite, Interval, ValueSet, bounds, finite, rational, unit_of
from capax.compiler.domain import Domain
from capax.compiler.rounding.near_ties import is_whole
from capax.rasp.analysis.key_limits import most_keys
from capax.rasp.analysis.split_sums import SumRange, sum_ranges
from capax.rasp.ir.nodes import Aggregate, Comparison, Indices, Map, Node, Select, SOpNode, Width

MOST = 2**14
"""At most this many sums are listed."""


def _positions(op: Comparison) -> Node:
    return Select(Indices(), Indices(), op)


COUNTS: dict[Node, Linear] = {
    _positions("<="): Linear(0, 1, 1),
    _positions("<"): Linear(0, 1, 0),
    _positions(">="): Linear(1, -1, 0),
    _positions(">"): Linear(1, -1, -1),
}
"""How many keys each comparison of positions selects, as a function of length and position."""


@dataclass(frozen=True, slots=True)
class CountedSums:
    """The values of a sum, and which of them floats miss: those k for which k / m * m is not k for a count m.

    `whole`: all numbers that are summed up are floats, and multiples of an integer times a power of two.
    """

    values: ValueSet
    rounded: frozenset[float] = frozenset()
    whole: bool = False


def counted_sum(
    node: Map, values: Callable[[SOpNode], ValueSet], linear: Mapping[Node, Linear], domain: Domain
) -> CountedSums | None:
    """The values of a mean times the number of values in it; None for another product."""
    for mean, count in (node.args, node.args[::-1]):
        if not isinstance(mean, Aggregate):
            continue
        if count is not Width(mean.selector) and linear.get(count, 0) != COUNTS.get(mean.selector):
            continue
        sets = (values(mean.value), values(mean))
        if not all(isinstance(s, Interval) or (s.numeric and s.values) for s in sets):
            continue
        if isinstance(sets[0], Interval) and sets[0].most > 1:
            continue
        n = most_keys(mean.selector, domain.alphabet, domain.max_length)
        ends = [rational(v) for v in (sets[0].values[0], sets[0].values[-1])] if isinstance(sets[0], Finite) else None
        low, high = ends or bounds(sets[0])
        unit = unit_of(sets[0])
        numbers = [int(rational(v) / unit) for v in sets[0].values] if isinstance(sets[0], Finite) else None
        sums = _sums(low, high, unit, n, exact=is_whole(sets[0]), numbers=numbers)
        ranges = sum_ranges(mean, domain.alphabet, domain.max_length)
        return sums if ranges is None else _within(sums, ranges.values())
    return None


def _within(sums: CountedSums, ranges: Iterable[SumRange]) -> CountedSums:
    """The sums that lie in one of some ranges, or are 0."""
    low, high = min(0, *(r.low for r in ranges)), max(0, *(r.high for r in ranges))
    if isinstance(sums.values, Interval):
        return replace(sums, values=replace(sums.values, low=Fraction(low), high=Fraction(high)))
    values = Finite(tuple(v for v in sums.values.values if low <= float(v) <= high))
    return replace(sums, values=values, rounded=frozenset(v for v in sums.rounded if low <= v <= high))


def _sums(
    low: Fraction, high: Fraction, unit: Fraction, n: int, *, exact: bool, numbers: list[int] | None
) -> CountedSums:
    """The sums of up to n numbers from low to high that are multiples of a unit: a list where it is short.

    `exact`: the numbers are floats, and the unit an integer times a power of two. `numbers` are they, in units, where
    they are listed: then only sums of them count as rounded.
    """
    zero = Fraction(0)
    least, greatest = min(low, n * low, zero), max(high, n * high, zero)
    first, last = int(least / unit), int(greatest / unit)
    if not exact or last - first > MOST or n > MOST or max(-first, last) * unit.numerator >= 2**53:
        return CountedSums(Interval(least, greatest, unit, 1), whole=exact)
    sums = np.arange(first, last + 1) * float(unit)
    rounded, bits = np.zeros(len(sums), bool), 1
    for count in range(1, n + 1):
        reached = (sums >= min(0.0, float(count * low))) & (sums <= max(0.0, float(count * high)))
        if numbers is not None:
            bits = reduce(or_, (bits << v - numbers[0] for v in numbers))
            reached[:] = False
            reached[_places(bits) + count * numbers[0] - first] = True
        rounded |= reached & (sums / count * count != sums)
    return CountedSums(finite(map(float, sums)), frozenset(sums[rounded].tolist()), exact)


def _places(bits: int) -> npt.NDArray[np.int64]:
    """The places of the ones of a binary number, the lowest first."""
    read = np.frombuffer(bits.to_bytes(bits.bit_length() // 8 + 1, "little"), np.uint8)
    return np.nonzero(np.unpackbits(read, bitorder="little"))[0]
