"""What the queries of a batch select: counts and exact sums, by terms where possible, else by blocks."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from capax.rasp.ir.nodes import And, Best, Const, Node, Not, Or, Select, SelectorNode, SOpNode
from capax.rasp.meaning.vector.batch import WordBatch
from capax.rasp.meaning.vector.codes import Codes, allowed, combined, dense, dense_joint, pair_codes
from capax.rasp.meaning.vector.column import Bools, Column, Exact, Ints
from capax.rasp.meaning.vector.index import Order, Part, Tower, best_in_groups, best_in_runs, make_groups, make_runs
from capax.rasp.meaning.vector.terms import (
    ANY,
    EQUAL,
    GREATER,
    LESS,
    MASKS,
    Term,
    TooManyTermsError,
    combined_selectors,
    positive_terms,
    signed_terms,
)

BLOCK_CELLS = 1 << 22
"""How many (query, key) pairs are looked at at once where nothing better is known."""


class SelectionIndex(Protocol):
    """Sums over the keys that each query selects."""

    def counts(self) -> Ints:
        """How many keys."""

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the keys' weights."""


class Selections:
    """The selectors of one evaluation on one batch; what they share is computed once."""

    def __init__(self, batch: WordBatch, column: Callable[[SOpNode], Column]) -> None:
        self.batch = batch
        self.column = column
        self._codes: dict[tuple[Node, Node, bool], Codes | None] = {}
        self._best: dict[Best, Ints] = {}

    def index(self, selector: SelectorNode) -> SelectionIndex:
        """The index that answers for a selector."""
        try:
            return TermSum(
                self, [p for term, sign in signed_terms(selector).items() for p in self._prepare(term, sign)]
            )
        except TooManyTermsError:
            return Blocks(self, selector)

    def codes(self, key: SOpNode, query: SOpNode, *, ordered: bool) -> Codes | None:
        """Codes of a key and a query column."""
        if (key, query, ordered) not in self._codes:
            self._codes[key, query, ordered] = pair_codes(self.column(key), self.column(query), ordered=ordered)
        return self._codes[key, query, ordered]

    # terms

    def conditions(self, term: Term) -> "_Conditions | None":
        """The conditions of a term sorted by kind; None if nothing can satisfy it."""
        conditions = _Conditions([], [], None, None)
        for (key, query), mask in sorted(term.masks, key=lambda item: item[1] != EQUAL):
            codes = self.codes(key, query, ordered=mask not in (EQUAL, LESS | GREATER))
            if codes is None:
                if mask == EQUAL:
                    return None
                continue
            if isinstance(query, Const):
                conditions.keys = _both(conditions.keys, allowed(mask, *codes))
            elif isinstance(key, Const):
                conditions.queries = _both(conditions.queries, allowed(mask, *codes))
            elif mask == EQUAL:
                conditions.equal.append(codes)
            else:
                conditions.orders.append((codes, mask))
        return conditions

    def _prepare(self, term: Term, sign: int) -> "Iterator[_Prepared]":
        """The term as one or more indexed parts."""
        for (key, query), mask in term.masks:
            if mask == LESS | GREATER and not isinstance(key, Const) and not isinstance(query, Const) and not term.best:
                rest = term.masks - {((key, query), mask)}
                yield from self._prepare(Term(rest), sign)
                yield from self._prepare(Term(rest | {((key, query), EQUAL)}), -sign)
                return
        if term.best:
            yield _Prepared(sign, self._pointed(term), None, None)
            return
        conditions = self.conditions(term)
        if conditions is None:
            return
        if len(conditions.orders) > 2:
            raise TooManyTermsError
        keys, queries = _true_indices(conditions.keys), _true_indices(conditions.queries)
        parts = self._parts(conditions, keys, queries)
        orders = [Order(dense(_at(k, keys), _at(q, queries)), mask) for (k, q), mask in conditions.orders]
        index: SelectionIndex
        if not orders:
            index = make_groups(parts)
        else:
            index = make_runs(parts, orders[0])
            if len(orders) == 2:
                index = Tower(index, orders[1])
        yield _Prepared(sign, index, keys, queries)

    def _parts(self, conditions: "_Conditions", keys: Ints | None, queries: Ints | None) -> list[Part]:
        parts: list[Part] = []
        if self.batch.count > 1 or not conditions.equal:
            word = self.batch.word
            parts.append((_at(word, keys), _at(word, queries), self.batch.count))
        return parts + [dense(_at(k, keys), _at(q, queries)) for k, q in conditions.equal]

    # best

    def best(self, node: Best) -> Ints:
        """For each query the flat position of the best key, -1 if there is none."""
        if node not in self._best:
            codes = self.codes(node.score, node.score, ordered=True)
            assert codes is not None
            by = np.lexsort((np.arange(self.batch.size), codes[0]))
            rank = np.empty(self.batch.size, dtype=np.int64)
            rank[by] = np.arange(self.batch.size)
            top = self._best_rank(node.selector, rank)
            self._best[node] = np.where(top < 0, -1, by[np.maximum(top, 0)])
        return self._best[node]

    def _best_rank(self, selector: SelectorNode, rank: Ints) -> Ints:
        try:
            top = np.full(self.batch.size, -1, dtype=np.int64)
            for term in positive_terms(selector):
                top = np.maximum(top, self._best_of_term(term, rank))
            return top
        except TooManyTermsError:
            return Blocks(self, selector).best(rank)

    def _best_of_term(self, term: Term, rank: Ints) -> Ints:
        top = np.full(self.batch.size, -1, dtype=np.int64)
        if term.best:
            pointed = self._pointed(term)
            return np.where(pointed.found, rank[pointed.at], -1)
        conditions = self.conditions(term)
        if conditions is None:
            return top
        if len(conditions.orders) > 1:
            raise TooManyTermsError
        keys, queries = _true_indices(conditions.keys), _true_indices(conditions.queries)
        parts, score = self._parts(conditions, keys, queries), _at(rank, keys)
        if not conditions.orders:
            best = best_in_groups(make_groups(parts), score)
        else:
            (k, q), mask = conditions.orders[0]
            runs = make_runs(parts, Order(dense(_at(k, keys), _at(q, queries)), mask))
            best = best_in_runs(runs, _small_groups(parts), score, prefix=mask in (1, 3))
        top[slice(None) if queries is None else queries] = best
        return top

    def _pointed(self, term: Term) -> "Pointed":
        """The index of a term that holds a `best`: at most one key, at which the rest is tested."""
        first, *others = sorted(term.best, key=id)
        at = self.best(first)
        exists = at >= 0
        safe = np.maximum(at, 0)
        for other in others:
            exists &= self.best(other) == at
        for (key, query), mask in term.masks:
            codes = self.codes(key, query, ordered=mask not in (EQUAL, LESS | GREATER))
            if codes is None:
                exists &= mask != EQUAL
            else:
                exists &= allowed(mask, codes[0][safe], codes[1])
        return Pointed(safe, exists)

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
                    pairs[node] = self.best(node)[rows, None] == flat[None, :]
                case And():
                    pairs[node] = pairs[node.left] & pairs[node.right]
                case Or():
                    pairs[node] = pairs[node.left] | pairs[node.right]
                case Not():
                    pairs[node] = ~pairs[node.inner]
                case _:
                    raise AssertionError(node)
        return pairs[selector]


