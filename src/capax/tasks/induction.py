"""Induction: the token that came after the last earlier occurrence of the one here."""

from typing import Any

import numpy as np

from capax.tasks.base.training import Array, AttentionTarget, ParameterValues, Training, TrainingBatch, Vocabularies
from capax.tasks.inputs.letters import SYMBOLS, letter_task, letters

NOTHING = ""
FOLLOWS = 'select(shift(tokens, 1, ""), tokens, ==) and select(indices, 0, >) and select(indices, indices, <=)'
PROGRAM = f'aggregate(best({FOLLOWS}, indices), tokens, "")'


def reference(word: list[str], symbols: int) -> list[str]:
    """At each position the token after the last earlier occurrence of this token, or "" if there is none."""
    answers, after = [], dict[str, str]()
    for k, token in enumerate(word):
        if k:
            after[word[k - 1]] = token
        answers.append(after.get(token, NOTHING))
    return answers


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    known = letters(at["symbols"])
    return Vocabularies(known, (*known, NOTHING))


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    """Words over a random number of the letters each, so that tokens recur."""
    symbols = at["symbols"]
    order: Any = random.permuted(np.tile(np.arange(symbols), (count, 1)), axis=1)
    few: Any = random.integers(1, symbols + 1, (count, 1))
    inputs = np.take_along_axis(order, random.integers(0, few, (count, n)), axis=1)
    return TrainingBatch(inputs, _answer(inputs, symbols))


def _answer(inputs: Array, symbols: int) -> Array:
    """The answers (word, position), by a table of what came last after each token."""
    count, n = inputs.shape
    rows = np.arange(count)
    after = np.full((count, symbols), symbols)
    answers = np.full((count, n), symbols)
    for k in range(n):
        if k:
            after[rows, inputs[:, k - 1]] = inputs[:, k]
        answers[:, k] = after[rows, inputs[:, k]]
    return answers


TASK = letter_task(
    "induction",
    "the token after the last earlier occurrence of the one at each position, or nothing",
    reference,
    Training(
        _vocabularies,
        _batch,
        (SYMBOLS,),
        attention_targets=lambda at, bos: (
            AttentionTarget(1, 1, "select(indices, indices - 1, ==)", "before"),
            AttentionTarget(2, 1, f"best({FOLLOWS}, indices)", "after previous"),
        ),
        program=lambda at, bos: None if bos else PROGRAM,
    ),
)
