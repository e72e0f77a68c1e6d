"""Histogram: how often the token at each position occurs in the word."""

import numpy as np

from capax.tasks.base.training import Array, AttentionTarget, ParameterValues, Training
from capax.tasks.inputs.letters import MOST, SYMBOLS, letter_task, to_counts, uniform_batches

SAME = "select(tokens, tokens, ==)"
SAME_OR_FIRST = f"({SAME} or select(indices, 0, ==))"


def reference(word: list[str], symbols: int) -> list[int]:
    """The number of positions that have the token of this one."""
    return [word.count(token) for token in word]


def counts(inputs: Array) -> Array:
    """How often each token occurs in its word (word, position)."""
    return np.asarray((inputs[:, :, None] == inputs[:, None, :]).sum(axis=2))


def _answer(inputs: Array, at: ParameterValues) -> Array:
    return np.asarray(np.minimum(counts(inputs), at["most"]) - 1)


TASK = letter_task(
    "histogram",
    "how often the token at each position occurs in the word",
    reference,
    Training(
        to_counts,
        uniform_batches(_answer),
        (SYMBOLS, MOST),
        attention_targets=lambda at, bos: (AttentionTarget(1, 1, SAME_OR_FIRST if bos else SAME, "same token"),),
        program=lambda at, bos: None if bos else f"selector_width({SAME})",
    ),
)
