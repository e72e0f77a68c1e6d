"""Aggregates on a batch: the default where no key is selected, its value where one is, else the mean."""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capax.errors import CapaxError
from capax.rasp.ir.nodes import Aggregate
from capax.rasp.ir.triple_nodes import PairAggregate
from capax.rasp.ir.types import sequence_type
from capax.rasp.meaning.reference import mean
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.meaning.vector.arranged import Arranged
from capax.rasp.meaning.vector.column import BOOL, FLOAT, INT, SAFE, Column, constant
from capax.rasp.meaning.vector.distinct import Bools, Ints
from capax.rasp.meaning.vector.elementwise import choose
from capax.rasp.meaning.vector.index import Pointed, SelectionIndex
from capax.rasp.meaning.vector.means import Weights, float_weights, integer_weights, means
from capax.rasp.meaning.vector.memo import Result
from capax.rasp.meaning.vector.selection import Selections
from capax.rasp.meaning.vector.store import ColumnStore
from capax.rasp.meaning.vector.triples import PairSelection

AnyAggregate = Aggregate | PairAggregate


class Aggregates:
    """The aggregates of an evaluation."""

    def __init__(self, store: ColumnStore, selections: Selections) -> None:
        self.store = store
        self.selections = selections

    def values(self, node: AnyAggregate) -> Result:
        """The column of an aggregate, and where it fails."""
        index = self._index(node)
        if isinstance(index, Arranged):
            return index.picked(self.store.full(node.value)), None
        if isinstance(index, Pointed) and index.exists is None:
            return self.store.full(node.value).take(index.at), None
        value, counts = self.store.kept(node.value), index.counts()
        if value.kind == "int" and type(node.default) is int and abs(node.default) <= SAFE:
            bound = int(value.largest())
            if bound * self.store.batch.size <= SAFE and isinstance(node, Aggregate):
                return self._small_means(node, index, counts, bound), None
        return self._of_any_kind(node, index, counts)

    def _small_means(self, node: Aggregate, index: SelectionIndex, counts: Ints, bound: int) -> Column:
        """Values, means and defaults of integers whose sums are floats without loss."""
        default, vocabulary = node.default, self.store.kept(node.value).vocabulary
        assert isinstance(default, int)
        total: NDArray[Any] = self._sums(node, index, counts)
        none = None if np.count_nonzero(counts) == len(counts) else counts == 0
        several = counts > 1
        means = np.count_nonzero(several)
        if means:
            total = total / (counts if none is None else np.maximum(counts, 1))
        if none is not None and default:
            total, bound = np.where(none, default, total), max(bound, abs(default))
        if not means:
            return Column("int", total, vocabulary, None, bound)
        if means == len(counts):
            return Column("float", total, vocabulary, None, bound)
        tags = several.view(np.uint8) + np.uint8(INT)
        return Column("mixed", total, vocabulary, tags, bound)

    def _sums(self, node: Aggregate, index: SelectionIndex, counts: Ints) -> Ints:
        """The sum of the integers that each query selects."""
        if node.value not in self.store.uniform:
            return index.sums(self.store.kept(node.value).data)
        values = self.store.kept(node.value) if node in self.store.uniform else self.store.full(node.value)
        return np.asarray(counts * values.data)

    def _of_any_kind(self, node: AnyAggregate, index: SelectionIndex, counts: Ints) -> Result:
        value = self.store.full(node.value)
        least, most = int(counts.min()), int(counts.max())
        if least == most == 1:
            return value.take(index.single()), None
        result = constant(node.default, 1, value.vocabulary)
        if most == 0:
            return result.repeated(len(counts)), None
        result = choose(counts == 1, value.take(index.single()), result)
        if most == 1:
            return result, None
        many = counts > 1
        number, whole = self._number_words(value, node in self.store.uniform)
        averages, failed = self._means(node, index, counts, many if number is None else many & number, whole)
        failed &= many
        if number is not None:
            failed |= many & ~number
        result = choose(many, Column("float", averages, value.vocabulary), result)
        return result if len(result) == len(counts) else result.repeated(len(counts)), failed

    def _index(self, node: AnyAggregate) -> SelectionIndex:
        return self.selections.index(node.selector) if isinstance(node, Aggregate) else self.pairs(node)

    def pairs(self, node: PairAggregate) -> PairSelection:
        """The pairs that an aggregate over triples selects."""
        return PairSelection(self.selections, self.store.full, node.triples)

    def _number_words(self, value: Column, uniform: bool) -> tuple[Bools | None, Bools | bool]:
        """For each query whether the values of its word are numbers that can be averaged, None if all are.

        And for each whether all are integers.
        """
        if value.kind in ("int", "float"):
            return None, value.kind == "int"
        batch = self.store.batch
        words = batch.count
        if value.kind in ("str", "bool"):
            number, whole = np.zeros(words, dtype=np.bool_), np.zeros(words, dtype=np.bool_)
        elif value.tags is not None:
            number, whole = batch.any_in_word(value.tags != BOOL), ~batch.any_in_word(value.tags == FLOAT)
        else:
            types = [sequence_type(value.values(a, b)) for a, b in itertools.pairwise(batch.offsets.tolist())]
            number, whole = np.array([t in ("ints", "floats") for t in types]), np.array([t == "ints" for t in types])
        return (number, whole) if uniform else (batch.spread(number), batch.spread(whole))

    def _means(
        self, node: AnyAggregate, index: SelectionIndex, counts: Ints, needed: Bools, whole: Bools | bool
    ) -> tuple[Any, Bools]:
        weights = _weights(self.store.full(node.value))
        if weights is None:
            return self._slow_means(node, needed)
        return means(index.sums(weights.values), np.where(needed, counts, 0), weights.exponent, whole)

    def _slow_means(self, node: AnyAggregate, needed: Bools) -> tuple[Any, Bools]:
        """Means by the definition, for values that arrays cannot hold."""
        averages, failed = np.zeros(len(needed)), np.zeros(len(needed), dtype=np.bool_)
        batch = self.store.batch
        for query in np.flatnonzero(needed).tolist():
            w = query if node in self.store.uniform else int(batch.word[query])
            try:
                averages[query] = mean(*self.picked(node, w, query - int(batch.offsets[w])))
            except CapaxError:
                failed[query] = True
        return averages, failed

    def picked(self, node: AnyAggregate, w: int, i: int) -> tuple[list[Any], Sequence]:
        """The selected values of a query, and all values of its word."""
        start, stop = (int(offset) for offset in self.store.batch.offsets[w : w + 2])
        flat = start if node in self.store.uniform else start + i
        if isinstance(node, Aggregate):
            row = self.selections.block(node.selector, slice(flat, flat + 1), slice(start, stop))[0].astype(np.int64)
        else:
            row = self.pairs(node).row(flat, start, stop)
        values = self.store.word_values(node.value, w)
        return [v for v, times in zip(values, row.tolist(), strict=True) for _ in range(times)], Sequence(values)


def _weights(value: Column) -> Weights | None:
    if value.kind == "int" or (value.kind == "object" and all(isinstance(v, int) for v in value.data)):
        return integer_weights(value)
    if value.kind in ("float", "mixed") and np.isfinite(value.data).all():
        return float_weights(value.data)
    return None
