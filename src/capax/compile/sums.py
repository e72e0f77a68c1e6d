"""Means times the number of values in them: sums.

Such a product is how programs count (`(indices + 1) * aggregate(select(indices, indices, <=), x)`). Its values are few
integers, where all products of a mean and a number would be very many.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

import numpy as np

from capax.compile.value_sets import Interval, ValueSet, bounds, finite, unit_of
from capax.rasp.nodes import Aggregate, Indices, Map, Node, Select, SelectorNode, SOpNode, Width

MOST = 4096
"""So many sums are listed, at most."""


class Known(Protocol):
    """What is known of an s-op."""

    @property
    def values(self) -> ValueSet: ...
    @property
    def bases(self) -> tuple[SOpNode, ...]: ...
    @property
    def table(self) -> tuple[object, ...] | None: ...


def counted_sum(node: Map, sops: Mapping[Node, Known], n: int) -> ValueSet | None:
    """The values of a mean of up to n values times their number; None for another product."""
    for mean, count in (node.args, node.args[::-1]):
        if isinstance(mean, Aggregate) and _counts(count, mean.selector, sops[count]):
            values, means = sops[mean.value].values, sops[mean].values
            if isinstance(values, Interval) and values.most > 1:
                continue
            if not all(isinstance(s, Interval) or (s.numeric and s.values) for s in (values, means)):
                continue
            (low, high), zero = bounds(values), Fraction(0)
            return _listed(Interval(min(low, n * low, zero), max(high, n * high, zero), unit_of(values), 1), n)
    return None


def _counts(node: SOpNode, selector: SelectorNode, known: Known) -> bool:
    """Whether an s-op is how many keys a selector selects."""
    if node is Width(selector):
        return True
    counted: dict[Node, int] = {Select(Indices(), Indices(), "<="): 1, Select(Indices(), Indices(), "<"): 0}
    seen = counted.get(selector)
    if seen is None or known.bases != (Indices(),) or known.table is None:
        return False
    return all(e == i + seen for i, e in enumerate(known.table))


def _listed(sums: Interval, n: int) -> ValueSet:
    """The list of the sums, if they are few and k / m * m is k for all of them in floats, too."""
    unit = sums.unit
    low, high = int(sums.low / unit), int(sums.high / unit)
    dyadic = unit.denominator & (unit.denominator - 1) == 0
    if not dyadic or high - low > MOST or n > MOST or max(-low, high) * unit.numerator >= 2**53:
        return sums
    found = np.arange(low, high + 1) * float(unit)
    counts = np.arange(1.0, n + 1)[:, None]
    return finite(map(float, found)) if (found / counts * counts == found).all() else sums
