"""Numbers as intervals over axes, under a model of floating point.

The model of a system with unit roundoff u: every product and sum is rounded once, with a relative error of at most u;
sums are taken in any order, with or without fused multiply-add, so that a sum of m terms t has an error of at most
gamma(m) * sum |t| with gamma(m) = m u / (1 - m u). A sum is exact where every term, and so every partial sum, is a
multiple of some power of two q and sum |t| <= q / u: no partial sum then needs more digits than the system has.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.certify.axes import MOST_CELLS
from capax.certify.effort import Effort
from capax.certify.refusal import Refusal
from capax.model.parts import Array
from capax.rasp.nodes import Node

ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8}
LEAST_EXPONENT = {"float64": -745.2, "float32": -104.0, "bfloat16": -104.0}
"""exp of anything smaller is zero, whether denormal numbers are flushed or not."""

LEAST = {"float64": 2.0**-1022, "float32": 2.0**-126, "bfloat16": 2.0**-126}
"""A product that is smaller may lose digits, or become zero."""

LARGEST = {"float64": 2.0**1000, "float32": 2.0**120, "bfloat16": 2.0**120}
"""Nothing beyond is certified: partial sums could overflow."""

GUARD = 1 + 2.0**-40
OWN = 2.0**-52
"""Bounds are computed in float64; so much for each term of a sum covers the rounding of the bounds themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class Wide:
    """A number for each combination of values of some axes: between low and high.

    `grain` is a power of two of which all numbers that are known exactly (low = high) are multiples, or 0.
    """

    axes: tuple[Node, ...]
    low: Array
    high: Array
    grain: float

    @property
    def size(self) -> float:
        """A bound on the absolute value."""
        return float(max(np.abs(self.low).max(initial=0.0), np.abs(self.high).max(initial=0.0)))

    @property
    def error(self) -> float:
        """The greatest width of an interval, halved."""
        return float((self.high - self.low).max(initial=0.0) / 2)


def exactly(axes: tuple[Node, ...], array: Array) -> Wide:
    """Numbers that are known."""
    known = np.asarray(array, np.float64)
    return Wide(axes, known, known, grain_of(known))


def between(axes: tuple[Node, ...], low: Array, high: Array) -> Wide:
    """Numbers that lie between bounds."""
    low, high = np.asarray(low), np.asarray(high)
    return Wide(axes, low, high, grain_of(low[low == high]))


def grain_of(array: Array) -> float:
    """The largest power of two of which all numbers are multiples; 1 at most, and 0 for what is beyond 2^-60."""
    values = np.asarray(array, np.float64)
    values = values[values != 0]
    if not values.size:
        return 1.0
    if not np.isfinite(values).all():
        return 0.0
    if (values == np.rint(values)).all():
        return 1.0
    mantissa, exponent = np.frexp(values)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64))
    power = float((exponent - 53 + lowest).min())
    return 2.0**power if power >= -60 else 0.0


ZERO = exactly((), np.zeros(()))


