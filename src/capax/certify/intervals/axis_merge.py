"""Numbers that depend on several axes, but through few values only: an axis of those values takes their place.

n - 1 - i depends on a length and a position, in n * n combinations, and has 2 n values. A unit that reads it alone is a
function of the value, and is bounded for each value once.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.model.parts import Array

FEWER = 3
"""Merging pays where there are this many times fewer values than combinations."""

LEAST_CELLS = 512

NOISES = 2.0
"""Numbers are told apart in steps of this many times their noise."""


@dataclass(frozen=True, slots=True, eq=False)
class AxisMerge:
    """An axis: which of `count` values each combination of values of the inner axes has."""

    inner: tuple[Any, ...]
    index: Array
    count: int


def plain(axes: tuple[Any, ...]) -> tuple[Any, ...]:
    """The axes with those inside merged ones in their place."""
    return tuple(dict.fromkeys(b for a in axes for b in (a.inner if isinstance(a, AxisMerge) else (a,))))


def may_merge(axes: tuple[Any, ...], cells: int) -> bool:
    """Whether numbers over axes are worth a try."""
    return len(axes) >= 2 and cells >= LEAST_CELLS and not any(isinstance(a, AxisMerge) for a in axes)


def merged_axes(
    axes: tuple[Any, ...],
    low: Array,
    high: Array,
    known: dict[bytes, AxisMerge],
    possible: Array | None = None,
    *,
    shorter: bool = False,
) -> tuple[AxisMerge, Array, Array, Array] | None:
    """The merged axis of an array of bounds, the bounds of each of its values, and which of them each combination has.

    None where it does not pay. Axes on which the numbers do not depend are not merged.

    Numbers that differ by less than their noise are one value, whose bounds hold for each of them; numbers that are
    known exactly are one value only where they are equal. `known` has the merged axes so far: numbers that are the same
    function of the axes share one. `possible` has the combinations that can happen, as a list of their indices: any
    value stands for the others. `shorter`: it pays only if values are fewer than possible combinations, too.
    """
    if not may_merge(axes, low.size):
        return None
    cells, shape = low.size, low.shape
    low, high = low.reshape(-1), high.reshape(-1)
    if possible is not None:
        low, high = low[possible], high[possible]
    values = _distinct(low, high, len(low) if shorter else cells)
    if values is None:
        return None
    least, most, index = values
    if possible is not None:
        whole: Array = np.zeros(cells, index.dtype)
        whole[possible] = index
        index = whole
    inner, own = _needed(axes, index.reshape(shape))
    key = repr([id(a) for a in inner]).encode() + own.tobytes()
    if key not in known:
        known[key] = AxisMerge(inner, own.reshape(-1), len(least))
    return known[key], least, most, index


def _distinct(low: Array, high: Array, cells: int) -> tuple[Array, Array, Array] | None:
    """The bounds of each value of some numbers, and which value each number has; None where they are not far fewer.

    None also where a number that is known exactly would become one value with others.
    """
    noise = float((high - low).max())
    # steps of a power of two, so that exact numbers of few digits stay exact
    step = 2.0 ** math.ceil(math.log2(NOISES * noise)) if noise > 0 else 0.0
    marks = low + high if not step else np.rint((low + high) / (2 * step)) + 0.0
    _, first, index = np.unique(marks, return_index=True, return_inverse=True)
    if FEWER * len(first) > cells:
        return None
    # numbered by first appearance, so that x and -x give the same axis
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    index = rank[index.reshape(-1)]
    first = first[order]
    least, most = low[first], high[first]
    if step:
        np.minimum.at(least, index, low)
        np.maximum.at(most, index, high)
        spoilt = ((low == high) & (least < most)[index]).any()
        if spoilt or float((most - least).max()) > 2 * noise:
            return None
    return least, most, index


def _needed(axes: tuple[Any, ...], index: Array) -> tuple[tuple[Any, ...], Array]:
    """The axes on which an array depends, and the array over these; one axis stays in any case."""
    for axis in axes:
        number = axes.index(axis)
        first = index.take([0], number)
        if len(axes) > 1 and (index == first).all():
            axes, index = (*axes[:number], *axes[number + 1 :]), first.squeeze(number)
    return axes, index
