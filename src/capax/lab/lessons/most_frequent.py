"""The different tokens of the word, the most frequent first, then filling."""

import numpy as np

from capax.lab.lessons.double_histogram import EARLIER, FIRST_ONES, is_first
from capax.lab.lessons.frame.lesson import Array, At, Lesson, Look, Words
from capax.lab.lessons.frame.letters import SYMBOLS, answered, letters
from capax.lab.lessons.histogram import SAME, SAME_OR_FIRST, counts

FILLING = "§"


def _words(at: At, n: int) -> Words:
    known = letters(at["symbols"])
    return Words(known, (*known, FILLING))


def _answer(inputs: Array, at: At) -> Array:
    """By falling count, of equal ones the earlier first."""
    n = inputs.shape[1]
    weight = np.where(is_first(inputs), counts(inputs) * (n + 1) - np.arange(n), -1)
    order = np.argsort(-weight, axis=1, kind="stable")
    listed = np.take_along_axis(inputs, order, axis=1)
    there = np.take_along_axis(weight, order, axis=1) >= 0
    return np.where(there, listed, at["symbols"])


def _looks(at: At, first: bool) -> tuple[Look, ...]:
    count = f"selector_width({SAME})"
    more = f"select({count}, {count}, >)"
    equal = f"(select({count}, {count}, ==) and select(indices, indices, <))"
    before = f"(({more} or {equal}) and {FIRST_ONES})"
    if first:
        before = f"(({before} and select(indices, 0, >)) or select(indices, 0, ==))"
    slot = f"(selector_width({before}) if not has_focus({EARLIER}) else -1)"
    if first:
        slot = f"(0 if indices == 0 else {slot})"
    return (
        Look(1, 1, SAME_OR_FIRST if first else SAME, "same token"),
        Look(1, 2, EARLIER, "same, earlier"),
        Look(2, 1, before, "listed before"),
        Look(3, 1, f"select({slot}, indices, ==)", "grab"),
    )


LESSON = Lesson(
    "most-frequent",
    "the different tokens of the word, the most frequent first, then § to its end",
    _words,
    answered(_answer),
    (SYMBOLS,),
    looks=_looks,
    values=lambda at, first: {"count": f"selector_width({SAME})"},
)
