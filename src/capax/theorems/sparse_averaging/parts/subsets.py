"""Which subsets are tried: all, or random ones with the hard ones among them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.parts import Array
from capax.theorems.sparse_averaging.parts.dual import Subset, least_norm_dual

MOST: Final = 5_000
"""Up to this many subsets, all are tried."""

CLIMBS: Final = 40
"""How often one position of a hard subset is exchanged to make it harder."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Subsets, and whether they are all that there are."""

    subsets: tuple[Subset, ...]
    all: bool


def require_fitting(length: int, q: int) -> None:
    """Raises an error where a set of q positions and the position after it do not fit into the length."""
    if q >= length:
        raise CapaxError(
            "bad-option",
            f"q = {q} positions of {length} leave none to tell apart",
            hint="q is less than the length",
        )


def chosen(length: int, q: int, count: int, hard: tuple[Subset, ...], random: np.random.Generator) -> Chosen:
    """All subsets where these are few, else the hard ones and `count` random ones."""
    if math.comb(length, q) <= MOST:
        return Chosen(tuple(combinations(range(length), q)), True)
    subsets = dict.fromkeys(hard)
    while len(subsets) < count + len(hard):
        subsets[drawn(random, length, q)] = None
    return Chosen(tuple(subsets), False)


def drawn(random: np.random.Generator, length: int, q: int) -> Subset:
    """A random subset."""
    return tuple(sorted(random.choice(length, q, replace=False).tolist()))


def hard_for_keys(keys: Array, q: int, count: int, random: np.random.Generator) -> tuple[Subset, ...]:
    """Subsets that are hard for random keys.

    From some position on, always the position whose key is most unlike the sum of those before: their dual vector is
    long, since their sum is short. Then a search: in the worst of these a position is exchanged wherever that makes the
    dual vector longer, or makes it vanish.
    """
    length = len(keys)
    products = keys @ keys.T
    subsets: dict[Subset, None] = {}
    for first in random.permutation(length)[:count].tolist():
        subset = [first]
        while len(subset) < q:
            likeness = products[subset].sum(axis=0)
            likeness[subset] = np.inf
            subset.append(int(likeness.argmin()))
        subsets[tuple(sorted(subset))] = None
    subsets.update(dict.fromkeys(_climb(keys, max(subsets, key=lambda s: _hardness(keys, s)), random)))
    return tuple(subsets)


def _hardness(keys: Array, subset: Subset) -> float:
    v = least_norm_dual(keys, subset)
    return math.inf if v is None else float(v @ v)


def _climb(keys: Array, start: Subset, random: np.random.Generator) -> list[Subset]:
    """The subsets on a way upwards from a start."""
    path, height = [start], _hardness(keys, start)
    for _ in range(CLIMBS):
        if math.isinf(height):
            break
        now = path[-1]
        new = int(random.choice(sorted(set(range(len(keys))) - set(now))))
        at = int(random.integers(len(now)))
        other = tuple(sorted((*now[:at], *now[at + 1 :], new)))
        if (h := _hardness(keys, other)) > height:
            path.append(other)
            height = h
    return path


def hard_for_curve(length: int, q: int) -> tuple[Subset, ...]:
    """Subsets that are hard for keys on a curve: neighbours, even spreads, every second position, two clusters."""
    spread = tuple(sorted({k * length // q for k in range(q)}))
    second = tuple(range(0, 2 * q, 2)) if 2 * q <= length else spread
    half = q // 2
    clusters = tuple(sorted({*range(half), *(length // 2 + k for k in range(q - half))}))
    candidates = (tuple(range(q)), tuple(range(length - q, length)), spread, second, clusters)
    return tuple(dict.fromkeys(s for s in candidates if len(s) == q))


def smallest(works: Callable[[int], bool], start: int, most: int) -> int | None:
    """A size from `start` to `most` that works while the size before it does not (or is below `start`); None if none.

    Sizes are doubled until one works, then halved into. It is the smallest of all if whatever works at a size works at
    every larger one.
    """
    low, size = start - 1, start
    while not works(size):
        if size >= most:
            return None
        low, size = size, min(2 * size, most)
    while size - low > 1:
        middle = (low + size) // 2
        low, size = (low, middle) if works(middle) else (middle, size)
    return size