@dataclass(slots=True)
class _Conditions:
    equal: list[Codes]
    orders: list[tuple[Codes, int]]
    keys: Bools | None
    queries: Bools | None


def _both(old: Bools | None, new: Bools) -> Bools:
    return new if old is None else old & new


def _true_indices(flags: Bools | None) -> Ints | None:
    return None if flags is None else np.flatnonzero(flags)


def _at(values: Exact, positions: Ints | None) -> Exact:
    return values if positions is None else values[positions]


def _small_groups(parts: list[Part]) -> Ints:
    keys, queries, count = combined(parts)
    if count * (len(keys) + 1) > 1 << 62:
        keys, _, _ = dense_joint(keys, queries)
    return keys


@dataclass(frozen=True, slots=True)
class _Prepared:
    sign: int
    index: SelectionIndex
    keys: Ints | None
    queries: Ints | None


@dataclass(frozen=True, slots=True)
class Pointed:
    """At most one key for each query."""

    at: Ints
    found: Bools

    def counts(self) -> Ints:
        """1 where there is a key."""
        return self.found.astype(np.int64)

    def sums(self, weights: Exact) -> Exact:
        """The weight of the key."""
        return np.where(self.found, weights[self.at], 0)


@dataclass(frozen=True, slots=True)
class TermSum:
    """A signed sum of indexed terms."""

    owner: Selections
    parts: list[_Prepared]

    def counts(self) -> Ints:
        """How many keys each query selects."""
        return self._total(np.dtype(np.int64), lambda part: part.index.counts())

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the selected keys' weights."""
        return self._total(weights.dtype, lambda part: part.index.sums(_at(weights, part.keys)))

    def _total(self, dtype: "np.dtype[np.int64]", of: Callable[[_Prepared], Exact]) -> Exact:
        total = np.zeros(self.owner.batch.size, dtype=dtype)
        for part in self.parts:
            total[slice(None) if part.queries is None else part.queries] += part.sign * of(part)
        return total


@dataclass(frozen=True, slots=True)
class Blocks:
    """Every pair of each word, a block of queries at a time."""

    owner: Selections
    selector: SelectorNode

    def _blocks(self) -> Iterator[tuple[slice, slice, Bools]]:
        offsets = self.owner.batch.offsets.tolist()
        for start, stop in itertools.pairwise(offsets):
            step = max(1, BLOCK_CELLS // (stop - start))
            for row in range(start, stop, step):
                rows, columns = slice(row, min(row + step, stop)), slice(start, stop)
                yield rows, columns, self.owner.block(self.selector, rows, columns)

    def counts(self) -> Ints:
        """How many keys each query selects."""
        total = np.zeros(self.owner.batch.size, dtype=np.int64)
        for rows, _, block in self._blocks():
            total[rows] = block.sum(axis=1)
        return total

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the selected keys' weights."""
        total = np.zeros(self.owner.batch.size, dtype=weights.dtype)
        for rows, columns, block in self._blocks():
            total[rows] = np.where(block, weights[None, columns], 0).sum(axis=1)
        return total

    def best(self, rank: Ints) -> Ints:
        """The highest rank among the selected keys, -1 if there is none."""
        total = np.full(self.owner.batch.size, -1, dtype=np.int64)
        for rows, columns, block in self._blocks():
            total[rows] = np.where(block, rank[None, columns], -1).max(axis=1)
        return total
