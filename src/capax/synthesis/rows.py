"""Hashes of rows, and sets of hashes: what has been seen before, for millions of rows at a time."""

from typing import Any, Final, TypeAlias

import numpy as np

Array: TypeAlias = Any

_FIRST: Final = np.uint64(0x9E3779B97F4A7C15)
_SECOND: Final = np.uint64(0xBF58476D1CE4E5B9)


def salts(count: int) -> Array:
    """Odd multipliers (count,), the same for every search."""
    return np.random.default_rng(20260).integers(1, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def hashes(rows: Array) -> Array:
    """The 64-bit hashes (rows,) of rows (rows, columns) that are whole machine words long."""
    words = np.ascontiguousarray(rows).view(np.uint64)
    mixed = words * _FIRST
    mixed ^= mixed >> np.uint64(32)
    mixed *= salts(words.shape[1])
    mixed ^= mixed >> np.uint64(29)
    total = mixed.sum(axis=1, dtype=np.uint64)
    total *= _SECOND
    total ^= total >> np.uint64(31)
    return total


class HashSet:
    """A set of 64-bit hashes: a large sorted array, and a small one of those that came last."""

    def __init__(self) -> None:
        self._main = np.empty(0, dtype=np.uint64)
        self._recent = np.empty(0, dtype=np.uint64)

    def __len__(self) -> int:
        return len(self._main) + len(self._recent)

    def contains(self, keys: Array) -> Array:
        """Which of the keys (keys,) are in the set."""
        return _among(keys, self._main) | _among(keys, self._recent)

    def add(self, keys: Array) -> None:
        """Adds keys that are not in the set, and each once."""
        self._recent = np.sort(np.concatenate([self._recent, keys]))
        if len(self._recent) > 50_000 + len(self._main) // 8:
            self._main = np.sort(np.concatenate([self._main, self._recent]), kind="stable")
            self._recent = self._recent[:0]


def _among(keys: Array, ordered: Array) -> Array:
    if not len(ordered):
        return np.zeros(len(keys), dtype=bool)
    at: Array = np.searchsorted(ordered, keys)
    at[at == len(ordered)] = 0
    return ordered[at] == keys


def first_of_each(keys: Array) -> Array:
    """The index of the first of all equal keys, in the order of the keys' first appearances."""
    _, first = np.unique(keys, return_index=True)
    first.sort()
    return first
