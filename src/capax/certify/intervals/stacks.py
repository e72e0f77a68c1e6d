"""Many numbers over the same axes at once: sums of weight * input over them.

A stage of an MLP has hundreds of units; one array for all of them takes the index of hundreds of small ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from capax.certify.intervals.tensor import ZERO, IntervalTensor, are_whole, between, exactly, grain_of
from capax.model.parts import Array

AT_ONCE = 2**17
"""This many numbers of one kind are worked out at once: they fit the caches of a processor."""

NEAR = 512.0
"""SiLU of C x is that of a ReLU exactly from this many times 0.28 / C on."""

MANY_CELLS = 2_000
"""From this many combinations on it is faster to add up inputs one by one, where few weights are not zero."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Some numbers of a list, over the same axes: their indices in the list, and their bounds, one row for each.

    Both bounds are one array where all numbers are known exactly.
    """

    axes: tuple[Any, ...]
    indices: list[int]
    low: Array
    high: Array

    @cached_property
    def known(self) -> bool:
        """Whether all of them are known exactly."""
        return self.low is self.high or np.array_equal(self.low, self.high)

    @cached_property
    def _sure(self) -> Array:
        """What is known exactly; what is in doubt counts as zero."""
        return self._lows if self.known else self._lows * ~self._doubts

    @cached_property
    def plain(self) -> bool:
        """Whether all grains are 1: what is known exactly are integers."""
        return are_whole(self._sure)

    @cached_property
    def grains(self) -> Array:
        """The grain of each of them, as a column."""
        if self.plain:
            return np.ones((len(self.indices), 1))
        return np.array([[grain_of(row)] for row in self._sure])

    @cached_property
    def _lows(self) -> Array:
        return self.low.reshape(len(self.indices), -1)

    @cached_property
    def _highs(self) -> Array:
        return self.high.reshape(len(self.indices), -1)

    @cached_property
    def _sizes(self) -> Array:
        lows: Array = np.abs(self._lows)
        return lows if self.known else np.asarray(np.maximum(lows, np.abs(self._highs)))

    @cached_property
    def _doubts(self) -> Array:
        return np.asarray(self._lows != self._highs)

    def weighted(self, part: Array) -> tuple[Array, Array, Array, Array | None]:
        """Sums of weight * number for each column of weights: bounds, sums of absolute values, and what is in doubt.

        Axes: column, combination; one row stands for all columns that are equal. Both bounds are one array, and nothing
        is in doubt, where all numbers are known exactly.
        """
        if part.shape[1] > 1 and (part == part[:, :1]).all():
            part = part[:, :1]
        if len(part) == 1:
            return self._products(slice(None), part.T)
        used = part != 0
        if used.sum(axis=0).max() <= 1:
            rows = used.argmax(axis=0)
            return self._products(rows, part[rows, np.arange(len(rows))][:, None])
        if self._lows.shape[1] >= MANY_CELLS and np.count_nonzero(used) <= 2 * len(part):
            return self._one_by_one(part)
        size = np.abs(part).T @ self._sizes
        if self.known:
            both = part.T @ self._lows
            return both, both, size, None
        up, down = np.maximum(part, 0).T, np.minimum(part, 0).T
        doubt = used.T.astype(np.float64) @ self._doubts.astype(np.float64) > 0
        return up @ self._lows + down @ self._highs, up @ self._highs + down @ self._lows, size, doubt

    def _products(self, rows: Any, factors: Array) -> tuple[Array, Array, Array, Array | None]:
        """The same for columns with one number each, which is in a row, and a column of factors."""
        one, size = factors * self._lows[rows], np.abs(factors) * self._sizes[rows]
        if self.known:
            return one, one, size, None
        two = factors * self._highs[rows]
        if (factors < 0).any():
            one, two = np.minimum(one, two), np.maximum(one, two)
        return one, two, size, self._doubts[rows] & (factors != 0)

    def _one_by_one(self, part: Array) -> tuple[Array, Array, Array, Array | None]:
        """The same; no work for weights that are zero, and little memory."""
        shape = part.shape[1], self._lows.shape[1]
        low, size = np.zeros(shape), np.zeros(shape)
        high = low if self.known else np.zeros(shape)
        doubt = None if self.known else np.zeros(shape, bool)
        for row, column in zip(*(k.tolist() for k in np.nonzero(part)), strict=True):
            factor = float(part[row, column])
            one = factor * self._lows[row]
            if doubt is None:
                low[column] += one
                size[column] += np.abs(one)
                continue
            two = factor * self._highs[row]
            one, two = (one, two) if factor > 0 else (two, one)
            low[column] += one
            high[column] += two
            size[column] += np.maximum(np.abs(one), np.abs(two))
            doubt[column] |= self._doubts[row]
        return low, high, size, doubt

    def relu(self, silu: float = 0.0) -> list["Stack"]:
        """The positive parts; those that depend on nothing as numbers without axes.

        Lemma (SiLU). |silu(C x) / C - relu(x)| <= 0.2785 / C, and it is 0 for x = 0, for C x >= 24, where
        1 + exp(-C x) is rounded to 1, and for C x <= -128, where exp(-C x) is infinite, or a quotient underflows.
        `silu` is 0.28 / C, or 0 for ReLUs.
        """
        low = np.maximum(self.low, 0.0)
        high = low if self.high is self.low else np.maximum(self.high, 0.0)
        if silu:
            zero = (self.low == 0) & (self.high == 0)
            near = (self.low < NEAR * silu) & (self.high > -NEAR * silu) & ~zero
            if near.any():
                low, high = low - near * silu, high + near * silu
        if not self.axes:
            return [Stack((), self.indices, low, high)]
        ends = [low.reshape(len(self.indices), -1)] + ([] if high is low else [high.reshape(len(self.indices), -1)])
        fixed = np.ones(len(self.indices), bool)
        for end in ends:
            fixed &= end[:, 0] == end[:, -1]  # most are told apart by these alone
        for end in ends:
            fixed[fixed] = (end[fixed] == end[fixed, :1]).all(axis=1)
        if not fixed.any():
            return [Stack(self.axes, self.indices, low, high)]
        constant = [end[fixed, 0] for end in ends]
        stacks = [Stack((), _chosen(self.indices, fixed), constant[0], constant[-1])]
        if not fixed.all():
            varying = low[~fixed]
            stacks.append(
                Stack(self.axes, _chosen(self.indices, ~fixed), varying, varying if high is low else high[~fixed])
            )
        return stacks


def _chosen(indices: list[int], which: Array) -> list[int]:
    return [p for p, is_one in zip(indices, which.tolist(), strict=True) if is_one]


def stacked(numbers: Sequence[IntervalTensor], used: Iterable[int] | None = None) -> list[Stack]:
    """Numbers of a list as stacks, one for all that have the same axes; `used` has the indices of those that count."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for index in range(len(numbers)) if used is None else used:
        groups.setdefault(numbers[index].axes, []).append(index)
    stacks: list[Stack] = []
    for axes, indices in groups.items():
        lows = [numbers[k].low for k in indices]
        low = lows[0][None] if len(lows) == 1 else np.stack(lows)
        high = low
        if not all(numbers[k].known for k in indices):
            highs = [numbers[k].high for k in indices]
            high = highs[0][None] if len(highs) == 1 else np.stack(highs)
        stacks.append(Stack(axes, indices, low, high))
    return stacks


