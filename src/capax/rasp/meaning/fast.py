"""The same meaning as `reference.py`, on whole batches of words with arrays.

Words lie end to end in columns; a selector is never laid out as a matrix where grouping, sorting or
shifting gives the counts and sums. Values, types and errors are those of the definition, to the last
bit. A word that fails leaves the batch with its error, and the others go on.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.rasp.ir.graph import postorder, topological
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Input, Map, Node, Select, SelectorNode, SOpNode, Table, Width
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, SumSelect, TripleNode
from capax.rasp.ir.triple_parts import triple_reads
from capax.rasp.ir.types import sequence_type
from capax.rasp.meaning.reference import at_position, check_length, locate, look_up, mean, read_token, read_word, summed
from capax.rasp.meaning.sequence import Matrix, ProgramValue, Sequence, Triples
from capax.rasp.meaning.vector.batch import make_batch
from capax.rasp.meaning.vector.column import BOOL, FLOAT, Bools, Column, Ints, StringTable, constant, from_values
from capax.rasp.meaning.vector.elementwise import apply_columns, apply_function, choose
from capax.rasp.meaning.vector.means import Weights, float_weights, integer_weights, means
from capax.rasp.meaning.vector.selection import SelectionIndex, Selections
from capax.rasp.meaning.vector.triples import PairSelection

LONGEST_MATRIX = 5_000
"""Selectors on longer words are not laid out as matrices."""

LONGEST_TRIPLES = 250
"""Selectors over triples on longer words are not laid out."""

Outcome = ProgramValue | CapaxError


def evaluate(node: Node, word: Iterable[Any]) -> ProgramValue:
    """The value of a node on one word; an error is raised."""
    (outcome,) = evaluate_batch(node, [word])
    if isinstance(outcome, CapaxError):
        raise outcome
    return outcome


def evaluate_batch(node: Node, words: Iterable[Iterable[Any]]) -> list[Outcome]:
    """The value of a node on each word, or the word's error in its place."""
    run = FastRun(words)
    run.run([node])
    return run.outcomes(node)


class FastEvaluation:
    """The values of nodes on one word, each computed once and kept."""

    def __init__(self, word: Iterable[Any]) -> None:
        self._word = word
        self.tokens = read_word(word)
        self._run: FastRun | None = None

    def value(self, root: Node) -> ProgramValue:
        """The value of a node on the word."""
        run = self._run or FastRun([self._word])
        run.run([root], keep=True)
        (outcome,) = run.outcomes(root)
        # A failure empties the batch, so what comes after it starts anew.
        self._run = None if isinstance(outcome, CapaxError) else run
        if isinstance(outcome, CapaxError):
            raise outcome
        return outcome


