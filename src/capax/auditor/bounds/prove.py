"""All words of one length, proved or refuted: every answer position, letter there and state of the specification."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.auditor.bounds.attention_errors import QueryErrors, query_errors
from capax.auditor.bounds.class_bound import Demands
from capax.auditor.bounds.cut import Findings, RoundingFunction, Search, roots
from capax.auditor.bounds.rounding import class_rounding
from capax.auditor.bounds.splits import Splitter
from capax.auditor.bounds.table_errors import table_errors
from capax.auditor.bounds.tables import AnswerQuery, Tables
from capax.auditor.question import Question
from capax.auditor.spec import NOWHERE, SpecStates, Word
from capax.model.model import Model
from capax.model.numbers import FLOATS
from capax.model.parts import Array, Mlp, RotaryHead, TensorHead


@dataclass(frozen=True, slots=True)
class LengthBound:
    """What bounds say about all words of one length.

    `bound` is at most the margin of every word: the least, over the classes of words, of a bound on the class less its
    rounding, where that was computed. Proved means that it was for every class, and that `bound` is above 1e-9: then it
    holds in the model's number system, too. `rounding` is that of the class where the least is taken. `margin` is the
    least that was seen, at `word` and answer position `position`; `failing` are words with a margin of 0 or less and
    their positions, candidates for counterexamples. `nodes` is the number of classes looked at.
    """

    proved: bool
    bound: float
    rounding: float
    margin: float
    word: Word | None
    position: int | None
    failing: tuple[tuple[Word, int], ...]
    nodes: int
    words: int


def unsupported(question: Question) -> str | None:
    """What keeps bounds from being computed for a question, in words; None if nothing does."""
    if question.spec.states is None or question.spec.answers is None:
        return "a specification without states"
    return _unsupported_model(question.model)


def _unsupported_model(model: Model) -> str | None:
    """The first part of a model that bounds are not computed for; None if there is none."""
    if model.numbers not in ("float32", "float64"):
        return f"the number system {model.numbers:.60}"
    if model.loop is not None:
        return "a loop (bounds are for one attention layer)"
    layers = sum(bool(block.heads) for block in model.blocks)
    if layers > 1:
        return f"{layers} attention layers (bounds are for one)"
    if layers == 0:
        return "no attention layer (bounds are for one)"
    if any(
        mlp is not None and not isinstance(mlp, Mlp)
        for mlp in (model.input_mlp, *(block.mlp for block in model.blocks))
    ):
        return "an MLP that is an arbitrary function, or gated"
    for head in (head for block in model.blocks for head in block.heads):
        if isinstance(head, TensorHead):
            return "a third-order head"
        if isinstance(head, RotaryHead):
            return "a head with rotary positions"
        if head.attention != "softmax":
            return f"a head with {head.attention} attention"
    return None


def prove_length(
    question: Question,
    n: int,
    *,
    used: Callable[[], float],
    positions: Sequence[int] | None = None,
    slices_first: bool = False,
) -> LengthBound:
    """Proves or refutes all words of n letters; `used()` is the share of the time used, looked at between classes.

    `positions` restricts the answer positions, where the others are known: a causal model's answers at the positions
    of shorter words are the shorter words' answers. `slices_first` is the other order of cuts (`CutChoices`).
    """
    assert question.spec.states is not None
    states, demands, findings = question.spec.states(n), demands_of(question), Findings()
    tables = Tables(question, n)
    errors = table_errors(question, tables, FLOATS[question.model.numbers])
    for position in question.asked(n) if positions is None else positions:
        for letter in range(len(question.spec.letters)) if position < n else (None,):
            if findings.failing or used() >= 1:
                findings.give_up()
                break
            query = _shortened(tables.query(position, letter), min(position + 1, n))
            splitter = Splitter(query, states, min(position + 1, n))
            allowed = _goes_on(states, n - splitter.layer) if question.read == "each" else np.ones(states.size, bool)
            rounding = _rounding(query_errors(tables, errors, query))
            search = Search(splitter, demands, rounding, findings, used)
            search.slices_first = slices_first
            search.run(roots(splitter, allowed))
    return _result(question, n, states, findings)


def _rounding(errors: QueryErrors) -> RoundingFunction:
    return lambda evaluation, demands, which: class_rounding(evaluation, demands, which, errors)


def _shortened(query: AnswerQuery, layer: int) -> AnswerQuery:
    """The query with the letters after it left out, if it does not see them."""
    if any(head.weight[layer:].any() for head in query.heads):
        return query
    return replace(query, heads=tuple(head.first(layer) for head in query.heads))


def _goes_on(states: SpecStates, more: int) -> Array:
    """Which states (states,) some word of so many letters leads on from."""
    alive = np.ones(states.size, bool)
    for _ in range(more):
        alive = np.asarray(np.where(states.step != NOWHERE, alive[states.step], False).any(axis=1))
    return alive


def demands_of(question: Question) -> Demands:
    """The requirements of all answers, as many rows each: those that are left over are satisfied by anything."""
    parts = [question.decode.requirement(answer) for answer in question.spec.answers or ()]
    outputs = question.model.readout.map.outputs
    most = max((len(part.rows) for part in parts), default=0)
    rows, constants = np.zeros((len(parts), most, outputs)), np.full((len(parts), most), np.inf)
    for k, part in enumerate(parts):
        rows[k, : len(part.rows)], constants[k, : len(part.rows)] = part.rows, part.constants
    return Demands(rows, constants)


def _result(question: Question, n: int, states: SpecStates, findings: Findings) -> LengthBound:
    letters = question.spec.letters

    def whole(word: Array) -> Word:
        return tuple(letters[k] for k in _extended(states, word.tolist(), n))

    failing = tuple((whole(word), position) for position, word, _ in findings.failing)
    word = None if findings.word is None else whole(findings.word)
    return LengthBound(
        findings.proved and not failing,
        findings.bound - findings.rounding,
        findings.rounding,
        findings.margin,
        word,
        None if word is None else findings.position,
        failing,
        findings.nodes,
        states.count(n),
    )


def _extended(states: SpecStates, word: list[int], n: int) -> list[int]:
    """A word of n letters that begins with a word and that the specification is about."""
    state = states.after(word)
    for more in range(n - len(word) - 1, -1, -1):
        alive = _goes_on(states, more)
        nexts = states.step[state]
        letter = next(a for a, s in enumerate(nexts.tolist()) if s != NOWHERE and alive[s])
        word, state = [*word, letter], int(nexts[letter])
    return word
