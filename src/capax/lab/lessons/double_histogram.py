"""How many different tokens stand in the word as often as the one at each place."""

import numpy as np

from capax.lab.lessons.frame.lesson import Array, At, Lesson, Look
from capax.lab.lessons.frame.letters import MOST, SYMBOLS, answered, to_counts
from capax.lab.lessons.histogram import SAME, SAME_OR_FIRST, counts

EARLIER = f"({SAME} and select(indices, indices, <))"
FIRST_ONES = f"select(not has_focus({EARLIER}), True, ==)"


def is_first(inputs: Array) -> Array:
    """Whether a token stands at this place for the first time (word, place)."""
    n = inputs.shape[1]
    earlier = np.tri(n, n, -1, dtype=bool)
    return np.asarray(~((inputs[:, :, None] == inputs[:, None, :]) & earlier).any(axis=2))


def _answer(inputs: Array, at: At) -> Array:
    found = counts(inputs)
    alike = (found[:, :, None] == found[:, None, :]) & is_first(inputs)[:, None, :]
    return np.asarray(np.minimum(alike.sum(axis=2), at["most"]) - 1)


def _looks(at: At, first: bool) -> tuple[Look, ...]:
    same = SAME_OR_FIRST if first else SAME
    count = f"selector_width({SAME})"
    alike = f"(select({count}, {count}, ==) and {FIRST_ONES})"
    second = f"({alike} or select(indices, 0, ==))" if first else alike
    return (Look(1, 1, same, "same token"), Look(1, 2, EARLIER, "same, earlier"), Look(2, 1, second, "same count"))


LESSON = Lesson(
    "double-histogram",
    "how many different tokens stand in the word as often as the one at each place",
    to_counts,
    answered(_answer),
    (SYMBOLS, MOST),
    looks=_looks,
    values=lambda at, first: {"count": f"selector_width({SAME})"},
)
