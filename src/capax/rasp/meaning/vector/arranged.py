"""Words in the order of their values: where the key whose rank is the query's position is selected, one for each query.

Where a word is arranged by its own values, the values are sorted themselves; else their order is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capax.rasp.meaning.vector.batch import WordBatch
from capax.rasp.meaning.vector.column import Column, Exact
from capax.rasp.meaning.vector.distinct import Ints, table_pays
from capax.rasp.meaning.vector.index import ranked_order


@dataclass(frozen=True, slots=False)
class Arranged:
    """For each query one key of its word: the keys in the order of a column, equal ones as they were.

    `codes` gives numbers that compare as the values of the column do.
    """

    batch: WordBatch
    column: Column
    codes: Callable[[], NDArray[Any]]

    @cached_property
    def at(self) -> Ints:
        """The key of each query."""
        by = ranked_order(self.batch, self.codes()).by
        return self.batch.flat if by is None else by

    def counts(self) -> Ints:
        """One key for each query."""
        return np.ones(self.batch.size, dtype=np.int64)

    def sums(self, weights: Exact) -> Exact:
        """The weight of the key."""
        return np.asarray(weights[self.at])

    def single(self) -> Ints:
        """The key."""
        return self.at

    def picked(self, value: Column) -> Column:
        """The value at each query's key."""
        data = self._sorted() if value is self.column else None
        return value.take(self.at) if data is None else Column(value.kind, data, value.vocabulary, None, value.bound)

    def _sorted(self) -> NDArray[Any] | None:
        """The column's own values in order; None where equal values may differ, or their order is found faster."""
        column = self.column
        if column.kind not in ("int", "str"):
            return None
        (ranks,) = column.vocabulary.ranks(column.data) if column.kind == "str" else (column.data,)
        alone = self.batch.count == 1
        if alone and ranks is column.data and ranks.itemsize == 1:
            return np.sort(ranks, kind="stable")  # by counting
        low, high = int(ranks.min()), int(ranks.max())
        span = high - low + 1
        if table_pays(span * self.batch.count, len(ranks)):
            return self._counted(ranks, low, span)
        return np.sort(ranks) if alone and ranks is column.data else None

    def _counted(self, ranks: NDArray[Any], low: int, span: int) -> NDArray[Any]:
        """Each value of a table as often as it occurs in a word."""
        column, words = self.column, self.batch.count
        numbers = ranks - low if low else ranks
        table = np.zeros(span, dtype=column.data.dtype)
        table[numbers] = column.data
        if words > 1:
            table, numbers = np.tile(table, words), self.batch.word * span + numbers
        return np.repeat(table, np.bincount(numbers, minlength=span * words))
