"""What the queries of a batch select: counts and exact sums, by terms where possible, else by blocks."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capax.rasp.ir.nodes import And, Best, Indices, Node, Not, Or, Select, SelectorNode, SOpNode
from capax.rasp.meaning.vector.arranged import Arranged
from capax.rasp.meaning.vector.batch import WordBatch
from capax.rasp.meaning.vector.codes import Codes, Part, allowed, combined_small, dense, pair_codes
from capax.rasp.meaning.vector.column import Column, Exact
from capax.rasp.meaning.vector.distinct import Bools, Ints
from capax.rasp.meaning.vector.index import (
    Order,
    Pointed,
    PositionRuns,
    Runs,
    SelectionIndex,
    WholeWords,
    make_groups,
    make_runs,
    pointed_positions,
    position_runs,
    ranked_runs,
)
from capax.rasp.meaning.vector.shapes import Condition, SelectorShape, TermShape, sum_shape, union_shape
from capax.rasp.meaning.vector.steps import EvaluationSteps
from capax.rasp.meaning.vector.terms import ANY, EQUAL, MASKS, combined_selectors
from capax.rasp.meaning.vector.tower import Tower

BLOCK_CELLS = 1 << 22
"""How many (query, key) pairs are looked at at once where nothing better is known."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which flat positions are keys, and which are queries; None for all."""

    keys: Ints | None
    queries: Ints | None


NO_FILTER = Filters(None, None)


