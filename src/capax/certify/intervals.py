"""Numbers as intervals over axes, under a model of floating point.

The model of a system with unit roundoff u: every product and sum is rounded once, with a relative error of at most u;
sums are taken in any order, with or without fused multiply-add, so that a sum of m terms t has an error of at most
gamma(m) * sum |t| with gamma(m) = m u / (1 - m u). A sum is exact where every term, and so every partial sum, is a
multiple of some power of two q and sum |t| <= q / u: no partial sum then needs more digits than the system has.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from capax.certify.axes import MOST_CELLS, spread
from capax.certify.effort import Effort
from capax.certify.fold import FEWER, Fold, folded, may_fold, plain
from capax.certify.refusal import Refusal
from capax.model.parts import Array
from capax.rasp.nodes import Node

Groups: TypeAlias = dict[tuple[Any, ...], list[int]]
"""Which of several numbers depend on which axes."""

ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8}
LEAST_EXPONENT = {"float64": -745.2, "float32": -104.0, "bfloat16": -104.0}
"""exp of anything smaller is zero, whether denormal numbers are flushed or not."""

LEAST = {"float64": 2.0**-1022, "float32": 2.0**-126, "bfloat16": 2.0**-126}
"""A product that is smaller may lose digits, or become zero."""

LARGEST = {"float64": 2.0**1000, "float32": 2.0**120, "bfloat16": 2.0**120}
"""Nothing beyond is certified: partial sums could overflow."""

FEW_CELLS = 40_000
"""Up to so many combinations a sum is tried over its values even if few columns gain by it."""

MISSES = 3
"""After so many columns that do not fold, the others that read the same are not tried."""

GUARD = 1 + 2.0**-40
OWN = 2.0**-52
"""Bounds are computed in float64; so much for each term of a sum covers the rounding of the bounds themselves."""


@dataclass(frozen=True, eq=False)
class Wide:
    """A number for each combination of values of some axes: between low and high."""

    axes: tuple[Any, ...]
    low: Array
    high: Array

    @cached_property
    def grain(self) -> float:
        """The largest power of two of which all numbers that are known exactly are multiples; 0 for a tiny one."""
        return grain_of(self.low if self.known else self.low[self.low == self.high])

    @cached_property
    def known(self) -> bool:
        """Whether all numbers are known exactly."""
        return self.low is self.high or np.array_equal(self.low, self.high)

    @property
    def size(self) -> float:
        """A bound on the absolute value."""
        return float(max(np.abs(self.low).max(initial=0.0), np.abs(self.high).max(initial=0.0)))

    @property
    def error(self) -> float:
        """The greatest width of an interval, halved."""
        return 0.0 if self.known else float((self.high - self.low).max(initial=0.0) / 2)


def exactly(axes: tuple[Any, ...], array: Array) -> Wide:
    """Numbers that are known."""
    known = np.asarray(array, np.float64)
    return Wide(axes, known, known)


def between(axes: tuple[Any, ...], low: Array, high: Array) -> Wide:
    """Numbers that lie between bounds."""
    return Wide(axes, np.asarray(low), np.asarray(high))


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


class _Raw(NamedTuple):
    """Sums before they are rounded, in rows: bounds, sums of absolute values, whether a term is not known exactly."""

    low: Array
    high: Array
    size: Array
    noisy: Array
    grain: Array
    terms: Array


class Arithmetic:
    """Sums and positive parts of intervals in a number system, or in several at once: what holds in each of them."""

    def __init__(
        self,
        numbers: str | tuple[str, ...],
        sizes: dict[Node, int],
        effort: Effort | None = None,
        feasible: Callable[[tuple[Any, ...]], Array | None] = lambda axes: None,
    ) -> None:
        """`feasible` tells which combinations of values of some axes can happen; None if all may."""
        self.systems = (numbers,) if isinstance(numbers, str) else numbers
        self.numbers = " and ".join(self.systems)
        self.unit = max(ROUNDOFF[s] for s in self.systems)
        self.finest = min(ROUNDOFF[s] for s in self.systems)
        self.least = max(LEAST[s] for s in self.systems)
        self.largest = min(LARGEST[s] for s in self.systems)
        self.least_exponent = min(LEAST_EXPONENT[s] for s in self.systems)
        self.exp_error = 0.0  # beyond what sums of rounded weights are allowed
        self.nothing = 0.0  # a number up to this counts as none
        self.shared = 0.0  # how far from 1 the factor is that a row, as it is read, has for what is no bias
        self.sizes: dict[Any, int] = dict(sizes)
        self._folds: dict[bytes, Fold] = {}
        self._feasible = feasible
        self._possible: dict[tuple[Any, ...], Array | None] = {}
        self.spend = (effort or Effort()).spend

    def gamma(self, terms: Any) -> Any:
        """The bound on the relative error of a sum of so many products."""
        m = terms * self.unit
        if np.max(m) >= 0.5:
            raise Refusal(
                f"a sum of {np.max(terms)} terms has no bound in {self.numbers}", help="use more precise numbers"
            )
        return m / (1 - m)

    def within(self, size: Array) -> float:
        """The greatest of some sizes; what could overflow, and what is no number, is refused."""
        most = float(size.max(initial=0.0))
        if not most <= self.largest:
            raise Refusal(f"a number could be too large for {self.numbers}", help="smaller weights")
        return most

    def slack(self, size: Array, terms: Any) -> Array:
        """A bound on the error of sums of products, and of their bounds here, from the sums of absolute values."""
        relative = (self.gamma(terms) + (terms + 4) * OWN) * GUARD
        return np.asarray(size * relative + terms * self.least)

    def shape(self, axes: tuple[Any, ...], what: str = "a number") -> list[int]:
        """The sizes of axes; too many combinations are refused."""
        shape = [self.sizes[a] for a in axes]
        if math.prod(shape) > MOST_CELLS:
            raise Refusal(f"{what} depends on {math.prod(shape):,} combinations of values", what, too_many=True)
        return shape

    def possible(self, axes: tuple[Any, ...]) -> Array | None:
        """The places of the combinations that can happen in a list of all; None if all may, or it was not worth it."""
        if axes not in self._possible:
            shape = [self.sizes[a] for a in axes]
            found = self._feasible(axes) if may_fold(axes, math.prod(shape)) else None
            self._possible[axes] = None if found is None else np.nonzero(np.broadcast_to(found, shape).reshape(-1))[0]
        return self._possible[axes]

    def folded(self, x: Wide) -> Wide:
        """The same numbers over an axis of their values, where these are few and their axes many."""
        if x.low.shape != tuple(self.sizes[a] for a in x.axes):
            return x
        found = folded(x.axes, x.low, x.high, self._folds, self.possible(x.axes))
        if found is None:
            return x
        fold, low, high = found
        self.sizes[fold] = fold.count
        return Wide((fold,), low, high)

    def unfolded(self, x: Wide) -> Wide:
        """The same numbers over axes of the program."""
        if not any(isinstance(a, Fold) for a in x.axes):
            return x
        self.spend(math.prod(self.shape(plain(x.axes))))
        low, high = (self._spread(end[None], x.axes)[0] for end in (x.low, x.high))
        return Wide(plain(x.axes), low, high)

    def _spread(self, array: Array, kind: tuple[Any, ...]) -> Array:
        """Numbers for each of several columns over axes some of which are folds, over the axes of the program."""
        sizes = [self.sizes[a] for a in kind]
        if len(kind) == 1:
            within = [self.sizes[a] for a in kind[0].inner]
            return np.asarray(array.reshape(-1, *sizes)[:, kind[0].index].reshape(-1, *within))
        axes = plain(kind)
        shape = [self.sizes[a] for a in axes]
        places = []
        for axis in kind:
            inner = axis.inner if isinstance(axis, Fold) else (axis,)
            index = axis.index if isinstance(axis, Fold) else np.arange(self.sizes[axis])
            places.append(spread(index.reshape([self.sizes[a] for a in inner]), inner, axes, shape))
        where: tuple[Any, ...] = (slice(None), *places)
        return np.asarray(array.reshape(-1, *sizes)[where])

    def _joined(self, kinds: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """All axes of several numbers; folds are undone where they meet others, unless they are shorter even so.

        A number that is a function of two folds is one for each pair of their values, whether the pair can happen or
        not.
        """
        axes = tuple(dict.fromkeys(a for kind in kinds for a in kind))
        if len(axes) < 2 or not any(isinstance(a, Fold) for a in axes):
            return axes
        inner = plain(axes)
        short, long = (math.prod(self.sizes[a] for a in some) for some in (axes, inner))
        # of folds of the same axes few pairs of values happen: these are better folded anew
        folds = [a for a in axes if isinstance(a, Fold)]
        apart = not any(set(a.inner) <= set(b.inner) for a in folds for b in folds if a is not b)
        return axes if apart and FEWER * short <= long else inner

    def sums(self, given: Sequence[Wide], weight: Array, bias: Array, *, fold: bool = False) -> list[Wide]:
        """For each column of weights the sum of weight * input, plus the bias; `fold`: over folds where that pays."""
        weight, bias = np.asarray(weight, np.float64), np.asarray(bias, np.float64)
        used = [k for k in range(len(given)) if weight[k].any()]
        every: Groups = {}
        for k in used:
            every.setdefault(given[k].axes, []).append(k)
        by_axes: dict[tuple[tuple[Any, ...], ...], list[int]] = {}
        reads = {axes: np.asarray((weight[members] != 0).any(axis=0)) for axes, members in every.items()}
        for column in range(weight.shape[1]):
            kinds = tuple(axes for axes, columns in reads.items() if columns[column])
            by_axes.setdefault(kinds, []).append(column)
        found: list[Wide | None] = [None] * weight.shape[1]
        for kinds, columns in by_axes.items():
            for start in range(0, len(columns), 64):
                part = columns[start : start + 64]
                for column, made in zip(part, self._block(given, every, kinds, weight, bias, part, fold), strict=True):
                    found[column] = made
        return [f if f is not None else ZERO for f in found]

    def read(self, given: Sequence[Wide], weight: Array, bias: Array, *, fold: bool = False) -> list[Wide]:
        """What a map that reads the residual stream gives: its sums, where nothing stands before the map."""
        return self.sums(given, weight, bias, fold=fold)

    def apart(self, given: Sequence[Wide], weight: Array, bias: Array) -> tuple[list[Wide], Array | None]:
        """What such a map gives, and a bias to be added, where that is kept apart."""
        return self.read(given, weight, bias), None

    def _block(
        self,
        inputs: Sequence[Wide],
        groups: Groups,
        kinds: tuple[tuple[Any, ...], ...],
        weight: Array,
        bias: Array,
        columns: list[int],
        fold: bool,
    ) -> list[Wide]:
        """Sums of columns that read the same groups of inputs.

        Columns with the same weights, such as the steps of one number, differ in their bias alone.
        """
        axes = self._joined(kinds)
        alike: dict[bytes, list[int]] = {}
        for column in columns:
            alike.setdefault(weight[:, column].tobytes(), []).append(column)
        firsts = [members[0] for members in alike.values()]
        raw = self._raw(inputs, groups, kinds, weight, firsts, axes)
        cells = raw.low[0].size
        can = fold and may_fold(axes, cells)
        possible = self.possible(axes) if can else None
        few = cells <= FEW_CELLS or (possible is not None and FEWER * len(possible) <= cells)
        found: dict[int, Wide] = {}
        whole: list[tuple[int, int]] = []  # columns over all combinations, with their row
        misses = 0
        for row, members in enumerate(alike.values()):
            pays = can and misses < MISSES and (few or len(members) >= FEWER)
            short = self._narrowed(axes, raw, row) if pays else None
            if short is None:
                misses += pays and len(members) < FEWER
                whole += [(column, row) for column in members]
                continue
            self.spend(len(members) * short[1].low.size)
            rows = np.zeros(len(members), np.int64)
            found |= zip(members, self._shifted(*short, rows, bias[members]), strict=True)
        if whole:
            self.spend(len(whole) * cells)
            listed, rows = [c for c, _ in whole], np.array([r for _, r in whole])
            found |= zip(listed, self._shifted(axes, raw, rows, bias[listed]), strict=True)
        return [found[column] for column in columns]

    def _raw(
        self,
        inputs: Sequence[Wide],
        groups: Groups,
        kinds: tuple[tuple[Any, ...], ...],
        weight: Array,
        columns: list[int],
        axes: tuple[Any, ...],
    ) -> _Raw:
        """The sums without bias and rounding, one row for each column."""
        shape = self.shape(axes)
        count = len(columns)
        self.spend(count * math.prod(shape))
        low: Any = 0.0
        high: Any = 0.0
        size: Any = 0.0
        noisy: Any = False
        grains = np.ones(count)
        terms = np.zeros(count, np.int64)
        for kind in kinds:
            members = groups[kind]
            part = weight[np.ix_(members, columns)]
            one, two, most, doubt = _weighted([inputs[k] for k in members], part)
            low = low + self._onto(one, kind, axes, shape)
            high = low if one is two and high is low else high + self._onto(two, kind, axes, shape)
            if doubt is not None:
                noisy = noisy | self._onto(doubt, kind, axes, shape)
            size = size + self._onto(most, kind, axes, shape)
            terms += (part != 0).sum(axis=0)
            own = np.array([inputs[k].grain for k in members])[:, None]
            grains = np.minimum(grains, np.where(part != 0, own * grains_of(part), 1.0).min(axis=0))
        full = (count, *shape)
        low, high, size, noisy = (np.broadcast_to(x, full) for x in (low, high, size, noisy))
        return _Raw(low, high, size, noisy, grains, terms)

    def _narrowed(self, axes: tuple[Any, ...], raw: _Raw, row: int) -> tuple[tuple[Any, ...], _Raw] | None:
        """The sums of one row over an axis of their values, where that is shorter."""
        # sizes and doubts go with the value they belong to: the greatest of each
        possible = self.possible(axes)
        found = folded(axes, raw.low[row], raw.high[row], self._folds, possible, shorter=True)
        if found is None:
            return None
        fold, low, high = found
        self.sizes[fold] = fold.count
        size, noisy = np.zeros(fold.count), np.zeros(fold.count, bool)
        kept = slice(None) if possible is None else possible
        np.maximum.at(size, fold.index[kept], raw.size[row].reshape(-1)[kept])
        np.logical_or.at(noisy, fold.index[kept], raw.noisy[row].reshape(-1)[kept])
        only = slice(row, row + 1)
        return (fold,), _Raw(low[None], high[None], size[None], noisy[None], raw.grain[only], raw.terms[only])

    def _shifted(self, axes: tuple[Any, ...], raw: _Raw, rows: Array, bias: Array) -> list[Wide]:
        """The sums of some rows with a bias each, rounded; not where all terms are exact and small enough."""
        wide = (-1,) + (1,) * (raw.low.ndim - 1)
        shift = bias.reshape(wide)
        if not np.array_equal(rows, np.arange(len(raw.low))):
            raw = _Raw(*(x[rows] for x in raw))
        size = raw.size + np.abs(shift)
        most = self.within(size)
        grain = np.minimum(raw.grain, grains_of(bias)).reshape(wide)
        low, high = raw.low + shift, raw.high + shift
        if raw.noisy.any() or most * self.unit > grain.min() or grain.min() == 0:
            slack = self.slack(size, (raw.terms + (bias != 0)).reshape(wide))
            slack[~raw.noisy & (size * self.unit <= grain) & (grain > 0)] = 0.0
            low, high = low - slack, high + slack
        return [between(axes, one, two) for one, two in zip(low, high, strict=True)]

    def _onto(self, array: Array, kind: tuple[Any, ...], axes: tuple[Any, ...], shape: list[int]) -> Array:
        """Numbers over some axes, for each of several columns, over more axes; a fold may be undone."""
        if not set(kind) <= set(axes):
            array, kind = self._spread(array, kind), plain(kind)
        inner = [self.sizes[a] for a in kind]
        order = sorted(range(len(kind)), key=lambda k: axes.index(kind[k]))
        moved = array.reshape(-1, *inner).transpose(0, *(k + 1 for k in order))
        full = [shape[k] if axis in kind else 1 for k, axis in enumerate(axes)]
        return moved.reshape(-1, *full)

    def relu(self, x: Wide) -> Wide:
        """The positive part."""
        low, high = np.maximum(x.low, 0.0), np.maximum(x.high, 0.0)
        if x.axes and low.min() == low.max() and high.min() == high.max():
            return between((), low.reshape(-1)[0], high.reshape(-1)[0])  # it depends on nothing
        return between(x.axes, low, high)


def _weighted(inputs: Sequence[Wide], part: Array) -> tuple[Array, Array, Array, Array | None]:
    """Sums of weight * input for each column of weights: bounds, the sum of absolute values, and what is in doubt.

    Both bounds are one array, and nothing is in doubt, where all inputs are known exactly.
    """
    if len(inputs) == 1 and part.shape[1] == 1:  # often large, and then the same in fewer steps
        x, factor = inputs[0], float(part[0, 0])
        one = factor * x.low.reshape(1, -1)
        if x.known:
            return one, one, np.abs(one), None
        two = factor * x.high.reshape(1, -1)
        one, two = (one, two) if factor > 0 else (two, one)
        return one, two, np.maximum(np.abs(one), np.abs(two)), one != two
    lows = np.stack([x.low for x in inputs]).reshape(len(inputs), -1)
    if all(x.known for x in inputs):
        both = part.T @ lows
        return both, both, np.abs(part).T @ np.abs(lows), None
    highs = np.stack([x.high for x in inputs]).reshape(len(inputs), -1)
    up, down = np.maximum(part, 0).T, np.minimum(part, 0).T
    doubt = (part != 0).T.astype(np.float64) @ (lows != highs).astype(np.float64) > 0
    most = np.abs(part).T @ np.maximum(np.abs(lows), np.abs(highs))
    return up @ lows + down @ highs, up @ highs + down @ lows, most, doubt


def grains_of(numbers: Array) -> Array:
    """The grain of each number by itself."""
    finite = np.isfinite(numbers)
    mantissa, exponent = np.frexp(np.where((numbers == 0) | ~finite, 1.0, numbers))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    power = np.minimum(exponent - 53 + np.log2((whole & -whole).astype(np.float64)), 0.0)
    return np.where(finite & (power >= -60), 2.0**power, 0.0)
