"""The values of a program's nodes on a word, as a picture needs them: sequences, pairs, and densities of pairs."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from capax.draw.view.view import CELLS, Cells
from capax.errors import CapaxError
from capax.rasp.ir.nodes import Node, SelectorNode, SOpNode
from capax.rasp.ir.triple_nodes import TripleNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.evaluation import has_arrays
from capax.rasp.meaning.reference import ReferenceEvaluation, read_word
from capax.rasp.meaning.sequence import Matrix, Triples
from capax.rasp.meaning.sequence import Sequence as Values

if TYPE_CHECKING:
    from capax.rasp.meaning.fast import FastRun
    from capax.rasp.meaning.vector.triples import PairSelection

FEW = 20
"""Words up to this length are evaluated by the definition; beyond, arrays are faster."""
MOST_BINS = 150
"""An overview has at most this many cells a side."""
MOST_PAIRS = 1 << 26
"""How many pairs an overview looks at; longer words are sampled."""
BLOCK_PAIRS = 1 << 22
"""How many pairs are held at once."""


class ValuesOn:
    """The values of the nodes below some roots on one word, by the definition for short words, else by arrays."""

    def __init__(self, roots: Sequence[Node], word: Iterable[Any]) -> None:
        self.tokens: list[Atom] = read_word(word)
        self.size = len(self.tokens)
        self._slow: ReferenceEvaluation | None = None
        self._fast: FastRun | None = None
        if self.size <= FEW or not has_arrays():
            self._slow = ReferenceEvaluation(self.tokens)
            for root in roots:
                self._slow.value(root)
        else:
            self._fast = _run(list(roots), word if isinstance(word, str) else self.tokens)

    def sequence(self, node: SOpNode) -> Values:
        """The values of an s-op."""
        if self._slow is not None:
            value = self._slow.value(node)
        else:
            assert self._fast is not None
            self._fast.run([node], keep=True)
            (value,) = self._fast.outcomes(node)  # type: ignore[assignment]
        assert isinstance(value, Values)
        return value

    def cells(self, selector: SelectorNode, *, average: bool) -> Cells:
        """The pairs that a selector selects: every pair, or their density where the word is long."""
        if self.size > CELLS:
            if self._fast is None:
                what = f"pictures of more than {CELLS} tokens need numpy"
                raise CapaxError("too-large", what, hint="draw a shorter word")
            return self._density(selector)
        if self._slow is not None:
            value = self._slow.value(selector)
            assert isinstance(value, Matrix)
            rows: Sequence[Sequence[bool]] = value.rows
        else:
            rows = self._block(selector, slice(0, self.size)).tolist()
        weights = tuple(_weights(row, average=average) for row in rows)
        return Cells("average" if average else "selected", self.size, 1, weights)

    def counts(self, selector: SelectorNode) -> list[int]:
        """How many keys each query selects."""
        if self._slow is not None:
            value = self._slow.value(selector)
            assert isinstance(value, Matrix)
            return [sum(row) for row in value.rows]
        assert self._fast is not None
        counts: list[int] = self._fast.selections.counts(selector).tolist()
        return counts

    def pair_counts(self, triples: TripleNode) -> list[list[int]]:
        """For each query and first key how many second keys are selected."""
        if self._slow is not None:
            value = self._slow.value(triples)
            assert isinstance(value, Triples)
            return [[sum(line) for line in row] for row in value.rows]
        return [row for _, _, block in self._pairs(triples).blocks() for row in block.tolist()]

    def pairs(self, triples: TripleNode, query: int) -> Sequence[Sequence[bool]]:
        """The pairs that one query selects: a row of second keys for each first key."""
        if self._slow is not None:
            value = self._slow.value(triples)
            assert isinstance(value, Triples)
            return value.rows[query]
        whole = slice(0, self.size)
        rows: list[list[bool]] = self._pairs(triples).cube(slice(query, query + 1), whole, whole)[0].tolist()
        return rows

    def _pairs(self, triples: TripleNode) -> "PairSelection":
        from capax.rasp.meaning.vector.triples import PairSelection  # brings numpy

        assert self._fast is not None
        return PairSelection(self._fast.selections, self._fast.store.full, triples)

    def _block(self, selector: SelectorNode, rows: slice) -> Any:
        assert self._fast is not None
        return self._fast.selections.block(selector, rows, slice(0, self.size))

    def _density(self, selector: SelectorNode) -> Cells:
        import numpy as np

        step = -(-self.size // MOST_BINS)
        starts = np.arange(0, self.size, step)
        widths = np.diff(np.append(starts, self.size))
        taken = max(1, min(step, MOST_PAIRS // (self.size * len(starts))))
        rows: list[tuple[float, ...]] = []
        for start in starts.tolist():
            stop = min(start + taken, self.size)
            total = np.zeros(len(starts), dtype=np.int64)
            height = max(1, BLOCK_PAIRS // self.size)
            for row in range(start, stop, height):
                block = self._block(selector, slice(row, min(row + height, stop)))
                total += np.add.reduceat(block.sum(axis=0, dtype=np.int64), starts)
            rows.append(tuple((total / (widths * (stop - start))).tolist()))
        return Cells("density", self.size, step, tuple(rows), sampled=taken < step)


def _run(roots: list[Node], word: Iterable[Any]) -> "FastRun":
    from capax.rasp.meaning.fast import FastRun  # brings numpy

    run = FastRun([word])
    run.run(roots, keep=True)
    for error in run.errors.values():
        assert isinstance(error, CapaxError)
        raise error
    return run


def _weights(row: Sequence[bool], *, average: bool) -> tuple[float, ...]:
    weight = 1.0 / (sum(row) or 1) if average else 1.0
    return tuple([weight if selected else 0.0 for selected in row])