class Selections:
    """The selectors of one evaluation on one batch; what they share is computed once.

    `column` gives the values of an s-op as they are kept, one for each word if it is uniform; `full` one for each
    position.
    """

    def __init__(
        self, batch: WordBatch, column: Callable[[SOpNode], Column], full: Callable[[SOpNode], Column]
    ) -> None:
        self.batch = batch
        self.column = column
        self.full = full
        self._codes: dict[tuple[Node, Node, bool], Codes | None] = {}
        self._dense: dict[tuple[Node, Node, bool], Part | None] = {}
        self._best: dict[Best, Ints] = {}
        self.uniform: frozenset[Node] = frozenset()
        self._sums: dict[SelectorNode, SelectorShape | None] = {}
        self._unions: dict[SelectorNode, SelectorShape | None] = {}

    def on(self, batch: WordBatch) -> "Selections":
        """The same selectors on another batch."""
        new = Selections(batch, self.column, self.full)
        new.uniform, new._sums, new._unions = self.uniform, self._sums, self._unions
        return new

    def learn(self, steps: EvaluationSteps) -> None:
        """Takes over what is known of the nodes of a program."""
        self.uniform = steps.uniform | self.uniform if self.uniform else steps.uniform
        self._sums.update(steps.sums)
        self._unions.update(steps.unions)

    def index(self, selector: SelectorNode) -> SelectionIndex:
        """The index that answers for a selector; for a uniform one it has one query for each word."""
        if selector not in self._sums:
            self._sums[selector] = sum_shape(selector, self.uniform)
        shape = self._sums[selector]
        if shape is None:
            return Blocks(self, selector)
        parts = [p for term in shape.terms if (p := self._prepare(term, shape.uniform)) is not None]
        if len(parts) == 1 and parts[0].sign == 1 and parts[0].filters is NO_FILTER:
            return parts[0].index
        return TermSum(self.batch, parts, shape.uniform)

    def counts(self, selector: SelectorNode) -> Ints:
        """How many keys the query at each position selects."""
        counts = self.index(selector).counts()
        return self.batch.spread(counts) if selector in self.uniform else counts

    def codes(self, key: SOpNode, query: SOpNode, *, ordered: bool) -> Codes | None:
        """Codes of a key and a query column, at every position."""
        if (key, query, ordered) not in self._codes:
            keys = self.full(key)
            queries = keys if key is query else self.full(query)
            self._codes[key, query, ordered] = pair_codes(keys, queries, ordered=ordered)
        return self._codes[key, query, ordered]

    def _own_codes(self, node: SOpNode) -> NDArray[Any]:
        """Numbers that compare as the values of an s-op do."""
        codes = self.codes(node, node, ordered=True)
        assert codes is not None
        return codes[0]

    # terms

    def _arranged(self, by: SOpNode) -> Arranged:
        return Arranged(self.batch, self.full(by), lambda: self._own_codes(by))

    def _prepare(self, term: TermShape, uniform: bool) -> "_Prepared | None":
        """The term with an index; None if it selects nothing."""
        if term.arranged is not None and not term.tests:
            return _Prepared(term.sign, self._arranged(term.arranged), NO_FILTER)
        if term.best or term.pointer is not None or term.arranged is not None:
            return _Prepared(term.sign, self._pointed(term, uniform), NO_FILTER)
        if term.ranked is not None:
            return _Prepared(term.sign, ranked_runs(self.batch, self._own_codes(term.ranked)), NO_FILTER)
        queries = self._filter(term.queries)
        if term.words:
            words = self._words(term.words)
            if not words.any():
                return None
            if not words.all():
                queries = _both(queries, words if uniform else self.batch.spread(words))
        keys = self._filter(term.keys)
        if not term.equal and not term.orders:
            return _Prepared(term.sign, WholeWords(self.batch, keys, queries, uniform), NO_FILTER)
        filters = NO_FILTER if keys is None and queries is None else Filters(_indices(keys), _indices(queries))
        index = self._index_of(term, filters)
        return None if index is None else _Prepared(term.sign, index, filters)

    def _index_of(self, term: TermShape, filters: Filters) -> SelectionIndex | None:
        parts = self._parts(term, filters)
        if parts is None:
            return None
        if filters is NO_FILTER and not parts and len(term.orders) == 1 and _by_position(term.orders[0]):
            return PositionRuns(self.batch, term.orders[0].mask)
        orders = self._orders(term, filters)
        if not orders:
            return make_groups(parts or [self._word_part(filters)])
        runs = self._runs(term, filters, parts, orders[0])
        return runs if len(orders) == 1 else Tower(runs, orders[1])

    def _runs(self, term: TermShape, filters: Filters, parts: list[Part], order: Order) -> Runs:
        if order.by_position and filters is NO_FILTER and all(c.key is c.query for c in term.equal):
            return position_runs(self.batch, parts or [self._word_part(filters)], order.mask)
        return make_runs(parts or [self._word_part(filters)], order)

    def _parts(self, term: TermShape, filters: Filters) -> list[Part] | None:
        """The groups of the term: one word, and equal codes; empty for the word alone, None if nothing is equal."""
        parts: list[Part] = []
        for condition in term.equal:
            part = self._part(condition, filters)
            if part is None:
                return None
            parts.append(part)
        return [self._word_part(filters), *parts] if parts and self.batch.count > 1 else parts

    def _part(self, condition: Condition, filters: Filters) -> Part | None:
        """Small codes of a condition's keys and queries; None if no key equals any query."""
        node = (condition.key, condition.query, condition.ordered)
        if filters is NO_FILTER and node in self._dense:
            return self._dense[node]
        codes = self.codes(condition.key, condition.query, ordered=condition.ordered)
        part = None if codes is None else dense(*_at(codes, filters))
        if filters is NO_FILTER:
            self._dense[node] = part
        return part

    def _word_part(self, filters: Filters) -> Part:
        return (*_at((self.batch.word, self.batch.word), filters), self.batch.count)

    def _orders(self, term: TermShape, filters: Filters) -> list[Order]:
        orders: list[Order] = []
        for condition in term.orders:
            part = self._part(condition, filters)
            if part is not None:  # else a string is unequal to a number, which for `best` is less or greater
                orders.append(Order(part, condition.mask, _by_position(condition)))
        return orders

    def _filter(self, conditions: tuple[Condition, ...]) -> Bools | None:
        """Where conditions hold that look at each position by itself."""
        flags: Bools | None = None
        for condition in conditions:
            flags = _both(flags, self._holds(condition, self.full(condition.key), self.full(condition.query)))
        return flags

    def _words(self, conditions: tuple[Condition, ...]) -> Bools:
        """For each word whether conditions hold that look at the word alone."""
        flags = np.ones(self.batch.count, dtype=np.bool_)
        for condition in conditions:
            flags &= self._holds(condition, self.column(condition.key), self.column(condition.query))
        return flags

    def _holds(self, condition: Condition, keys: Column, queries: Column) -> Bools:
        codes = pair_codes(keys, queries, ordered=condition.ordered)
        if codes is None:
            return np.full(len(queries), condition.mask != EQUAL)
        return allowed(condition.mask, *codes)

    # best, and other selectors of at most one key

    def best(self, node: Best) -> Ints:
        """For each query the flat position of the best key, -1 if there is none; one for each word if it is uniform."""
        if node not in self._best:
            by = np.argsort(self._own_codes(node.score), kind="stable")
            rank = np.empty(self.batch.size, dtype=np.int64)
            rank[by] = self.batch.flat
            top = self._best_rank(node.selector, rank)
            self._best[node] = np.where(top < 0, -1, by[np.maximum(top, 0)])
        return self._best[node]

    def _best_rank(self, selector: SelectorNode, rank: Ints) -> Ints:
        if selector not in self._unions:
            self._unions[selector] = union_shape(selector, self.uniform)
        shape = self._unions[selector]
        if shape is None:
            return Blocks(self, selector).best(rank)
        top = np.full(self.batch.count if shape.uniform else self.batch.size, -1, dtype=np.int64)
        for term in shape.terms:
            self._raise_to_best(top, term, rank, uniform=shape.uniform)
        return top

    def _raise_to_best(self, top: Ints, term: TermShape, rank: Ints, *, uniform: bool) -> None:
        """Raises the ranks of the best keys so far to those of a term."""
        prepared = self._prepare(term, uniform)
        if prepared is None:
            return
        index, filters = prepared.index, prepared.filters
        score = rank if filters.keys is None else rank[filters.keys]
        match index:
            case Runs():
                groups, _, _ = combined_small(self._parts(term, filters) or [self._word_part(filters)])
                best = index.best(groups, score, prefix=term.orders[0].mask in (1, 3))
            case _:
                best = index.best(score)  # type: ignore[attr-defined]
        chosen = slice(None) if filters.queries is None else filters.queries
        top[chosen] = np.maximum(top[chosen], best)

    def _pointed(self, term: TermShape, uniform: bool) -> Pointed:
        """The index of a term that has at most one key for each query, at which the rest is tested."""
        if term.pointer is not None:
            query = self.column(term.pointer) if uniform else self.full(term.pointer)
            at, exists = pointed_positions(self.batch, query, uniform=uniform)
        elif term.arranged is not None:
            at, exists = self._arranged(term.arranged).at, None
        else:
            first, *others = (self._best_at(best, uniform) for best in term.best)
            at, exists = np.maximum(first, 0), first >= 0
            for other in others:
                exists = _both(exists, other == first)
        for condition in term.tests:
            queries = self.column(condition.query) if uniform else self.full(condition.query)
            codes = pair_codes(self.full(condition.key), queries, ordered=condition.ordered)
            if codes is None:
                exists = _both(exists, np.full(len(at), condition.mask != EQUAL))
            else:
                exists = _both(exists, allowed(condition.mask, codes[0][at], codes[1]))
        return Pointed(at, exists)

    def _best_at(self, node: Best, uniform: bool) -> Ints:
        """For each query of a selector, uniform or not, the best key of a part of it."""
        best = self.best(node)
        return self.batch.spread(best) if node in self.uniform and not uniform else best

    # pairs

    def block(self, selector: SelectorNode, rows: slice, columns: slice) -> Bools:
        """The selected pairs of some queries with some keys, as a matrix."""
        pairs: dict[Node, Bools] = {}
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        for node in combined_selectors(selector):
            match node:
                case Select():
                    mask = MASKS[node.op]
                    codes = self.codes(node.key, node.query, ordered=mask not in (EQUAL, ANY ^ EQUAL))
                    if codes is None:
                        pairs[node] = np.full(shape, mask != EQUAL)
                    else:
                        pairs[node] = allowed(mask, codes[0][None, columns], codes[1][rows, None])
                case Best():
                    flat = np.arange(columns.start, columns.stop)
                    pairs[node] = self._best_at(node, False)[rows, None] == flat[None, :]
                case And():
                    pairs[node] = pairs[node.left] & pairs[node.right]
                case Or():
                    pairs[node] = pairs[node.left] | pairs[node.right]
                case Not():
                    pairs[node] = ~pairs[node.inner]
                case _:
                    raise AssertionError(node)
        return pairs[selector]


