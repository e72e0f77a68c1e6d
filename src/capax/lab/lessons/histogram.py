"""How often the token at each place stands in the word."""

import numpy as np

from capax.lab.lessons.frame.lesson import Array, At, Lesson, Look
from capax.lab.lessons.frame.letters import MOST, SYMBOLS, answered, to_counts

SAME = "select(tokens, tokens, ==)"
SAME_OR_FIRST = f"({SAME} or select(indices, 0, ==))"


def counts(inputs: Array) -> Array:
    """How often each token stands in its word (word, place)."""
    return np.asarray((inputs[:, :, None] == inputs[:, None, :]).sum(axis=2))


def _answer(inputs: Array, at: At) -> Array:
    return np.asarray(np.minimum(counts(inputs), at["most"]) - 1)


LESSON = Lesson(
    "histogram",
    "how often the token at each place stands in the word",
    to_counts,
    answered(_answer),
    (SYMBOLS, MOST),
    looks=lambda at, first: (Look(1, 1, SAME_OR_FIRST if first else SAME, "same token"),),
    program=lambda at, first: None if first else f"selector_width({SAME})",
)