class Arithmetic:
    """Sums and positive parts of intervals in a number system."""

    def __init__(self, numbers: str, sizes: dict[Node, int], effort: Effort | None = None) -> None:
        self.unit = ROUNDOFF[numbers]
        self.numbers = numbers
        self.sizes = sizes
        self.spend = (effort or Effort()).spend

    def gamma(self, terms: int) -> float:
        """The bound on the relative error of a sum of so many products."""
        m = terms * self.unit
        if m >= 0.5:
            raise Refusal(f"a sum of {terms} terms has no bound in {self.numbers}", help="use more precise numbers")
        return m / (1 - m)

    def within(self, size: Array) -> None:
        """Refuses what could overflow, and what is no number."""
        if not float(size.max(initial=0.0)) <= LARGEST[self.numbers]:
            raise Refusal(f"a number could be too large for {self.numbers}", help="smaller weights")

    def slack(self, size: Array, terms: int) -> Array:
        """A bound on the error of sums of products, and of their bounds here, from the sums of absolute values."""
        relative = (self.gamma(terms) + (terms + 4) * OWN) * GUARD
        return np.asarray(size * relative + terms * LEAST[self.numbers])

    def shape(self, axes: tuple[Node, ...], what: str = "a number") -> list[int]:
        """The sizes of axes; too many combinations are refused."""
        shape = [self.sizes[a] for a in axes]
        if math.prod(shape) > MOST_CELLS:
            raise Refusal(f"{what} depends on {math.prod(shape):,} combinations of values", what, too_many=True)
        return shape

    def sums(self, inputs: Sequence[Wide], weight: Array, bias: Array) -> list[Wide]:
        """For each column of weights the sum of weight * input, plus the bias."""
        weight, bias = np.asarray(weight, np.float64), np.asarray(bias, np.float64)
        used = [k for k in range(len(inputs)) if weight[k].any()]
        groups: dict[tuple[Node, ...], list[int]] = {}
        for k in used:
            groups.setdefault(inputs[k].axes, []).append(k)
        by_axes: dict[tuple[tuple[Node, ...], ...], list[int]] = {}
        for column in range(weight.shape[1]):
            kinds = tuple(axes for axes, members in groups.items() if weight[members, column].any())
            by_axes.setdefault(kinds, []).append(column)
        found: list[Wide | None] = [None] * weight.shape[1]
        for kinds, columns in by_axes.items():
            for start in range(0, len(columns), 64):
                part = columns[start : start + 64]
                for column, made in zip(part, self._block(inputs, groups, kinds, weight, bias, part), strict=True):
                    found[column] = made
        return [f if f is not None else ZERO for f in found]

    def _block(
        self,
        inputs: Sequence[Wide],
        groups: dict[tuple[Node, ...], list[int]],
        kinds: tuple[tuple[Node, ...], ...],
        weight: Array,
        bias: Array,
        columns: list[int],
    ) -> list[Wide]:
        """Sums of columns that read the same groups of inputs."""
        axes = tuple(dict.fromkeys(a for kind in kinds for a in kind))
        shape = self.shape(axes)
        count = len(columns)
        self.spend(count * math.prod(shape))
        wide = [1] * len(axes)
        low = np.broadcast_to(bias[columns].reshape(count, *wide), (count, *shape)).copy()
        high, size, noisy = low.copy(), np.abs(low), np.zeros(low.shape, bool)
        grains = [[_grain(b)] for b in bias[columns]]
        terms = np.array([int(b != 0) for b in bias[columns]])
        for kind in kinds:
            members = groups[kind]
            part = weight[np.ix_(members, columns)]
            lows = np.stack([inputs[k].low for k in members]).reshape(len(members), -1)
            highs = np.stack([inputs[k].high for k in members]).reshape(len(members), -1)
            inner = [self.sizes[a] for a in kind]
            if np.array_equal(lows, highs):
                both = self._onto(part.T @ lows, kind, axes, inner, shape)
                low += both
                high += both
            else:
                up, down = np.maximum(part, 0).T, np.minimum(part, 0).T
                for target, one, two in ((low, lows, highs), (high, highs, lows)):
                    target += self._onto(up @ one + down @ two, kind, axes, inner, shape)
                doubt = (part != 0).T.astype(np.float64) @ (lows != highs).astype(np.float64)
                noisy |= self._onto(doubt, kind, axes, inner, shape) > 0
            size += self._onto(np.abs(part).T @ np.maximum(np.abs(lows), np.abs(highs)), kind, axes, inner, shape)
            terms += (part != 0).sum(axis=0)
            for place in range(count):
                grains[place] += [
                    inputs[k].grain * _grain(w) for k, w in zip(members, part[:, place], strict=True) if w
                ]
        return [
            self._rounded(axes, low[i], high[i], size[i], noisy[i], min(grains[i]), int(terms[i])) for i in range(count)
        ]

    def _onto(
        self, array: Array, kind: tuple[Node, ...], axes: tuple[Node, ...], inner: list[int], shape: list[int]
    ) -> Array:
        """Numbers over some axes, for each of several columns, over more axes."""
        order = sorted(range(len(kind)), key=lambda k: axes.index(kind[k]))
        moved = array.reshape(-1, *inner).transpose(0, *(k + 1 for k in order))
        full = [shape[k] if axis in kind else 1 for k, axis in enumerate(axes)]
        return moved.reshape(-1, *full)

    def _rounded(
        self, axes: tuple[Node, ...], low: Array, high: Array, size: Array, noisy: Array, grain: float, terms: int
    ) -> Wide:
        """The bounds with the rounding of the sum, which is none where all terms are exact and small enough."""
        self.within(size)
        exact = ~noisy & (size * self.unit <= grain) if grain > 0 else np.zeros(size.shape, bool)
        if exact.all():
            return between(axes, low, high)
        slack = np.where(exact, 0.0, self.slack(size, terms))
        return between(axes, low - slack, high + slack)

    def relu(self, x: Wide) -> Wide:
        """The positive part."""
        low, high = np.maximum(x.low, 0.0), np.maximum(x.high, 0.0)
        if x.axes and low.min() == low.max() and high.min() == high.max():
            return between((), low.reshape(-1)[0], high.reshape(-1)[0])  # it depends on nothing
        return between(x.axes, low, high)


def _grain(number: float) -> float:
    return grain_of(np.array([number])) if number else 1.0
