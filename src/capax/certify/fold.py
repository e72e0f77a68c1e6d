"""Numbers that depend on several axes, but through few values only: an axis of those values takes their place.

n - 1 - i depends on a length and a place, in n * n combinations, and has 2 n values. A unit that reads it alone is a
function of the value, and is bounded for each value once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.model.parts import Array

FEWER = 4
"""A fold pays where there are so many times fewer values than combinations."""

LEAST_CELLS = 512


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """An axis: which of `count` values each combination of values of the inner axes has."""

    inner: tuple[Any, ...]
    index: Array
    count: int


def folded(axes: tuple[Any, ...], low: Array, high: Array, known: dict[bytes, Fold]) -> tuple[Fold, Array] | None:
    """A fold of an array of bounds, and a combination of each of its values; None where it does not pay.

    `known` has the folds so far: numbers that are the same function of the axes share one.
    """
    if len(axes) < 2 or low.size < LEAST_CELLS or any(isinstance(a, Fold) for a in axes):
        return None
    both = low.reshape(-1) + 1j * high.reshape(-1)
    _, first, index = np.unique(both, return_index=True, return_inverse=True)
    if FEWER * len(first) > low.size:
        return None
    # numbered by first appearance, so that x and -x give the same fold
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    index = rank[index.reshape(-1)]
    key = repr([id(a) for a in axes]).encode() + index.tobytes()
    if key not in known:
        known[key] = Fold(axes, index, len(first))
    return known[key], np.sort(first)
