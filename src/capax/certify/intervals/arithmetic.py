"""Numbers as intervals over axes, under a model of floating point.

The model of a system with unit roundoff u: every product and sum is rounded once, with a relative error of at most u;
sums are taken in any order, with or without fused multiply-add, so that a sum of m terms t has an error of at most
gamma(m) * sum |t| with gamma(m) = m u / (1 - m u). A sum is exact where every term, and so every partial sum, is a
multiple of some power of two q and sum |t| < q / u: no partial sum then needs more digits than the system has. (As the
bound is strict, it may be tested on a sum that is itself rounded: rounding keeps order, and q / u is a number.) What is
smaller than the least normal number may become zero, as a product, as a sum, and when it is read again.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from capax.certify.certify_budget import WorkBudget
from capax.certify.intervals.axis_merge import FEWER, AxisMerge, may_merge, merged_axes, plain
from capax.certify.intervals.raw_sums import RawSums
from capax.certify.intervals.stacks import AT_ONCE, Stack, joined_stacks, listed, stacked
from capax.certify.intervals.sums_in_steps import MadeAxes, Term, sum_in_steps
from capax.certify.intervals.tensor import IntervalTensor, are_whole, between, grains_of
from capax.certify.not_certified import NotCertified
from capax.certify.systems import LARGEST, LEAST, LEAST_EXPONENT, ROUNDOFF
from capax.certify.values.axes import MOST_CELLS
from capax.certify.values.coded_values import expand
from capax.model.parts import Array
from capax.rasp.ir.nodes import Node

Item = TypeVar("Item")

FEW_CELLS = 40_000
"""Up to this many combinations a sum is tried over its values even if few columns gain by it."""

MISSES = 3
"""After this many columns that do not merge, the others that read the same are not tried."""

MANY_TOGETHER = 1_000_000
"""From this many combinations on it is tried to take a sum in steps."""

GUARD = 1 + 2.0**-40
OWN = 2.0**-52
"""Bounds are computed in float64; so much for each term of a sum covers the rounding of the bounds themselves."""


class _Group(NamedTuple):
    """Columns of weights that are multiples of the first of them, and the factors."""

    columns: list[int]
    factors: Array


@dataclass(slots=True)
class _MergeTrials:
    """Whether sums are tried over an axis of their values; not any more after some that do not merge.

    Where one does, the others that read the same are likely to, even those of a single column.
    """

    worth_it: bool
    few_cells: bool
    misses: int = 0
    hits: int = 0

    def pays(self, group: list[int]) -> bool:
        """Whether the sum of a group of equal columns is to be tried."""
        return self.worth_it and self.misses < MISSES and (self.few_cells or self.hits > 0 or len(group) >= FEWER)


class IntervalArithmetic:
    """Sums and positive parts of intervals in a number system, or in several at once: what holds in each of them."""

    def __init__(
        self,
        numbers: str | tuple[str, ...],
        sizes: dict[Node, int],
        budget: WorkBudget | None = None,
        feasible: Callable[[tuple[Any, ...]], Array | None] = lambda axes: None,
        made: MadeAxes | None = None,
    ) -> None:
        """`feasible` tells which combinations of values of some axes can happen; None if all may.

        `made` has the axes that are s-ops of others, so that long sums may be taken in steps.
        """
        self.systems = (numbers,) if isinstance(numbers, str) else numbers
        self.numbers = " and ".join(self.systems)
        self.unit = max(ROUNDOFF[s] for s in self.systems)
        self.finest = min(ROUNDOFF[s] for s in self.systems)
        self.least = max(LEAST[s] for s in self.systems)
        self.largest = min(LARGEST[s] for s in self.systems)
        self.least_exponent = min(LEAST_EXPONENT[s] for s in self.systems)
        self.exp_error = 0.0  # beyond what sums of rounded weights are allowed
        self.nothing = 0.0  # a number up to this counts as none
        self.one_quotient = False  # attention divides once, at the end
        self.adds_exactly = False  # whether that would help: sums before a quotient are exact
        self.keys = 0  # a head may add up this many keys, if that is more than the words have that are looked at
        self.silu = 0.0  # how far units may be from ReLUs, near zero
        self.reach = math.inf  # how long a row of the stream may be
        self.shared = 0.0  # how far from 1 the factor is that a row, as it is read, has for what is no bias
        self.sizes: dict[Any, int] = dict(sizes)
        self._merges: dict[bytes, AxisMerge] = {}
        self._feasible, self._made = feasible, made
        self._possible: dict[tuple[Any, ...], Array | None] = {}
        self.spend = (budget or WorkBudget()).spend

    def gamma(self, terms: Any) -> Any:
        """The bound on the relative error of a sum of this many products."""
        m = terms * self.unit
        if np.max(m) >= 0.5:
            raise NotCertified(f"a sum of {np.max(terms)} terms has no bound in {self.numbers}")
        return m / (1 - m)

    def within(self, size: Array) -> float:
        """The greatest of some sizes; what could overflow, and what is no number, is refused."""
        most = float(size.max(initial=0.0))
        if not most <= self.largest:
            raise NotCertified(f"a number could be too large for {self.numbers}")
        return most

    def slack(self, size: Array, terms: Any) -> Array:
        """A bound on the error of sums of products, and of their bounds here, from the sums of absolute values.

        Each product, and the sum, may be flushed to zero.
        """
        relative = (self.gamma(terms) + (terms + 4) * OWN) * GUARD
        return np.asarray(size * relative + (terms + 2) * self.least)

    def shape(self, axes: tuple[Any, ...], what: str = "a number") -> list[int]:
        """The sizes of axes; too many combinations are refused."""
        shape = [self.sizes[a] for a in axes]
        if math.prod(shape) > MOST_CELLS:
            raise NotCertified(f"{what} depends on {math.prod(shape):,} combinations of values", what, too_many=True)
        return shape

    def possible(self, axes: tuple[Any, ...]) -> Array | None:
        """The combinations that can happen, as indices in a list of all; None if all may, or it was not worth it."""
        if axes not in self._possible:
            shape = [self.sizes[a] for a in axes]
            feasible = self._feasible(axes) if may_merge(axes, math.prod(shape)) else None
            self._possible[axes] = (
                None if feasible is None else np.nonzero(np.broadcast_to(feasible, shape).reshape(-1))[0]
            )
        return self._possible[axes]

    def merge_axes(self, x: IntervalTensor) -> IntervalTensor:
        """The same numbers over an axis of their values, where these are few and their axes many."""
        if len(x.axes) < 2 or x.low.shape != tuple(self.sizes[a] for a in x.axes):
            return x
        merged = merged_axes(x.axes, x.low, x.high, self._merges, self.possible(x.axes))
        if merged is None:
            return x
        axis, low, high, _ = merged
        self.sizes[axis] = axis.count
        return IntervalTensor((axis,), low, high)

    def split_axes(self, x: IntervalTensor) -> IntervalTensor:
        """The same numbers over axes of the program."""
        if not any(isinstance(a, AxisMerge) for a in x.axes):
            return x
        self.spend(math.prod(self.shape(plain(x.axes))))
        low, high = (self._expand(end[None], x.axes)[0] for end in (x.low, x.high))
        return IntervalTensor(plain(x.axes), low, high)

    def _expand(self, array: Array, kind: tuple[Any, ...]) -> Array:
        """Numbers for each of several columns over axes some of which are merged, over the axes of the program."""
        sizes = [self.sizes[a] for a in kind]
        if len(kind) == 1:
            within = [self.sizes[a] for a in kind[0].inner]
            return np.asarray(array.reshape(-1, *sizes)[:, kind[0].index].reshape(-1, *within))
        axes = plain(kind)
        shape = [self.sizes[a] for a in axes]
        indices = []
        for axis in kind:
            inner = axis.inner if isinstance(axis, AxisMerge) else (axis,)
            index = axis.index if isinstance(axis, AxisMerge) else np.arange(self.sizes[axis])
            indices.append(expand(index.reshape([self.sizes[a] for a in inner]), inner, axes, shape))
        where: tuple[Any, ...] = (slice(None), *indices)
        return np.asarray(array.reshape(-1, *sizes)[where])

    def joined(self, kinds: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """All axes of several numbers; merged axes are split where they meet others, unless they are shorter even so.

        A function of two merged axes has a number for each pair of their values, whether the pair can happen or not.
        """
        axes = tuple(dict.fromkeys(a for kind in kinds for a in kind))
        if len(axes) < 2 or not any(isinstance(a, AxisMerge) for a in axes):
            return axes
        inner = plain(axes)
        short, long = (math.prod(self.sizes[a] for a in some) for some in (axes, inner))
        # of merges of the same axes few pairs of values happen: these are better merged anew
        merges = [a for a in axes if isinstance(a, AxisMerge)]
        apart = not any(set(a.inner) <= set(b.inner) for a in merges for b in merges if a is not b)
        return axes if apart and FEWER * short <= long else inner

    def sums(
        self, given: Sequence[IntervalTensor], weight: Array, bias: Array, *, merge: bool = False
    ) -> list[IntervalTensor]:
        """For each column of weights the sum of weight * input, plus the bias; `merge`: over merged axes."""
        used = np.nonzero(np.asarray(weight).any(axis=1))[0].tolist()
        return listed(self.stacks(stacked(given, used), weight, bias, merge=merge), len(bias))

    def stacks(self, given: Sequence[Stack], weight: Array, bias: Array, *, merge: bool = False) -> list[Stack]:
        """The same, of and as stacks."""
        weight, bias = np.asarray(weight, np.float64), np.asarray(bias, np.float64)
        reads: Array = np.zeros((weight.shape[1], len(given)), bool)
        for number, stack in enumerate(given):
            reads[:, number] = weight[stack.indices].any(axis=0)
        results: list[Stack] = []
        for columns in _equal_rows(reads):
            read = [stack for stack, is_read in zip(given, reads[columns[0]].tolist(), strict=True) if is_read]
            results += self._block(read, weight, bias, columns, merge)
        return joined_stacks(results)

    def read(
        self, given: Sequence[IntervalTensor], weight: Array, bias: Array, *, merge: bool = False
    ) -> list[IntervalTensor]:
        """What a map that reads the residual stream gives: its sums, where nothing stands before the map."""
        return self.sums(given, weight, bias, merge=merge)

    def apart(
        self, given: Sequence[IntervalTensor], weight: Array, bias: Array
    ) -> tuple[list[IntervalTensor], Array | None]:
        """What such a map gives, and a bias to be added, where that is kept apart."""
        return self.read(given, weight, bias), None

    @property
    def common_factor(self) -> float:
        """How far from 1 the factor may be that all numbers of a row have in common as they are read."""
        return 0.0

    def logit_noise(self, weight: Array, bias: Array, sizes: Array) -> Array:
        """How far rounding can take what a map reads from what it would be, but for such a factor.

        `sizes` are bounds on what is read: directions, then combinations. Returns numbers for each output of each.
        """
        size = np.abs(weight).T @ sizes + np.abs(bias)[:, None]
        self.within(size)
        return self.slack(size, ((weight != 0).sum(axis=0) + (bias != 0))[:, None])

    def _block(
        self, given: Sequence[Stack], weight: Array, bias: Array, columns: list[int], merge: bool
    ) -> Iterator[Stack]:
        """Sums of columns that read the same stacks.

        Columns with the same weights, such as the steps of one number, differ in their bias alone: their sum is taken
        once, and shifted for each. A sum with few values goes over an axis of its values; the others stay over all
        combinations, and as many of them are worked out at once as fit the caches of a processor.
        """
        axes = self.joined([stack.axes for stack in given])
        if (in_steps := self._in_steps(given, weight, bias, columns, axes)) is not None:
            yield from in_steps
            return
        cells = math.prod(self.shape(axes))
        trials = self._trials(axes, cells, merge)
        groups = _proportional_columns(weight, columns) if trials.worth_it else _equal_columns(weight, columns)
        groups.sort(key=lambda group: -len(group.columns))
        given = [self._without_merges(stack, axes) if len(groups) > len(stack.indices) else stack for stack in given]
        for some in _lots(groups, cells):
            raw = self._raw(given, weight, [group.columns[0] for group in some], axes)
            over_all: list[tuple[int, int, float]] = []  # columns over all combinations, with their row and factor
            for row, group in enumerate(some):
                members = group.columns
                tried = trials.pays(members)
                short = self._narrowed(axes, raw, row) if tried else None
                if short is None:
                    trials.misses += tried and len(members) < FEWER
                    over_all += [(column, row, f) for column, f in zip(members, group.factors.tolist(), strict=True)]
                    continue
                trials.hits += 1
                self.spend(len(members) * short[1].low.size)
                yield Stack(short[0], members, *self._shifted(short[1].times(group.factors), bias[members]))
            self.spend(len(over_all) * cells)
            for part in _lots(over_all, cells):
                members, rows = [c for c, _, _ in part], [r for _, r, _ in part]
                scaled = raw.at(rows).times(np.array([f for _, _, f in part]))
                yield Stack(axes, members, *self._shifted(scaled, bias[members]))

    def _in_steps(
        self, given: Sequence[Stack], weight: Array, bias: Array, columns: list[int], axes: tuple[Any, ...]
    ) -> list[Stack] | None:
        """The sums of columns in steps, where they depend on many combinations together; None where that is no help."""
        made, sizes = self._made, self.sizes
        if made is None or len(given) < 2 or math.prod(sizes[a] for a in axes) < MANY_TOGETHER:
            return None
        stacks: list[Stack] = []
        for group in _proportional_columns(weight, columns):
            base, members = group.columns[:1], group.columns
            terms = [Term(s.axes, self._raw([s], weight, base, s.axes)) for s in given]
            total = sum_in_steps(terms, made, sizes, self.spend)
            if total is None:
                return None
            self.spend(len(members) * total.raw.low.size)
            stacks.append(Stack(total.axes, members, *self._shifted(total.raw.times(group.factors), bias[members])))
        return stacks

    def _trials(self, axes: tuple[Any, ...], cells: int, merge: bool) -> "_MergeTrials":
        """Which sums over some axes are tried over an axis of their values."""
        worth_it = merge and may_merge(axes, cells)
        possible = self.possible(axes) if worth_it else None
        few = cells <= FEW_CELLS or (possible is not None and FEWER * len(possible) <= cells)
        return _MergeTrials(worth_it, few)

    def _raw(self, given: Sequence[Stack], weight: Array, columns: list[int], axes: tuple[Any, ...]) -> RawSums:
        """The sums without bias and rounding, one row for each column."""
        shape = self.shape(axes)
        count = len(columns)
        self.spend(count * math.prod(shape))
        low: Any = 0.0
        high: Any = low
        size: Any = 0.0
        noisy: Any = None
        grains = np.ones(count)
        terms = np.zeros(count, np.int64)
        for stack in given:
            part = weight[stack.indices][:, columns]
            one, two, most, doubt = stack.weighted(part)
            before, low = low, low + self._onto(one, stack.axes, axes, shape)
            high = low if one is two and high is before else high + self._onto(two, stack.axes, axes, shape)
            if doubt is not None:
                own = self._onto(doubt, stack.axes, axes, shape)
                noisy = own if noisy is None else noisy | own
            size = size + self._onto(most, stack.axes, axes, shape)
            used = part != 0
            terms += used.sum(axis=0)
            if not (stack.plain and are_whole(part)):
                grains = np.minimum(grains, np.where(used, stack.grains * grains_of(part), 1.0).min(axis=0))
        full = (count, *shape)
        lows = _broadcast(low, full)
        return RawSums(
            lows,
            lows if high is low else _broadcast(high, full),
            _broadcast(size, full),
            None if noisy is None else _broadcast(noisy, full),
            grains,
            terms,
        )

    def _narrowed(self, axes: tuple[Any, ...], raw: RawSums, row: int) -> tuple[tuple[Any, ...], RawSums] | None:
        """The sums of one row over an axis of their values, where that is shorter."""
        # sizes and doubts go with the value they belong to: the greatest of each
        possible = self.possible(axes)
        merged = merged_axes(axes, raw.low[row], raw.high[row], self._merges, possible, shorter=True)
        if merged is None:
            return None
        axis, low, high, index = merged
        self.sizes[axis] = axis.count
        cells = slice(None) if possible is None else possible
        size, noisy = np.zeros(axis.count), None
        np.maximum.at(size, index[cells], raw.size[row].reshape(-1)[cells])
        if raw.noisy is not None:
            noisy = np.zeros((1, axis.count), bool)
            np.logical_or.at(noisy[0], index[cells], raw.noisy[row].reshape(-1)[cells])
        only = slice(row, row + 1)
        return (axis,), RawSums(low[None], high[None], size[None], noisy, raw.grain[only], raw.terms[only])

    def _shifted(self, raw: RawSums, bias: Array) -> tuple[Array, Array]:
        """The sums of rows (or of one) with a bias each, rounded; not where all terms are exact and small enough."""
        wide = (-1,) + (1,) * (raw.low.ndim - 1)
        shift = bias.reshape(wide)
        low, high, size = raw.low, raw.high, raw.size
        if bias.any() or len(bias) != len(low):
            size = size + np.abs(shift)
            low = low + shift
            high = low if raw.high is raw.low else high + shift
        most = self.within(size)
        grain = np.minimum(raw.grain, grains_of(bias)).reshape(wide)
        sure = np.True_ if raw.noisy is None else ~raw.noisy
        finest = grain.min()
        if finest == 0 or most * self.unit >= finest or (raw.noisy is not None and raw.noisy.any()):
            slack = self.slack(size, (raw.terms + (bias != 0)).reshape(wide))
            slack *= ~(sure & (size * self.unit < grain) & (grain > 0))
            low, high = low - slack, high + slack
        return low, high

    def _without_merges(self, stack: Stack, axes: tuple[Any, ...]) -> Stack:
        """The same numbers without merged axes that a sum does not have: split once, not for each column."""
        if set(stack.axes) <= set(axes):
            return stack
        low = self._expand(stack.low, stack.axes)
        high = low if stack.high is stack.low else self._expand(stack.high, stack.axes)
        return Stack(plain(stack.axes), stack.indices, low, high)

    def _onto(self, array: Array, kind: tuple[Any, ...], axes: tuple[Any, ...], shape: list[int]) -> Array:
        """Numbers over some axes, for each of several columns, over more axes; a merged axis may be split."""
        if not set(kind) <= set(axes):
            array, kind = self._expand(array, kind), plain(kind)
        if kind == axes:
            return array.reshape(-1, *shape)
        inner = [self.sizes[a] for a in kind]
        order = sorted(range(len(kind)), key=lambda k: axes.index(kind[k]))
        moved = array.reshape(-1, *inner).transpose(0, *(k + 1 for k in order))
        full = [shape[k] if axis in kind else 1 for k, axis in enumerate(axes)]
        return moved.reshape(-1, *full)

    def relu(self, x: IntervalTensor) -> IntervalTensor:
        """The positive part."""
        low = np.maximum(x.low, 0.0)
        high = low if x.high is x.low else np.maximum(x.high, 0.0)
        if x.axes and low.min() == low.max() and high.min() == high.max():
            return between((), low.reshape(-1)[0], high.reshape(-1)[0])  # it depends on nothing
        return between(x.axes, low, high)


def _equal_columns(weight: Array, columns: list[int]) -> list[_Group]:
    """The columns in groups of those with the same weights."""
    if len(columns) == 1:
        return [_Group(columns, np.ones(1))]
    groups = _equal_rows(np.ascontiguousarray(weight[:, columns].T))
    return [_Group([columns[k] for k in members], np.ones(len(members))) for members in groups]


def _equal_rows(table: Array) -> list[list[int]]:
    """The numbers of the rows of a table in groups of those that are the same, bit by bit."""
    groups: dict[bytes, list[int]] = {}
    size, rows = table.shape[1] * table.itemsize, table.tobytes()
    for number in range(len(table)):
        groups.setdefault(rows[number * size : (number + 1) * size], []).append(number)
    return list(groups.values())


def _proportional_columns(weight: Array, columns: list[int]) -> list[_Group]:
    """The columns in groups of those that are multiples of one of them, with factors of at least 1.

    Factors and weights are numbers of float32, so that their products in float64, by which this is found, are exact.
    """
    rows = np.ascontiguousarray(weight[:, columns].T)
    with np.errstate(over="ignore"):
        if not np.array_equal(rows.astype(np.float32), rows):
            return _equal_columns(weight, columns)
    leading = np.abs(rows[np.arange(len(rows)), (rows != 0).argmax(axis=1)])
    bases: dict[bytes, int] = {}
    groups: dict[int, tuple[list[int], list[float]]] = {}
    for row in np.argsort(leading, kind="stable").tolist():
        base = bases.setdefault((rows[row] / leading[row]).tobytes(), row)
        factor = float(leading[row] / leading[base])
        if factor != float(np.float32(factor)) or (factor * rows[base] != rows[row]).any():
            base, factor = row, 1.0
        members, factors = groups.setdefault(base, ([], []))
        members.append(columns[row])
        factors.append(factor)
    return [_Group(members, np.array(factors)) for members, factors in groups.values()]


def _broadcast(array: Any, shape: tuple[int, ...]) -> Array:
    return array if np.shape(array) == shape else np.broadcast_to(array, shape)


def _lots(items: list[Item], cells: int) -> Iterator[list[Item]]:
    """The items in parts, of which each with this many numbers fits the caches of a processor."""
    step = max(1, AT_ONCE // cells)
    return (items[start : start + step] for start in range(0, len(items), step))
