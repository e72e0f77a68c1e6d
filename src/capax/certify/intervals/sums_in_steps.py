"""Sums over many axes, in the steps in which the program makes its s-ops.

i + p - n depends on three axes and has as many combinations as there are triples. Where the program computes s = i + p
and y = s - n, and both are axes, the part i + p is taken over s, and the rest over y.

Lemma. Let an s-op be an axis, and let its value follow from those of some other axes. The sum of the terms that depend
on these alone lies, where the s-op has the value v, in the union of what it is for all combinations that give v. It
pays where the union is no wider than the terms are in doubt.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from capax.certify.intervals.tensor import grains_of
from capax.certify.values.axes import MOST_CELLS
from capax.certify.values.coded_values import Values, expand
from capax.model.parts import Array
from capax.rasp.ir.nodes import Node

LEAST_GRAIN = 2.0**-60
"""Smaller grains count as none."""


class RawSums(NamedTuple):
    """Sums before they are rounded, in rows: bounds, sums of absolute values, whether a term is not known exactly.

    Both bounds are one array, and no term is in doubt, where all are known exactly.
    """

    low: Array
    high: Array
    size: Array
    noisy: Array | None
    grain: Array
    terms: Array

    def at(self, rows: list[int]) -> "RawSums":
        """Some of the rows; one that is asked for alone, however often, stands for all."""
        if rows == list(range(len(self.low))):
            return self
        used = rows[:1] if len(set(rows)) == 1 else rows
        low, noisy = self.low[used], None if self.noisy is None else self.noisy[used]
        high = low if self.high is self.low else self.high[used]
        return RawSums(low, high, self.size[used], noisy, self.grain[used], self.terms[used])

    def times(self, factors: Array) -> "RawSums":
        """The rows (or one for all) multiplied by positive factors, which are numbers of float32.

        Lemma. Sums of terms t that are exact in float64 after the multiplication, by the grain of the products, are
        exact before it, and their products with the factor are: no number of L1 has more digits than a product.
        """
        if (factors == 1).all():
            return self
        wide = factors.reshape((-1,) + (1,) * (self.low.ndim - 1))
        low = self.low * wide
        high = low if self.high is self.low else self.high * wide
        grain = self.grain * grains_of(factors)
        return RawSums(low, high, self.size * wide, self.noisy, np.where(grain >= LEAST_GRAIN, grain, 0.0), self.terms)


class MadeAxes(Protocol):
    """Axes some of which are s-ops of others."""

    @property
    def cuts(self) -> Mapping[Node, Values]:
        """What each of those axes is made of, operands first."""

    def rows(self, node: Node) -> Array:
        """For each combination of the axes that it was made of, which of its values it has; -1 where there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class PartOfSum:
    """A part of a sum, not rounded: one row, over some axes."""

    axes: tuple[Any, ...]
    raw: RawSums


def sum_in_steps(
    terms: Sequence[PartOfSum], made: MadeAxes, sizes: Mapping[Any, int], spend: Callable[[int], None]
) -> PartOfSum | None:
    """The sum of terms over s-ops that are made of their axes; None where it still has too many combinations."""
    left = list(terms)
    for node, source in made.cuts.items():
        over, cells = source.axes, math.prod(sizes.get(a, 0) for a in source.axes)
        inside = [t for t in left if t.axes and set(t.axes) <= set(over)]
        covered = {a for t in inside for a in t.axes}.issuperset(over)
        if not covered or not 2 * sizes[node] <= cells <= MOST_CELLS:
            continue
        spend((len(inside) + 2) * cells)
        taken = _by_value(added(inside, over, sizes), made.rows(node), sizes[node])
        if taken is not None:
            left = [*(t for t in left if t not in inside), PartOfSum((node,), taken)]
    axes = tuple(dict.fromkeys(a for t in left for a in t.axes))
    if left == list(terms) or math.prod(sizes[a] for a in axes) > MOST_CELLS:
        return None
    spend(len(left) * math.prod(sizes[a] for a in axes))
    return PartOfSum(axes, added(left, axes, sizes))


def added(terms: Sequence[PartOfSum], axes: tuple[Any, ...], sizes: Mapping[Any, int]) -> RawSums:
    """The sum of terms over all axes of theirs."""
    shape = [sizes[a] for a in axes]

    def onto(term: PartOfSum, array: Array) -> Array:
        return np.broadcast_to(expand(array[0], term.axes, axes, shape), shape)

    low = sum((onto(t, t.raw.low) for t in terms), np.zeros(shape))
    known = all(t.raw.low is t.raw.high for t in terms)
    high = low if known else sum((onto(t, t.raw.high) for t in terms), np.zeros(shape))
    size = sum((onto(t, t.raw.size) for t in terms), np.zeros(shape))
    doubts = [onto(t, t.raw.noisy) for t in terms if t.raw.noisy is not None]
    noisy = np.logical_or.reduce(doubts)[None] if doubts else None
    grain = np.minimum.reduce([t.raw.grain for t in terms])
    counts = np.asarray(sum(t.raw.terms for t in terms))
    lows = low[None]
    return RawSums(lows, lows if known else high[None], size[None], noisy, grain, counts)


def _by_value(raw: RawSums, rows: Array, count: int) -> RawSums | None:
    """A sum over the values of an s-op; None where it is no function of them. What happens at no value is left out."""
    cells = np.nonzero(rows >= 0)[0]
    which = rows[cells]
    low, high = raw.low.reshape(-1)[cells], raw.high.reshape(-1)[cells]
    least, most, size = np.full(count, np.inf), np.full(count, -np.inf), np.zeros(count)
    np.minimum.at(least, which, low)
    np.maximum.at(most, which, high)
    if not (most - least).max() <= (high - low).max():
        return None
    np.maximum.at(size, which, raw.size.reshape(-1)[cells])
    noisy = None
    if raw.noisy is not None:
        noisy = np.zeros((1, count), bool)
        np.logical_or.at(noisy[0], which, raw.noisy.reshape(-1)[cells])
    lows = least[None]
    same = raw.low is raw.high or np.array_equal(least, most)
    return RawSums(lows, lows if same else most[None], size[None], noisy, raw.grain, raw.terms)