def _by_position(condition: Condition) -> bool:
    return isinstance(condition.key, Indices) and isinstance(condition.query, Indices)


def _both(old: Bools | None, new: Bools) -> Bools:
    return new if old is None else old & new


def _indices(flags: Bools | None) -> Ints | None:
    return None if flags is None else np.flatnonzero(flags)


def _at(codes: Codes, filters: Filters) -> Codes:
    keys, queries = codes
    return (
        keys if filters.keys is None else keys[filters.keys],
        queries if filters.queries is None else queries[filters.queries],
    )


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A term: its coefficient, and an index over the keys and queries that pass the filters."""

    sign: int
    index: SelectionIndex
    filters: Filters


@dataclass(frozen=True, slots=True)
class TermSum:
    """A signed sum of indexed terms."""

    batch: WordBatch
    parts: list[_Prepared]
    uniform: bool

    def counts(self) -> Ints:
        """How many keys each query selects."""
        return self._total(np.dtype(np.int64), ((part, part.index.counts()) for part in self.parts))

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the selected keys' weights."""
        return self._total(weights.dtype, ((part, _filtered_sums(part, weights)) for part in self.parts))

    def single(self) -> Ints:
        """The key, where there is one: the sum of the positions of the keys."""
        return _single(self.sums(self.batch.flat), self.batch)

    def _total(self, dtype: "np.dtype[np.int64]", terms: Iterable[tuple[_Prepared, Exact]]) -> Exact:
        total = np.zeros(self.batch.count if self.uniform else self.batch.size, dtype=dtype)
        for part, values in terms:
            total[slice(None) if part.filters.queries is None else part.filters.queries] += part.sign * values
        return total


