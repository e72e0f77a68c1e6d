"""The same meaning as `reference.py`, on whole batches of words with arrays.

Words lie end to end in columns; a selector is never laid out as a matrix where grouping, sorting or
shifting gives the counts and sums. Values, types and errors are those of the definition, to the last
bit. A word that fails leaves the batch with its error, and the others go on.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, State
from capax.rasp.ir.nodes import (
    Aggregate,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Padded,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.pad_node import padded
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, SumSelect, TripleNode
from capax.rasp.ir.types import sequence_type
from capax.rasp.meaning.aggregates import Aggregates
from capax.rasp.meaning.reference import (
    at_position,
    check_length,
    locate,
    look_up,
    mean,
    read_token,
    read_word,
    state_outside,
    summed,
    without_pads,
)
from capax.rasp.meaning.sequence import Matrix, ProgramValue, Sequence, Triples
from capax.rasp.meaning.vector.batch import WordBatch, make_batch
from capax.rasp.meaning.vector.column import Column, constant, from_values
from capax.rasp.meaning.vector.distinct import Bools, repeated
from capax.rasp.meaning.vector.elementwise import apply_columns, apply_function
from capax.rasp.meaning.vector.memo import Result
from capax.rasp.meaning.vector.rounds import depends_on_states, failed_words, needed_after, run_loop
from capax.rasp.meaning.vector.selection import Selections
from capax.rasp.meaning.vector.steps import Step, evaluation_steps
from capax.rasp.meaning.vector.store import ColumnStore
from capax.rasp.meaning.vector.strings import StringTable
from capax.rasp.meaning.vector.triples import PairSelection

_TYPES = {"int": "ints", "bool": "bools", "str": "strings", "float": "floats"}

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
    if isinstance(node, Padded):
        return _with_pads(node, words)
    run = FastRun(words)
    run.run([node])
    return run.outcomes(node)


def _with_pads(node: Padded, words: Iterable[Iterable[Any]]) -> list[Outcome]:
    """The value of a program with pads on each word."""
    outcomes: list[Outcome] = []
    longer: list[list[Any]] = []
    sizes: list[int | None] = []
    for word in words:
        try:
            tokens = read_word(word)
            longer.append(padded(node, tokens))
            sizes.append(len(tokens))
        except CapaxError as error:
            outcomes.append(error)
            sizes.append(None)
    errors, values = iter(outcomes), iter(evaluate_batch(node.value, longer))
    return [next(errors) if size is None else _cut(next(values), size) for size in sizes]


def _cut(value: Outcome, size: int) -> Outcome:
    return value if isinstance(value, CapaxError) else without_pads(value, size)


class FastEvaluation:
    """The values of nodes on one word, each computed once and kept."""

    def __init__(self, word: Iterable[Any]) -> None:
        self._word = word
        self.tokens = read_word(word)
        self._run: FastRun | None = None

    def value(self, root: Node) -> ProgramValue:
        """The value of a node on the word."""
        if isinstance(root, Padded):
            return evaluate(root, self._word)
        run = self._run or FastRun([self._word])
        run.run([root], keep=True, lean=True)
        (outcome,) = run.outcomes(root)
        # A failure empties the batch, so what comes after it starts anew.
        self._run = None if isinstance(outcome, CapaxError) else run
        if isinstance(outcome, CapaxError):
            raise outcome
        return outcome


class FastRun:
    """The evaluation of nodes on a batch.

    A column has a value for each position; that of a uniform node has one for each word.
    """

    def __init__(self, words: Iterable[Iterable[Any]]) -> None:
        batch, self.errors = make_batch(words)
        self.total = batch.count + len(self.errors)
        self.vocabulary = StringTable()
        # The selections know the store and not the run: a cycle would hold the arrays until they are collected.
        self.store = ColumnStore(batch)
        self.aggregates = Aggregates(self.store, Selections(batch, self.store.kept, self.store.full))
        self._loops: list[LoopResult] = []

    @property
    def batch(self) -> WordBatch:
        """The words that have not failed."""
        return self.store.batch

    @property
    def selections(self) -> Selections:
        """What the queries of the batch select."""
        return self.aggregates.selections

    def select_anew(self) -> None:
        """Forgets what depends on the columns, or on the words of the batch."""
        self.aggregates.selections = self.selections.on(self.batch)

    def run(self, roots: list[Node], *, keep: bool = False, lean: bool = False) -> None:
        """Evaluates the roots; unless they are to be kept, columns that nothing needs any more are dropped.

        `lean`: of what is kept, columns that nothing needs at all are left out.
        """
        assert keep or len(roots) == 1
        whole = keep and not lean
        for root in roots:
            plan = evaluation_steps(root)
            self._loops = [step.node for step in plan.steps if isinstance(step.node, LoopResult)]
            self.store.uniform = plan.uniform | self.store.uniform if self.store.uniform else plan.uniform
            self.selections.learn(plan)
            for step in plan.steps:
                if not self.store.batch.count:
                    return
                if (step.read or whole) and step.node not in self.store.columns:
                    self._take(step)
                if not keep and step.unused:
                    for node in step.unused:
                        self.store.columns.pop(node, None)

    def _take(self, step: Step) -> None:
        node = step.node
        compute = _COLUMNS.get(type(node))
        if compute is not None:
            assert isinstance(node, SOpNode)
            self._sop(node, *compute(self, step))
            return
        match node:
            case LoopResult():
                self._repeat(node)
            case Select():
                self._check_order(node)
            case SumSelect():
                self._check_integers(node)
            case State():
                raise state_outside(node)
            case _:
                raise AssertionError(node)

    def outcomes(self, root: Node) -> list[Outcome]:
        """The value of a root on each word, in the order the words were given, or its error."""
        outcomes: list[Outcome] = [self.errors.get(i, None) for i in range(self.total)]  # type: ignore[misc]
        offsets = self.batch.offsets.tolist()
        for number, outcome in zip(self.batch.ids, self._values(root, offsets), strict=True):
            outcomes[number] = outcome
        return outcomes

    def _values(self, root: Node, offsets: list[int]) -> Iterator[Outcome]:
        """The value of a root on each word of the batch."""
        if not self.batch.count:
            return
        if isinstance(root, SOpNode):
            column = self.store.columns[root]
            type_name = _TYPES.get(column.kind)
            values = column.values()
            if self.batch.count == 1 and root not in self.store.uniform:
                yield Sequence(values, type_name)
                return
            for w, (start, stop) in enumerate(itertools.pairwise(offsets)):
                part = [values[w]] * (stop - start) if root in self.store.uniform else values[start:stop]
                yield Sequence(part, type_name)
            return
        for start, stop in itertools.pairwise(offsets):
            rows = slice(start, stop)
            if isinstance(root, TripleNode):
                yield self._triples(root, rows)
            elif stop - start > LONGEST_MATRIX:
                yield _matrix_too_large(stop - start)
            else:
                assert isinstance(root, SelectorNode)
                yield Matrix(self.selections.block(root, rows, rows).tolist())

    # nodes

    def _sop(self, node: SOpNode, column: Column, failed: Bools | None) -> None:
        """Keeps a column, without the words that failed."""
        self.store.columns[node] = column
        if failed is not None and failed.any():
            self._fail(node, failed, lambda w, i: self._scalar(node, w, i))
        if column.bound is None and column.kind in ("float", "mixed", "object"):
            self._check_types(node)

    def _map(self, step: Step) -> Result:
        """An operation; with several words, an operand that is uniform is spread unless all are."""
        assert step.op is not None
        if self.store.batch.count == 1 or step.uniform:
            columns = self.store.columns
            return apply_columns(step.op, [columns[arg] for arg in step.args], step.memo)
        return apply_columns(step.op, [self.store.full(arg) for arg in step.args], step.memo)

    def _indices(self, step: Step) -> Result:
        batch = self.store.batch
        return Column("int", batch.position, self.vocabulary, None, batch.size), None

    def _width(self, step: Step) -> Result:
        assert isinstance(step.node, Width)
        counts = self.selections.index(step.node.selector).counts()
        return Column("int", counts, self.vocabulary, None, self.batch.size), None

    def _pair_width(self, step: Step) -> Result:
        assert isinstance(step.node, PairWidth)
        return Column("int", self._pairs(step.node.triples).counts(), self.vocabulary), None

    def _aggregate(self, step: Step) -> Result:
        assert isinstance(step.node, (Aggregate, PairAggregate))
        return self.aggregates.values(step.node)

    def _constant(self, step: Step) -> Result:
        kept, count = step.constant, self.store.batch.count
        if kept is None:
            assert isinstance(step.node, Const)
            return constant(step.node.value, count, self.vocabulary), None
        data = kept.data if count == 1 else repeated(kept.data, count)
        return Column(kept.kind, data, self.vocabulary, None, kept.bound), None

    def _repeat(self, node: LoopResult) -> None:
        """The columns of all states of a loop that the program reads after it."""
        loop = LoopParts.of(node)
        wanted = {n.number: n for n in self._loops if LoopParts.of(n) == loop} | {node.number: node}
        result = run_loop(loop, list(wanted), self.batch, self.store.word_values, rounds_on)
        for number, each in wanted.items():
            self.store.columns[each] = from_values(result.values[number], self.vocabulary)

        def fail(w: int, i: int) -> None:
            raise result.errors[w]

        if result.errors:
            self._fail(node, failed_words(self.batch, result.errors), fail)

    def _table(self, step: Step) -> Result:
        node = step.node
        assert isinstance(node, Table)
        assert step.lookup is not None
        column, bad = step.lookup.at(self.store.columns[node.arg])
        if node.kind != "positions":
            return column, bad
        other = np.repeat(self.batch.lengths != len(node.entries), self.batch.lengths)
        return column, other if bad is None else bad | other

    def _input(self, step: Step) -> Result:
        assert isinstance(step.node, Input)
        kind = step.node.kind
        if all(isinstance(word, str) for word in self.batch.words):
            text = "".join(self.batch.words)  # type: ignore[arg-type]
            column = Column("str", self.vocabulary.codes(text), self.vocabulary)
        else:
            words = self.batch.words
            column = from_values(words[0] if len(words) == 1 else [t for w in words for t in w], self.vocabulary)
        if kind in ("asis", column.kind):
            return column, None  # tokens of the kind already
        return apply_function(lambda token: read_token(kind, token, 0), column)

    def _check_order(self, node: Select) -> None:
        """Refuses words in which a key and a query have no order."""
        key, query = self.store.columns[node.key], self.store.columns[node.query]
        if (key.numeric and query.numeric) or key.kind == query.kind == "str":
            return
        failed = np.zeros(self.batch.size, dtype=np.bool_)
        for w, start in enumerate(self.batch.offsets[:-1].tolist()):
            failed[start] = isinstance(self.store.value(node.key, w), str) != isinstance(
                self.store.value(node.query, w), str
            )
        if failed.any():
            self._fail(node, failed, lambda w, i: self._order_error(node, w))

    def _order_error(self, node: Select, w: int) -> None:
        at_position(0, apply_op, node.op, self.store.value(node.key, w), self.store.value(node.query, w))

    def _check_integers(self, node: SumSelect) -> None:
        """Refuses words in which a sum would not be one of integers."""
        failed = np.zeros(self.batch.size, dtype=np.bool_)
        for column in (self.store.full(o) for o in (node.key1, node.key2, node.query)):
            if column.kind != "int":
                failed |= np.fromiter((type(v) is not int for v in column.values()), np.bool_, self.batch.size)
        if failed.any():
            self._fail(node, failed, lambda w, i: self._sum_error(node, w))

    def _sum_error(self, node: SumSelect, w: int) -> None:
        for operand in (node.key1, node.key2, node.query):
            summed(Sequence(self.store.word_values(operand, w)))

    def _pairs(self, triples: TripleNode) -> PairSelection:
        return PairSelection(self.selections, self.store.full, triples)

    def _triples(self, root: TripleNode, word: slice) -> Triples | CapaxError:
        n = word.stop - word.start
        if n > LONGEST_TRIPLES:
            what = f"a selector on {n:,} tokens has {n**3:,} triples; they are shown up to {LONGEST_TRIPLES:,} tokens"
            return CapaxError("too-large", what, hint="apply aggregate or selector_width to it")
        return Triples(self._pairs(root).cube(word, word, word).tolist())

    # errors

    def _scalar(self, node: SOpNode, w: int, i: int) -> Any:
        """Computes one value by the definition, to raise its error."""
        match node:
            case Input():
                return read_token(node.kind, self.batch.words[w][i], i)
            case Map():
                return at_position(i, apply_op, node.op, *(self.store.value(a, w, i) for a in node.args))
            case Table():
                check_length(node, len(self.batch.words[w]))
                return at_position(i, look_up, node.kind, dict(node.entries), self.store.value(node.arg, w, i))
            case Aggregate() | PairAggregate():
                return at_position(i, mean, *self.aggregates.picked(node, w, i))
            case _:
                raise AssertionError(node)

    def _check_types(self, node: SOpNode) -> None:
        column = self.store.columns[node]
        if column.kind in ("float", "mixed"):
            bad = np.isnan(column.data)
            if bad.any():
                self._fail(node, bad, lambda w, i: sequence_type(self.store.word_values(node, w)))
        elif column.kind == "object":
            flags = np.zeros(len(column), dtype=np.bool_)
            for w, start in enumerate(self.batch.offsets[:-1].tolist()):
                try:
                    sequence_type(self.store.word_values(node, w))
                except CapaxError:
                    flags[w if node in self.store.uniform else start] = True
            if flags.any():
                self._fail(node, flags, lambda w, i: sequence_type(self.store.word_values(node, w)))

    def _fail(self, node: Node, failed: Bools, raise_it: Callable[[int, int], Any]) -> None:
        """Takes the words with a failure out of the batch, each with the error of its first failing position.

        There is a flag for each position, or for a uniform s-op one for each word.
        """
        of_word = isinstance(node, SOpNode) and node in self.store.uniform
        dead = failed if of_word else self.batch.any_in_word(failed)
        for w in np.flatnonzero(dead).tolist():
            start, stop = int(self.batch.offsets[w]), int(self.batch.offsets[w + 1])
            first = 0 if of_word else int(np.argmax(failed[start:stop]))
            try:
                raise_it(w, first)
            except CapaxError as error:
                self.errors[self.batch.ids[w]] = locate(error, node)
            else:
                raise AssertionError(f"{node} failed on arrays only")
        self.store.drop(dead)
        self.select_anew()


_COLUMNS: dict[type[Node], Callable[[FastRun, Step], Result]] = {
    Map: FastRun._map,
    Const: FastRun._constant,
    Input: FastRun._input,
    Indices: FastRun._indices,
    Table: FastRun._table,
    Width: FastRun._width,
    PairWidth: FastRun._pair_width,
    Aggregate: FastRun._aggregate,
    PairAggregate: FastRun._aggregate,
}
"""How the column of a node is computed."""


def rounds_on(
    loop: LoopParts, wanted: list[int], rounds: int, words: list[Any], starts: list[list[list[Any]]]
) -> tuple[dict[int, list[list[Any]]], dict[int, Exception]]:
    """The values of some states after some rounds on each word, and the errors of the words that fail.

    `starts` has for each state its values on each word. A word that failed has no values.
    """
    run, changing = FastRun(words), depends_on_states(loop)
    current: dict[int, Column] = {
        i: from_values([v for values in each for v in values], run.vocabulary) for i, each in enumerate(starts)
    }
    for needed in needed_after(loop, wanted, rounds):
        run.select_anew()
        run.store.columns = {n: c for n, c in run.store.columns.items() if n not in changing}
        run.store.columns |= {loop.states[i]: column for i, column in current.items()}
        run.run([loop.nexts[i] for i in sorted(needed)], keep=True)
        if not run.batch.count:
            break
        current = {i: run.store.full(loop.nexts[i]) for i in needed}
    offsets = run.batch.offsets.tolist()
    final: dict[int, list[list[Any]]] = {i: [[] for _ in words] for i in wanted}
    for i in wanted if run.batch.count else ():
        values = current[i].values()
        for number, (start, stop) in zip(run.batch.ids, itertools.pairwise(offsets), strict=True):
            final[i][number] = values[start:stop]
    return final, run.errors


def _matrix_too_large(n: int) -> CapaxError:
    return CapaxError(
        "too-large",
        f"a selector on {n:,} tokens has {n * n:,} pairs; matrices are shown up to {LONGEST_MATRIX:,} tokens",
        hint="apply aggregate or selector_width to it",
    )
