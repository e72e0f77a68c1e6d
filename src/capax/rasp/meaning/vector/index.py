"""An index over the keys of one term: sums and maxima over what each query selects.

The term's equalities put keys into groups; one order sorts each group, so that a query selects a run of
the sorted keys, and sums are differences of exact prefix sums. A second order is answered by a tower of
sorted blocks (`tower.py`). Key-only and query-only conditions are filters.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from capax.rasp.meaning.vector.batch import WordBatch
from capax.rasp.meaning.vector.codes import Part, combined, combined_small, dense_joint
from capax.rasp.meaning.vector.column import SAFE, Column, Exact
from capax.rasp.meaning.vector.distinct import Bools, Ints, is_sorted, sortable, stable_order, table_pays
from capax.rasp.meaning.vector.terms import EQUAL, GREATER, LESS


class SelectionIndex(Protocol):
    """Sums over the keys that each query selects."""

    def counts(self) -> Ints:
        """How many keys."""

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the keys' weights."""

    def single(self) -> Ints:
        """The key, where there is one; elsewhere any key."""


@dataclass(frozen=True, slots=True)
class Order:
    """An order condition: dense codes and the mask of outcomes (`<`, `<=`, `>` or `>=`).

    `by_position`: keys and queries are compared by their positions.
    """

    part: Part
    mask: int
    by_position: bool = False


@dataclass(frozen=True, slots=True)
class Pointed:
    """At most one key for each query: `at`, where it `exists`; None for everywhere."""

    at: Ints
    exists: Bools | None

    def counts(self) -> Ints:
        """1 where there is a key."""
        return np.ones(len(self.at), dtype=np.int64) if self.exists is None else self.exists.astype(np.int64)

    def sums(self, weights: Exact) -> Exact:
        """The weight of the key."""
        picked = np.asarray(weights[self.at])
        return picked if self.exists is None else np.where(self.exists, picked, 0)

    def single(self) -> Ints:
        """The key."""
        return self.at

    def best(self, score: Ints) -> Ints:
        """The score of the key, -1 if there is none."""
        return score[self.at] if self.exists is None else np.where(self.exists, score[self.at], -1)


@dataclass(frozen=True, slots=True)
class WholeWords:
    """For each query the keys of its word that pass a filter; no keys for queries that do not pass one of their own.

    Where the selector is uniform there is one query for each word.
    """

    batch: WordBatch
    keys: Bools | None
    queries: Bools | None
    uniform: bool

    def counts(self) -> Ints:
        """How many keys."""
        if self.keys is None:
            return self._each(self.batch.lengths)
        return self._each(self.batch.sum_in_word(self.keys.astype(np.int64)))

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the keys' weights."""
        return self._each(self.batch.sum_in_word(weights if self.keys is None else np.where(self.keys, weights, 0)))

    def single(self) -> Ints:
        """The last key of the word that passes the filter."""
        return np.maximum(self.best(self.batch.flat), 0)

    def best(self, score: Ints) -> Ints:
        """For each query the highest score of its keys, -1 if it has none."""
        scores = score if self.keys is None else np.where(self.keys, score, -1)
        return self._each(np.maximum.reduceat(scores, self.batch.offsets[:-1]), -1)

    def _each(self, of_word: Exact, none: int = 0) -> Exact:
        of_query = of_word if self.uniform else self.batch.spread(of_word)
        return of_query if self.queries is None else np.where(self.queries, of_query, none)


@dataclass(frozen=True, slots=False)
class KeyOrder:
    """The keys in the order of their codes, of which there may be `count`; equal ones as they were."""

    codes: Ints
    count: int

    @cached_property
    def by(self) -> Ints | None:
        """The order, worked out when it is first needed; None if the keys are in order."""
        return None if is_sorted(self.codes) else stable_order(self.codes, self.count)

    def arranged(self, weights: Exact) -> Exact:
        """The weights of the keys in their order."""
        return weights if self.by is None else weights[self.by]

    def places(self, flat: Ints) -> Ints:
        """For each key its place in the order; `flat` are the numbers 0, 1, 2, ..., one for each key."""
        if self.by is None:
            return flat
        places = np.empty(len(self.codes), dtype=np.int64)
        places[self.by] = flat
        return places