def _filtered_sums(part: _Prepared, weights: Exact) -> Exact:
    return part.index.sums(weights if part.filters.keys is None else weights[part.filters.keys])


def _single(sums: Ints, batch: WordBatch) -> Ints:
    """Sums of positions as positions, which they are where there is one."""
    return np.clip(sums, 0, batch.size - 1)


@dataclass(frozen=True, slots=True)
class Blocks:
    """Every pair of each word, a block of queries at a time; one query for each word if the selector is uniform."""

    owner: Selections
    selector: SelectorNode

    def _blocks(self) -> Iterator[tuple[slice, slice, Bools]]:
        """Which queries, which keys, and the pairs that are selected."""
        uniform = self.selector in self.owner.uniform
        for word, (start, stop) in enumerate(itertools.pairwise(self.owner.batch.offsets.tolist())):
            columns = slice(start, stop)
            if uniform:
                yield slice(word, word + 1), columns, self.owner.block(self.selector, slice(start, start + 1), columns)
                continue
            step = max(1, BLOCK_CELLS // (stop - start))
            for row in range(start, stop, step):
                rows = slice(row, min(row + step, stop))
                yield rows, columns, self.owner.block(self.selector, rows, columns)

    def _empty(self, dtype: "np.dtype[np.int64]") -> Exact:
        batch = self.owner.batch
        return np.zeros(batch.count if self.selector in self.owner.uniform else batch.size, dtype=dtype)

    def counts(self) -> Ints:
        """How many keys each query selects."""
        total = self._empty(np.dtype(np.int64))
        for rows, _, block in self._blocks():
            total[rows] = block.sum(axis=1)
        return total

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the selected keys' weights."""
        total = self._empty(weights.dtype)
        for rows, columns, block in self._blocks():
            total[rows] = np.where(block, weights[None, columns], 0).sum(axis=1)
        return total

    def single(self) -> Ints:
        """The key, where there is one."""
        return _single(self.sums(self.owner.batch.flat), self.owner.batch)

    def best(self, rank: Ints) -> Ints:
        """The highest rank among the selected keys, -1 if there is none."""
        total = self._empty(np.dtype(np.int64))
        for rows, columns, block in self._blocks():
            total[rows] = np.where(block, rank[None, columns], -1).max(axis=1)
        return total
