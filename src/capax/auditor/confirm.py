"""A word looked at once more before a model is called wrong: in all its numbers, and by code that shares nothing."""

from collections.abc import Sequence

import numpy as np

from capax.auditor.decode import Decode
from capax.auditor.decode import same as same_answer
from capax.auditor.question import Question
from capax.auditor.replay import replay
from capax.auditor.spec import Answer
from capax.auditor.verdict import Counterexample
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array, OracleMap
from capax.model.run.reference import define
from capax.model.run.run import run_rows
from capax.model.vocabulary import Token

PAIR: tuple[str, ...] = ("float32", "float64")
"""The number systems in which an answer of a model of floats has to be wrong."""


def systems(model: Model) -> tuple[str, ...]:
    """The number systems in which an answer of a model has to be wrong: both floats, or the model's own."""
    return PAIR if model.numbers in PAIR else (model.numbers,)


def right_answers(question: Question, word: Sequence[Token]) -> list[Answer | None]:
    """The right answers at the positions of a word that are read, by the specification's own definition."""
    if len(word):
        return question.right([tuple(word)])[0]
    if question.spec.states is None or question.spec.answers is None or question.read != "end":
        return [None] * (question.read == "end")
    states = question.spec.states(0)
    number = int(states.answer[states.start])
    return [None if number < 0 else question.spec.answers[number]]


def answer_of(decode: Decode, logits: Array) -> Answer:
    """The answer that logits (outputs,) stand for; what is no number stands for itself."""
    if np.isnan(np.asarray(logits, np.float64)).any():
        return float("nan")
    return decode.decoded(np.asarray(logits)[None])[0]


def confirm(question: Question, word: Sequence[Token]) -> Counterexample | None:
    """The counterexample that a word is: the first position whose answer is wrong in every number system.

    The runtime's answers have to be wrong, and those of a replay that shares nothing with it. Where a model has an
    oracle map, which nothing else can compute, and in numbers other than float32 and float64, the definition of what
    models compute (`capax.model.run.reference`) takes the replay's part.
    """
    right = right_answers(question, word)
    tokens = question.tokens(word)
    models = {name: _in(question.model, name) for name in systems(question.model)}
    runs = {name: _run(model, tokens) for name, model in models.items() if model is not None}
    for position, expected in zip(question.asked(len(word)), right, strict=True):
        if expected is None:
            continue
        rows = {name: logits[position] for name, logits in runs.items()}
        if any(same_answer(answer_of(question.decode, row), expected) for row in rows.values()):
            continue
        again = {name: second_look(question.model, tokens, position, name) for name in rows}
        if any(same_answer(answer_of(question.decode, row), expected) for row in again.values()):
            continue
        own = rows.get(question.model.numbers, next(iter(rows.values())))
        margins = {name: margin_of(question.decode, row, expected) for name, row in rows.items()}
        return Counterexample(tuple(word), position, expected, answer_of(question.decode, own), margins)
    return None


def second_look(model: Model, tokens: Sequence[Token], position: int, numbers: str) -> Array:
    """The logits (outputs,) at a position in a number system, by code that shares nothing with the runtime."""
    maps = [model.input_mlp, *(block.mlp for block in model.blocks)]
    if numbers in PAIR and not any(isinstance(one, OracleMap) for one in maps):
        return np.array(replay(model, tokens, position, numbers))
    own = _in(model, numbers)
    assert own is not None, "the model has run in these numbers"
    return np.array(define(own, tokens)[position])


def margin_of(decode: Decode, logits: Array, expected: Answer) -> float:
    """The margin of a right answer; minus infinity where a logit is no number."""
    margin = decode.requirement(expected).margin(logits)
    return float("-inf") if np.isnan(margin) else margin


def _in(model: Model, numbers: str) -> Model | None:
    """The model in a number system; None where a weight is too large for it."""
    try:
        return model.to(numbers)
    except CapaxError:
        if numbers == model.numbers:
            raise
        return None


def _run(model: Model, tokens: Sequence[Token]) -> Array:
    """The logits (tokens, outputs) by the runtime."""
    return np.asarray(run_rows(model, np.array([model.read(tokens)]))[0, len(model.prefix) :])