class FastRun:
    """The evaluation of nodes on a batch."""

    def __init__(self, words: Iterable[Iterable[Any]]) -> None:
        self.batch, self.errors = make_batch(words)
        self.total = self.batch.count + len(self.errors)
        self.vocabulary = StringTable()
        self.columns: dict[Node, Column] = {}
        self.selections = Selections(self.batch, self.columns.__getitem__)

    def run(self, roots: list[Node], *, keep: bool = False) -> None:
        """Evaluates the roots; unless they are to be kept, columns that nothing needs any more are dropped."""
        order = [node for node in topological(*roots) if node not in self.columns]
        needed = Counter(operand for node in order for operand in _column_operands(node))
        needed.update(c for root in roots for c in _root_columns(root))
        for node in order:
            if not self.batch.count:
                return
            if isinstance(node, SOpNode):
                self._sop(node)
            elif isinstance(node, Select):
                self._check_order(node)
            elif isinstance(node, SumSelect):
                self._check_integers(node)
            if isinstance(node, SOpNode) and not keep:
                for operand in _column_operands(node):
                    needed[operand] -= 1
                    if not needed[operand]:
                        self.columns.pop(operand, None)

    def outcomes(self, root: Node) -> list[Outcome]:
        """The value of a root on each word, in the order the words were given, or its error."""
        outcomes: list[Outcome] = [self.errors.get(i, None) for i in range(self.total)]  # type: ignore[misc]
        offsets = self.batch.offsets.tolist()
        for w, number in enumerate(self.batch.ids):
            start, stop = offsets[w], offsets[w + 1]
            if isinstance(root, SelectorNode):
                if stop - start > LONGEST_MATRIX:
                    outcomes[number] = _matrix_too_large(stop - start)
                    continue
                rows = slice(start, stop)
                outcomes[number] = Matrix(self.selections.block(root, rows, rows).tolist())
            elif isinstance(root, TripleNode):
                outcomes[number] = self._triples(root, slice(start, stop))
            else:
                values = self.columns[root].values(start, stop)
                outcomes[number] = Sequence(values, self._type_of(self.columns[root], values))
        return outcomes

    def _type_of(self, column: Column, values: list[Any]) -> str | None:
        return {"int": "ints", "bool": "bools", "str": "strings", "float": "floats"}.get(column.kind)

    # nodes

    def _sop(self, node: SOpNode) -> None:
        column, failed = self._compute(node)
        self.columns[node] = column
        if failed is not None and failed.any():
            self._fail(node, failed, lambda w, i: self._scalar(node, w, i))
        self._check_types(node)

    def _compute(self, node: SOpNode) -> tuple[Column, Bools | None]:
        match node:
            case Input():
                return self._input(node.kind)
            case Indices():
                return Column("int", self.batch.position, self.vocabulary), None
            case Const():
                return constant(node.value, self.batch.size, self.vocabulary), None
            case Map():
                return apply_columns(node.op, [self.columns[a] for a in node.args])
            case Table():
                return self._table(node)
            case Width():
                return Column("int", self.selections.index(node.selector).counts(), self.vocabulary), None
            case PairWidth():
                return Column("int", self._pairs(node.triples).counts(), self.vocabulary), None
            case Aggregate() | PairAggregate():
                return self._aggregate(node)
            case _:
                raise AssertionError(node)

    def _table(self, node: Table) -> tuple[Column, Bools | None]:
        entries = dict(node.entries)
        column, bad = apply_function(lambda v: look_up(node.kind, entries, v), self.columns[node.arg])
        if node.kind != "positions":
            return column, bad
        other = np.repeat(self.batch.lengths != len(entries), self.batch.lengths)
        return column, other if bad is None else bad | other

    def _input(self, kind: str) -> tuple[Column, Bools | None]:
        if all(isinstance(word, str) for word in self.batch.words):
            text = "".join(self.batch.words)  # type: ignore[arg-type]
            points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
            used, inverse = np.unique(points, return_inverse=True)
            letters = self.vocabulary.codes(map(chr, used.tolist()))
            column = Column("str", letters[inverse.reshape(-1)], self.vocabulary)
            if kind in ("asis", "str"):
                return column, None
        else:
            column = from_values([t for word in self.batch.words for t in word], self.vocabulary)
        return apply_function(lambda token: read_token(kind, token, 0), column)

    def _check_order(self, node: Select) -> None:
        """Refuses words in which a key and a query have no order."""
        key, query = self.columns[node.key], self.columns[node.query]
        if node.op in ("==", "!=") or (key.numeric and query.numeric) or key.kind == query.kind == "str":
            return
        starts = self.batch.offsets[:-1]
        failed = np.zeros(self.batch.size, dtype=np.bool_)
        for at in starts.tolist():
            failed[at] = isinstance(key.value(at), str) != isinstance(query.value(at), str)
        if failed.any():
            self._fail(node, failed, lambda w, i: self._order_error(node, w))

    def _order_error(self, node: Select, w: int) -> None:
        at = int(self.batch.offsets[w])
        at_position(0, apply_op, node.op, self.columns[node.key].value(at), self.columns[node.query].value(at))

    def _check_integers(self, node: SumSelect) -> None:
        """Refuses words in which a sum would not be one of integers."""
        failed = np.zeros(self.batch.size, dtype=np.bool_)
        for column in (self.columns[o] for o in (node.key1, node.key2, node.query)):
            if column.kind != "int":
                failed |= np.fromiter((type(v) is not int for v in column.values()), np.bool_, self.batch.size)
        if failed.any():
            self._fail(node, failed, lambda w, i: self._sum_error(node, w))

    def _sum_error(self, node: SumSelect, w: int) -> None:
        for operand in (node.key1, node.key2, node.query):
            summed(Sequence(self._word_values(operand, w)))

    def _pairs(self, triples: TripleNode) -> PairSelection:
        return PairSelection(self.selections, self.columns.__getitem__, triples)

    def _triples(self, root: TripleNode, word: slice) -> Triples | CapaxError:
        n = word.stop - word.start
        if n > LONGEST_TRIPLES:
            what = f"a selector on {n:,} tokens has {n**3:,} triples; they are shown up to {LONGEST_TRIPLES:,} tokens"
            return CapaxError("too-large", what, hint="apply aggregate or selector_width to it")
        return Triples(self._pairs(root).cube(word, word, word).tolist())

    # aggregates

    def _aggregate(self, node: Aggregate | PairAggregate) -> tuple[Column, Bools | None]:
        index = self._index(node)
        counts = index.counts()
        value = self.columns[node.value]
        result = constant(node.default, self.batch.size, self.vocabulary)
        one, many = counts == 1, counts > 1
        if one.any():
            positions = index.sums(np.arange(self.batch.size, dtype=np.int64))
            result = choose(one, value.take(np.where(one, positions, 0)), result)
        if not many.any():
            return result, None
        number, whole = self._number_words(value)
        failed = many & ~number[self.batch.word]
        averages, overflow = self._means(node, index, counts, many & ~failed, whole)
        return choose(many, Column("float", averages, self.vocabulary), result), failed | (many & overflow)

    def _index(self, node: Aggregate | PairAggregate) -> SelectionIndex:
        return self.selections.index(node.selector) if isinstance(node, Aggregate) else self._pairs(node.triples)

    def _number_words(self, value: Column) -> tuple[Bools, Bools]:
        """For each word whether its values are numbers that can be averaged, and whether all are integers."""
        words = self.batch.count
        if value.kind in ("str", "bool"):
            return np.zeros(words, dtype=np.bool_), np.zeros(words, dtype=np.bool_)
        if value.kind in ("int", "float"):
            return np.ones(words, dtype=np.bool_), np.full(words, value.kind == "int")
        if value.tags is not None:
            floats = self.batch.any_in_word(value.tags == FLOAT)
            return self.batch.any_in_word(value.tags != BOOL), ~floats
        offsets = self.batch.offsets.tolist()
        types = [sequence_type(value.values(a, b)) for a, b in itertools.pairwise(offsets)]
        return np.array([t in ("ints", "floats") for t in types]), np.array([t == "ints" for t in types])

    def _means(
        self, node: Aggregate | PairAggregate, index: SelectionIndex, counts: Ints, needed: Bools, whole: Bools
    ) -> tuple[Any, Bools]:
        value = self.columns[node.value]
        weights = self._weights(value)
        if weights is None:
            return self._slow_means(node, needed)
        total = index.sums(weights.values)
        return means(total, np.where(needed, counts, 0), weights.exponent, whole[self.batch.word])

    def _weights(self, value: Column) -> Weights | None:
        if value.kind == "int" or (value.kind == "object" and all(isinstance(v, int) for v in value.data)):
            return integer_weights(value)
        if value.kind in ("float", "mixed") and np.isfinite(value.data).all():
            return float_weights(value.data)
        return None

    def _slow_means(self, node: Aggregate | PairAggregate, needed: Bools) -> tuple[Any, Bools]:
        """Means by the definition, for values that arrays cannot hold."""
        averages, failed = np.zeros(self.batch.size), np.zeros(self.batch.size, dtype=np.bool_)
        for flat in np.flatnonzero(needed).tolist():
            w = int(self.batch.word[flat])
            try:
                averages[flat] = mean(*self._picked(node, w, flat))
            except CapaxError:
                failed[flat] = True
        return averages, failed

    def _picked(self, node: Aggregate | PairAggregate, w: int, flat: int) -> tuple[list[Any], Sequence]:
        """The selected values of a query, and all values of its word."""
        start, stop = int(self.batch.offsets[w]), int(self.batch.offsets[w + 1])
        if isinstance(node, Aggregate):
            row = self.selections.block(node.selector, slice(flat, flat + 1), slice(start, stop))[0].astype(np.int64)
        else:
            row = self._pairs(node.triples).row(flat, start, stop)
        values = self.columns[node.value].values(start, stop)
        return [v for v, times in zip(values, row.tolist(), strict=True) for _ in range(times)], Sequence(values)

    # errors

    def _scalar(self, node: SOpNode, w: int, i: int) -> Any:
        """Computes one value by the definition, to raise its error."""
        flat = int(self.batch.offsets[w]) + i
        match node:
            case Input():
                return read_token(node.kind, self.batch.words[w][i], i)
            case Map():
                return at_position(i, apply_op, node.op, *(self.columns[a].value(flat) for a in node.args))
            case Table():
                check_length(node, len(self.batch.words[w]))
                return at_position(i, look_up, node.kind, dict(node.entries), self.columns[node.arg].value(flat))
            case Aggregate() | PairAggregate():
                return at_position(i, mean, *self._picked(node, w, flat))
            case _:
                raise AssertionError(node)

    def _check_types(self, node: SOpNode) -> None:
        column = self.columns[node]
        if column.kind in ("float", "mixed"):
            bad = np.isnan(column.data)
            if bad.any():
                self._fail(node, bad, lambda w, i: sequence_type(self._word_values(node, w)))
        elif column.kind == "object":
            offsets = self.batch.offsets.tolist()
            flags = np.zeros(self.batch.size, dtype=np.bool_)
            for start, stop in itertools.pairwise(offsets):
                try:
                    sequence_type(column.values(start, stop))
                except CapaxError:
                    flags[start] = True
            if flags.any():
                self._fail(node, flags, lambda w, i: sequence_type(self._word_values(node, w)))

    def _word_values(self, node: SOpNode, w: int) -> list[Any]:
        return self.columns[node].values(int(self.batch.offsets[w]), int(self.batch.offsets[w + 1]))

    def _fail(self, node: Node, failed: Bools, raise_it: Callable[[int, int], Any]) -> None:
        """Takes the words with a failure out of the batch, each with the error of its first failing position."""
        dead = self.batch.any_in_word(failed)
        for w in np.flatnonzero(dead).tolist():
            start, stop = int(self.batch.offsets[w]), int(self.batch.offsets[w + 1])
            first = int(np.argmax(failed[start:stop]))
            try:
                raise_it(w, first)
            except CapaxError as error:
                self.errors[self.batch.ids[w]] = locate(error, node)
            else:
                raise AssertionError(f"{node} failed on arrays only")
        self.batch, keep = self.batch.only(~dead)
        self.columns = {n: c.take(keep) for n, c in self.columns.items()}
        self.selections = Selections(self.batch, self.columns.__getitem__)


