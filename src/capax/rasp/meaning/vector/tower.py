"""Two orders at once: runs under one order with a second order inside them."""

from dataclasses import dataclass

import numpy as np

from capax.rasp.meaning.vector.column import Exact
from capax.rasp.meaning.vector.distinct import Ints, stable_order
from capax.rasp.meaning.vector.index import Order, Runs, prefix_sums


@dataclass(frozen=True, slots=True)
class Tower:
    """Runs under one order with a second order inside them, by blocks of doubling size.

    On each level the keys of a block are sorted by the second code; a run is a few whole blocks, in each
    of which the second order selects a run of the sorted keys.
    """

    runs: Runs
    second: Order

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of weights over the keys that satisfy both orders."""
        keys, queries, count = self.second.part
        arranged = self.runs.order.arranged(keys)
        ordered = self.runs.order.arranged(weights)
        total = np.zeros(len(queries), dtype=weights.dtype)
        level = 0
        while (1 << level) <= len(arranged):
            total = total + self._level(level, arranged, ordered, queries, count)
            level += 1
        return total

    def counts(self) -> Ints:
        """The number of keys that satisfy both orders."""
        return self.sums(np.ones(len(self.second.part[0]), dtype=np.int64))

    def single(self) -> Ints:
        """The key, where there is one: the sum of the positions of the keys."""
        size = len(self.second.part[0])
        return np.clip(self.sums(np.arange(size, dtype=np.int64)), 0, size - 1)

    def _level(self, level: int, keys: Ints, weights: Exact, queries: Ints, count: int) -> Exact:
        block = np.arange(len(keys), dtype=np.int64) >> level
        composite = block * count + keys
        by = stable_order(composite, ((len(keys) >> level) + 1) * count)
        composite = composite[by]
        prefix = prefix_sums(weights[by])
        result = np.zeros(len(queries), dtype=weights.dtype)
        for edge, sign in ((self.runs.high, 1), (self.runs.low, -1)):
            used = np.flatnonzero((edge >> level) & 1)
            base = (((edge[used] >> level) - 1) * count).astype(np.int64)
            low, high = _bounds(composite, base, queries[used], count, self.second.mask)
            result[used] += sign * (prefix[high] - prefix[low])
        return result


def _bounds(composite: Ints, base: Ints, query: Ints, count: int, mask: int) -> tuple[Ints, Ints]:
    at = base + query
    match mask:
        case 1 | 3:
            low = np.searchsorted(composite, base, "left")
            high = np.searchsorted(composite, at, "left" if mask == 1 else "right")
        case _:
            low = np.searchsorted(composite, at, "right" if mask == 4 else "left")
            high = np.searchsorted(composite, base + count, "left")
    return low, high