@dataclass(frozen=True, slots=True)
class Runs:
    """For each query a run of the keys in an order: positions `low` to `high`."""

    order: KeyOrder
    low: Ints
    high: Ints

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of weights over each run."""
        total = prefix_sums(self.order.arranged(weights))
        return np.asarray(total[self.high] - total[self.low])

    def counts(self) -> Ints:
        """The length of each run."""
        return self.high - self.low

    def single(self) -> Ints:
        """The first key of each run."""
        first = np.minimum(self.low, len(self.order.codes) - 1)
        return first if self.order.by is None else self.order.by[first]

    def best(self, group: Ints, score: Ints, *, prefix: bool) -> Ints:
        """For each query the highest score in its run, -1 if it is empty; runs start (or end) where groups do."""
        groups, scores = self.order.arranged(group), self.order.arranged(score)
        step = int(score.max(initial=0)) + 1
        lifted = (groups if prefix else int(group.max(initial=0)) - groups) * step + scores
        if prefix:
            running = np.maximum.accumulate(lifted)
            at = self.high - 1
        else:
            running = np.maximum.accumulate(lifted[::-1])[::-1]
            at = self.low
        filled = self.high > self.low
        result = np.full(len(self.low), -1, dtype=np.int64)
        result[filled] = running[at[filled]] % step
        return result


def prefix_sums(weights: Exact) -> Exact:
    """The sums of the first weights: of none, of one, and so on."""
    total = np.zeros(len(weights) + 1, dtype=weights.dtype)
    np.cumsum(weights, out=total[1:])
    return total


@dataclass(frozen=True, slots=True)
class PositionRuns:
    """For each query the keys of its word whose position compares with its own as the mask says."""

    batch: WordBatch
    mask: int

    def counts(self) -> Ints:
        """How many keys."""
        position, own = self.batch.position, int(bool(self.mask & EQUAL))
        if self.mask & GREATER:
            return self.batch.spread(self.batch.lengths - 1 + own) - position
        return position + 1 if own else position

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the keys' weights."""
        running = weights.cumsum()
        if self.mask & LESS:
            total = running if self.mask & EQUAL else running - weights
            if self.batch.count > 1:
                total = total - self.batch.spread((running - weights)[self.batch.offsets[:-1]])
            return np.asarray(total)
        total = self.batch.spread(running[self.batch.offsets[1:] - 1]) - running
        return np.asarray(total + weights if self.mask & EQUAL else total)

    def single(self) -> Ints:
        """The first key, or the last one, of the word."""
        return self.batch.spread(self.batch.offsets[:-1] if self.mask & LESS else self.batch.offsets[1:] - 1)

    def best(self, score: Ints) -> Ints:
        """For each query the highest score of its keys, -1 if it has none."""
        forward = slice(None) if self.mask & LESS else slice(None, None, -1)
        step = int(score.max(initial=0)) + 1
        number = self.batch.word if self.mask & LESS else self.batch.count - 1 - self.batch.word
        running = np.maximum.accumulate((number * step + score)[forward]) % step
        if not self.mask & EQUAL:  # without the query's own position
            running = np.concatenate([running[:1], running[:-1]])
            edges = self.batch.offsets[:-1] if self.mask & LESS else self.batch.size - self.batch.offsets[1:]
            running[edges] = -1
        return np.asarray(running[forward])


@dataclass(frozen=True, slots=False)
class Groups:
    """For each query a group of keys."""

    keys: Ints
    queries: Ints
    count: int

    @cached_property
    def _sizes(self) -> Ints:
        return np.bincount(self.keys, minlength=self.count)

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of weights over each query's group."""
        if weights.dtype == np.int64 and float(np.abs(weights).sum(dtype=np.float64)) < SAFE:
            table = np.bincount(self.keys, weights, self.count).astype(np.int64)
            return np.asarray(table[self.queries])
        ends = np.cumsum(self._sizes)
        low, high = (ends - self._sizes)[self.queries], ends[self.queries]
        return Runs(KeyOrder(self.keys, self.count), low, high).sums(weights)

    def counts(self) -> Ints:
        """The size of each query's group."""
        return np.asarray(self._sizes[self.queries])

    def single(self) -> Ints:
        """One key of each group."""
        table = np.zeros(self.count, dtype=np.int64)
        table[self.keys] = np.arange(len(self.keys))
        return np.asarray(table[self.queries])

    def best(self, score: Ints) -> Ints:
        """For each query the highest score in its group, -1 if it is empty."""
        table = np.full(self.count, -1, dtype=np.int64)
        np.maximum.at(table, self.keys, score)
        return np.asarray(table[self.queries])


