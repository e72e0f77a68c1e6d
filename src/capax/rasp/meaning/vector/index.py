"""An index over the keys of one term: sums and maxima over what each query selects.

The term's equalities put keys into groups; one order sorts each group, so that a query selects a run of
the sorted keys, and sums are differences of exact prefix sums. A second order is answered by a tower of
sorted blocks. Key-only and query-only conditions are filters.
"""

from dataclasses import dataclass

import numpy as np

from capax.rasp.meaning.vector.codes import combined, dense_joint
from capax.rasp.meaning.vector.column import SAFE, Exact, Ints

Part = tuple[Ints, Ints, int]
"""Codes of keys, codes of queries, and how many codes there may be."""


@dataclass(frozen=True, slots=True)
class Order:
    """An order condition: dense codes and the mask of outcomes (`<`, `<=`, `>` or `>=`)."""

    part: Part
    mask: int


@dataclass(frozen=True, slots=True)
class Runs:
    """For each query a run of the keys in the order `by`: positions `low` to `high`."""

    by: Ints | None
    low: Ints
    high: Ints

    def arranged(self, weights: Exact) -> Exact:
        """The weights in the order of the runs."""
        return weights if self.by is None else weights[self.by]

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of weights over each run."""
        total = _prefix(self.arranged(weights))
        return np.asarray(total[self.high] - total[self.low])

    def counts(self) -> Ints:
        """The length of each run."""
        return self.high - self.low


def _prefix(weights: Exact) -> Exact:
    total = np.zeros(len(weights) + 1, dtype=weights.dtype)
    np.cumsum(weights, out=total[1:])
    return total


@dataclass(frozen=True, slots=True)
class Groups:
    """For each query a group of keys."""

    keys: Ints
    queries: Ints
    count: int

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of weights over each query's group."""
        if weights.dtype == np.int64 and float(np.abs(weights).sum(dtype=np.float64)) < SAFE:
            table = np.bincount(self.keys, weights, self.count).astype(np.int64)
            return np.asarray(table[self.queries])
        return self.runs().sums(weights)

    def counts(self) -> Ints:
        """The size of each query's group."""
        return np.asarray(np.bincount(self.keys, minlength=self.count)[self.queries])

    def runs(self) -> Runs:
        """The same as runs of sorted keys."""
        ends = np.cumsum(np.bincount(self.keys, minlength=self.count))
        high = ends[self.queries]
        low = np.concatenate([[0], ends[:-1]])[self.queries]
        return Runs(np.argsort(self.keys, kind="stable"), low, high)


def make_groups(parts: list[Part]) -> Groups:
    """Groups by equality of all parts."""
    keys, queries, count = combined(parts)
    if count > 4 * (len(keys) + len(queries)) + 1024:
        keys, queries, count = dense_joint(keys, queries)
    return Groups(keys, queries, count)


def make_runs(parts: list[Part], order: Order) -> Runs:
    """Runs inside the groups of equal parts, sorted by an order."""
    keys, queries, _ = combined([*parts, order.part])
    size = order.part[2]
    by = None if _sorted(keys) else np.argsort(keys, kind="stable")
    arranged = keys if by is None else keys[by]
    first = queries - order.part[1]
    match order.mask:
        case 1 | 3:
            low = np.searchsorted(arranged, first, "left")
            high = np.searchsorted(arranged, queries, "left" if order.mask == 1 else "right")
        case 4 | 6:
            low = np.searchsorted(arranged, queries, "right" if order.mask == 4 else "left")
            high = np.searchsorted(arranged, first + size, "left")
        case _:
            raise AssertionError(order.mask)
    return Runs(by, low.astype(np.int64), high.astype(np.int64))


def _sorted(values: Ints) -> bool:
    return bool((values[1:] >= values[:-1]).all())


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
        arranged = keys if self.runs.by is None else keys[self.runs.by]
        ordered = self.runs.arranged(weights)
        total = np.zeros(len(queries), dtype=weights.dtype)
        level = 0
        while (1 << level) <= len(arranged):
            total = total + self._level(level, arranged, ordered, queries, count)
            level += 1
        return total

    def counts(self) -> Ints:
        """The number of keys that satisfy both orders."""
        return self.sums(np.ones(len(self.second.part[0]), dtype=np.int64))

    def _level(self, level: int, keys: Ints, weights: Exact, queries: Ints, count: int) -> Exact:
        block = np.arange(len(keys), dtype=np.int64) >> level
        composite = block * count + keys
        by = np.argsort(composite, kind="stable")
        composite = composite[by]
        prefix = _prefix(weights[by])
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


def best_in_runs(runs: Runs, group: Ints, score: Ints, *, prefix: bool) -> Ints:
    """For each query the highest score in its run, -1 if it is empty; runs start (or end) where groups do."""
    by = np.arange(len(score)) if runs.by is None else runs.by
    step = int(score.max(initial=0)) + 1
    lifted = (group[by] if prefix else int(group.max(initial=0)) - group[by]) * step + score[by]
    if prefix:
        running = np.maximum.accumulate(lifted)
        at = runs.high - 1
    else:
        running = np.maximum.accumulate(lifted[::-1])[::-1]
        at = runs.low
    filled = runs.high > runs.low
    result = np.full(len(runs.low), -1, dtype=np.int64)
    result[filled] = running[at[filled]] % step
    return result


def best_in_groups(groups: Groups, score: Ints) -> Ints:
    """For each query the highest score in its group, -1 if it is empty."""
    table = np.full(groups.count, -1, dtype=np.int64)
    np.maximum.at(table, groups.keys, score)
    return np.asarray(table[groups.queries])