def _matrix_too_large(n: int) -> CapaxError:
    return CapaxError(
        "too-large",
        f"a selector on {n:,} tokens has {n * n:,} pairs; matrices are shown up to {LONGEST_MATRIX:,} tokens",
        hint="apply aggregate or selector_width to it",
    )


def _root_columns(root: Node) -> list[Node]:
    """The columns that the value of a root is read from."""
    if isinstance(root, TripleNode):
        return list(triple_reads(root))
    return _selector_columns(root) if isinstance(root, SelectorNode) else [root]


def _column_operands(node: Node) -> list[Node]:
    """The columns that a node reads, those of its selectors included."""
    if isinstance(node, (PairAggregate, PairWidth)):
        read: list[Node] = list(triple_reads(node.triples))
        return [*read, node.value] if isinstance(node, PairAggregate) else read
    if not isinstance(node, (Aggregate, Width)):
        return [o for o in node.operands if isinstance(o, SOpNode)] if isinstance(node, SOpNode) else []
    below = _selector_columns(node.selector)
    return [*below, node.value] if isinstance(node, Aggregate) else below


def _selector_columns(selector: SelectorNode) -> list[Node]:
    inside = postorder([selector], lambda n: [o for o in n.operands if isinstance(o, SelectorNode)])
    return [o for s in inside for o in s.operands if isinstance(o, SOpNode)]
