"""The columns of an evaluation: of a uniform node one value for each word, of any other one for each position."""

from typing import Any

from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.meaning.vector.batch import WordBatch
from capax.rasp.meaning.vector.column import Column
from capax.rasp.meaning.vector.distinct import Bools


class ColumnStore:
    """The columns that are known on a batch, and which nodes are uniform."""

    def __init__(self, batch: WordBatch) -> None:
        self.batch = batch
        self.columns: dict[Node, Column] = {}
        self.uniform: frozenset[Node] = frozenset()

    def kept(self, node: SOpNode) -> Column:
        """The values of an s-op as they are kept."""
        return self.columns[node]

    def full(self, node: SOpNode) -> Column:
        """The values of an s-op at every position."""
        column = self.columns[node]
        return self.batch.spread_column(column) if node in self.uniform else column

    def value(self, node: SOpNode, w: int, i: int = 0) -> Any:
        """The value of an s-op at a position of a word."""
        return self.columns[node].value(w if node in self.uniform else int(self.batch.offsets[w]) + i)

    def word_values(self, node: SOpNode, w: int) -> list[Any]:
        """The values of an s-op on a word."""
        start, stop = int(self.batch.offsets[w]), int(self.batch.offsets[w + 1])
        if node in self.uniform:
            return [self.columns[node].value(w)] * (stop - start)
        return self.columns[node].values(start, stop)

    def drop(self, dead: Bools) -> None:
        """Takes words out of the batch."""
        self.batch, kept = self.batch.only(~dead)
        self.columns = {n: c.take(~dead if n in self.uniform else kept) for n, c in self.columns.items()}