def joined_stacks(stacks: Iterable[Stack]) -> list[Stack]:
    """The same numbers in fewer stacks, where they are small."""
    groups: dict[tuple[Any, ...], list[Stack]] = {}
    for stack in stacks:
        groups.setdefault(stack.axes, []).append(stack)
    joined: list[Stack] = []
    for axes, some in groups.items():
        if len(some) == 1 or sum(s.low.size for s in some) > AT_ONCE:
            joined += some
            continue
        low = np.concatenate([s.low for s in some])
        high = low if all(s.low is s.high for s in some) else np.concatenate([s.high for s in some])
        joined.append(Stack(axes, [p for s in some for p in s.indices], low, high))
    return joined


def listed(stacks: Iterable[Stack], count: int) -> list[IntervalTensor]:
    """The numbers of stacks as a list of this many; those that are in no stack are zero."""
    numbers = [ZERO] * count
    for stack in stacks:
        if stack.low is stack.high:
            for index, row in zip(stack.indices, stack.low, strict=True):
                numbers[index] = exactly(stack.axes, row)
            continue
        for index, low, high in zip(stack.indices, stack.low, stack.high, strict=True):
            numbers[index] = between(stack.axes, low, high)
    return numbers


def error_of(stacks: Iterable[Stack]) -> float:
    """The greatest width of an interval, halved."""
    return max((float((s.high - s.low).max(initial=0.0) / 2) for s in stacks if not s.known), default=0.0)