def make_groups(parts: list[Part]) -> Groups:
    """Groups by equality of all parts."""
    return Groups(*combined_small(parts))


def make_runs(parts: list[Part], order: Order) -> Runs:
    """Runs inside the groups of equal parts, sorted by an order."""
    keys, queries, count = combined([*parts, order.part])
    sorted_keys = KeyOrder(keys, count)
    if table_pays(count, len(keys) + len(queries)):
        begins = prefix_sums(np.bincount(keys, minlength=count))

        def begin(codes: Ints) -> Ints:
            return np.asarray(begins[codes])
    else:
        arranged = sorted_keys.arranged(keys)

        def begin(codes: Ints) -> Ints:
            return np.searchsorted(arranged, codes).astype(np.int64)

    first = queries - order.part[1]
    match order.mask:
        case 1 | 3:
            return Runs(sorted_keys, begin(first), begin(queries if order.mask == 1 else queries + 1))
        case _:
            return Runs(sorted_keys, begin(queries + 1 if order.mask == 4 else queries), begin(first + order.part[2]))


def position_runs(batch: WordBatch, parts: list[Part], mask: int) -> Runs:
    """Runs of the positions before (or after) each one, in the groups of equal parts; keys are the queries."""
    group, _, count = combined_small(parts)
    order, edges = KeyOrder(group, count), prefix_sums(np.bincount(group, minlength=count))
    place = order.places(batch.flat)
    match mask:
        case 1 | 3:
            return Runs(order, edges[group], place if mask == 1 else place + 1)
        case _:
            return Runs(order, place + 1 if mask == 4 else place, edges[group + 1])


def ranked_runs(batch: WordBatch, codes: NDArray[Any]) -> Runs:
    """For each query the keys of its word that come before it in the order of codes, of equal ones the earlier."""
    order = ranked_order(batch, codes)
    return Runs(order, batch.spread(batch.offsets[:-1]), order.places(batch.flat))


def ranked_order(batch: WordBatch, codes: NDArray[Any]) -> KeyOrder:
    """The keys of each word in the order of codes, equal ones as they were; word after word."""
    numbers = sortable(codes) if codes.dtype == np.float64 else codes
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= 1 << 62:
        numbers, _, span = dense_joint(numbers, numbers)
    else:
        numbers, span = numbers - low if low else numbers, high - low + 1
    if batch.count > 1:
        numbers, _, span = combined([(batch.word, batch.word, batch.count), (numbers, numbers, span)])
    return KeyOrder(numbers, span)


def pointed_positions(batch: WordBatch, query: Column, *, uniform: bool) -> tuple[Ints, Bools | None]:
    """For each query the flat position that its value names, and whether its word has that position (None: all have).

    There is one query for each position, or for a uniform selector one for each word. Where there is no such position
    the first is a flat position all the same.
    """
    if query.kind == "str":
        return np.zeros(len(query), dtype=np.int64), np.zeros(len(query), dtype=np.bool_)
    lengths, starts = batch.lengths, batch.offsets[:-1]
    if not uniform:
        lengths, starts = batch.spread(lengths), batch.spread(starts)
    position, exists = _integers(query)
    if batch.count == 1 and len(position) and position.min() >= 0 and position.max() < batch.size:
        return position, exists
    within = (position >= 0) & (position < lengths)
    exists = within if exists is None else exists & within
    return np.where(exists, position, 0) + starts, exists


def _integers(query: Column) -> tuple[Ints, Bools | None]:
    """The values as integers, and which of them are (None: all); those beyond 64 bits are not."""
    match query.kind:
        case "int" | "bool":
            return query.data.astype(np.int64, copy=False), None
        case "object":
            whole = [v if isinstance(v, int) and abs(v) < 1 << 62 else _as_integer(v) for v in query.data.tolist()]
            numbers = np.array([-1 if v is None else v for v in whole], dtype=np.int64)
            return numbers, np.array([v is not None for v in whole], dtype=np.bool_)
        case _:
            exists = np.abs(query.data) < float(1 << 62)
            position = np.where(exists, query.data, 0.0).astype(np.int64)
            return position, exists & (position == query.data)


def _as_integer(value: object) -> int | None:
    """The integer that a float equals; None if it equals none, or is no float."""
    return int(value) if isinstance(value, float) and abs(value) < 1 << 62 and value.is_integer() else None
