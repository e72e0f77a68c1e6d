"""What the queries of a batch select over triples, without an array of all triples.

Everything follows from how many second keys each query selects with each first key, a block of queries at a time:
the pairs of a query are their sum, and a mean takes its value at the first key. For one test of a sum the second keys
are sorted, and the count is a difference of two places in that order: n^2 log n steps. For conjunctions of ordinary
selectors it is a product of matrices. All else is gone through triple by triple, in blocks.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.triple_nodes import Lift, SumSelect, TripleAnd, TripleNode, TripleNot, TripleOr
from capax.rasp.ir.triple_parts import TripleConjunction, conjunction, triple_order
from capax.rasp.meaning.vector.column import WIDE, Column, Exact
from capax.rasp.meaning.vector.distinct import Bools, Ints
from capax.rasp.meaning.vector.selection import Selections

BLOCK_CELLS = 1 << 22
"""How many numbers are looked at at once."""

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}


@dataclass(frozen=True, slots=False)
class PairSelection:
    """The pairs of keys that the queries of a batch select."""

    selections: Selections
    column: Callable[[SOpNode], Column]
    triples: TripleNode
    known: dict[SumSelect, tuple[Exact, Exact, Exact, int]] = field(default_factory=dict)
    """The columns of each test of a sum, which all words of the batch share."""

    @cached_property
    def _counts(self) -> Ints:
        total = np.zeros(self.selections.batch.size, dtype=np.int64)
        for rows, _, block in self.blocks():
            total[rows] = block.sum(axis=1)
        return total

    def counts(self) -> Ints:
        """How many pairs each query selects."""
        return self._counts

    def single(self) -> Ints:
        """The first key of the pair, where there is one."""
        size = self.selections.batch.size
        return np.clip(self.sums(np.arange(size, dtype=np.int64)), 0, size - 1)

    def sums(self, weights: Exact) -> Exact:
        """The exact sum of the weights of the first keys of the selected pairs."""
        largest = max((abs(int(w)) for w in (weights.min(initial=0), weights.max(initial=0))), default=0)
        wide = weights.dtype == object or largest * int(self._counts.max(initial=0)) > WIDE
        exact = weights.astype(object) if wide else weights
        total = np.zeros(self.selections.batch.size, dtype=exact.dtype)
        for rows, columns, block in self.blocks():
            total[rows] = (block.astype(object) if wide else block) @ exact[columns]
        return total

    def blocks(self) -> Iterator[tuple[slice, slice, Ints]]:
        """For blocks of queries of a word how many second keys each selects with each first key."""
        parts = conjunction(self.triples)
        for start, stop in itertools.pairwise(self.selections.batch.offsets.tolist()):
            columns = slice(start, stop)
            step = max(1, BLOCK_CELLS // (stop - start))
            for row in range(start, stop, step):
                rows = slice(row, min(row + step, stop))
                yield rows, columns, self._block(parts, rows, columns)

    def row(self, flat: int, start: int, stop: int) -> Ints:
        """How many second keys one query selects with each first key."""
        return np.asarray(self._block(conjunction(self.triples), slice(flat, flat + 1), slice(start, stop))[0])

    def _block(self, parts: TripleConjunction | None, rows: slice, columns: slice) -> Ints:
        if parts is None or (
            parts.sums and (parts.second is not None or parts.keys is not None or len(parts.sums) > 1)
        ):
            return self._by_triples(rows, columns)
        if parts.sums:
            counts = self._sorted_counts(parts.sums[0], rows, columns)
        else:
            counts = self._matrix_counts(parts, rows, columns)
        if parts.first is not None:
            counts = counts * self.selections.block(parts.first, rows, columns)
        return counts

    def _matrix_counts(self, parts: TripleConjunction, rows: slice, columns: slice) -> Ints:
        """By the product of query by second key and second key by first key; counts up to 2^53 are exact."""
        n, height = columns.stop - columns.start, rows.stop - rows.start
        total = np.zeros((height, n))
        step = max(1, BLOCK_CELLS // n)
        for begin in range(columns.start, columns.stop, step):
            some = slice(begin, min(begin + step, columns.stop))
            width = some.stop - some.start
            second = np.ones((height, width)) if parts.second is None else self._bits(parts.second, rows, some)
            if parts.keys is None:
                total += second.sum(axis=1)[:, None]
            else:
                total += second @ self._bits(parts.keys, some, columns)
        return total.astype(np.int64)

    def _bits(self, selector: Any, rows: slice, columns: slice) -> Any:
        return self.selections.block(selector, rows, columns).astype(np.float64)

    # sums

    def _numbers(self, node: SumSelect) -> tuple[Exact, Exact, Exact, int]:
        """The three columns and the constant, reduced by the modulus; int64 where all sums fit."""
        if node not in self.known:
            self.known[node] = self._reduced(node)
        return self.known[node]

    def _reduced(self, node: SumSelect) -> tuple[Exact, Exact, Exact, int]:
        columns: list[Exact] = []
        for operand in (node.key1, node.key2, node.query):
            column = self.column(operand)
            data = np.empty(len(column), dtype=object)
            data[:] = column.values() if column.kind != "int" else column.data.tolist()
            columns.append(data % node.modulus if node.modulus else data)
        largest = max([abs(node.constant), node.modulus, *(abs(int(v)) for c in columns for v in (c.min(), c.max()))])
        if 4 * largest < WIDE:
            columns = [c.astype(np.int64) for c in columns]
        return columns[0], columns[1], columns[2], node.constant

    def _sorted_counts(self, node: SumSelect, rows: slice, columns: slice) -> Ints:
        """By places in the order of the second keys."""
        key1, key2, query, constant = self._numbers(node)
        order = np.sort(key2[columns])
        n = len(order)
        sums = query[rows, None] + key1[None, columns]

        def below(limit: Any) -> Ints:
            """How many second keys are less than a limit."""
            places = np.searchsorted(order, limit.reshape(-1), side="left")
            return np.asarray(places.reshape(limit.shape).astype(np.int64))

        def less(than: int) -> Ints:
            """How many second keys give a sum, or remainder, less than a number."""
            if not node.modulus:
                return below(than - sums)
            bound = min(max(than, 0), node.modulus)
            rest = sums % node.modulus  # remainders of second keys wrap once
            low = below(np.minimum(bound - rest, node.modulus))
            wrapped = below(bound + node.modulus - rest) - below(node.modulus - rest)
            return np.asarray(np.where(bound - rest > 0, low, 0) + wrapped)

        match node.op:
            case "<":
                return less(constant)
            case "<=":
                return less(constant + 1)
            case ">=":
                return n - less(constant)
            case ">":
                return n - less(constant + 1)
            case "==":
                return less(constant + 1) - less(constant)
            case _:
                return n - less(constant + 1) + less(constant)

    # triple by triple

    def _by_triples(self, rows: slice, columns: slice) -> Ints:
        n = columns.stop - columns.start
        counts = np.zeros((rows.stop - rows.start, n), dtype=np.int64)
        step = max(1, BLOCK_CELLS // (n * n))
        firsts = max(1, BLOCK_CELLS // n) if step == 1 else n
        for row in range(rows.start, rows.stop, step):
            some = slice(row, min(row + step, rows.stop))
            for begin in range(columns.start, columns.stop, firsts):
                keys = slice(begin, min(begin + firsts, columns.stop))
                cube = self.cube(some, keys, columns)
                at = slice(some.start - rows.start, some.stop - rows.start)
                counts[at, keys.start - columns.start : keys.stop - columns.start] = cube.sum(axis=2)
        return counts

    def cube(self, rows: slice, firsts: slice, seconds: slice) -> Bools:
        """The selected triples of some queries, first keys and second keys."""
        shape = tuple(s.stop - s.start for s in (rows, firsts, seconds))
        known: dict[TripleNode, Bools] = {}
        for node in triple_order(self.triples):
            match node:
                case SumSelect():
                    key1, key2, query, constant = self._numbers(node)
                    total = query[rows, None, None] + key1[None, firsts, None] + key2[None, None, seconds]
                    held = COMPARE[node.op](total % node.modulus if node.modulus else total, constant)
                    known[node] = held.astype(np.bool_)
                case Lift(side="first"):
                    known[node] = self.selections.block(node.selector, rows, firsts)[:, :, None]
                case Lift(side="second"):
                    known[node] = self.selections.block(node.selector, rows, seconds)[:, None, :]
                case Lift():
                    known[node] = self.selections.block(node.selector, seconds, firsts).T[None, :, :]
                case TripleAnd():
                    known[node] = known[node.left] & known[node.right]
                case TripleOr():
                    known[node] = known[node.left] | known[node.right]
                case TripleNot():
                    known[node] = ~known[node.inner]
                case _:
                    raise AssertionError(node)
        return np.broadcast_to(known[self.triples], shape)
