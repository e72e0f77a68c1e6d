"""The tokens of the word in order."""

import numpy as np

from capax.lab.lessons.frame.lesson import Array, At, Lesson, Look
from capax.lab.lessons.frame.letters import SYMBOLS, answered, to_letters

BEFORE = "(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <)))"


def _answer(inputs: Array, at: At) -> Array:
    return np.sort(inputs, axis=1)


def _looks(at: At, first: bool) -> tuple[Look, ...]:
    """The tokens that go before this one, and then the token whose rank is this place."""
    if first:
        # The begin-of-word token stands before all and is smaller than no letter's own rank.
        place = f"(0 if indices == 0 else 1 + selector_width({BEFORE} and select(indices, 0, >)))"
        before = f"(({BEFORE} and select(indices, 0, >)) or select(indices, 0, ==))"
        return (Look(1, 1, before, "goes before"), Look(2, 1, f"select({place}, indices, ==)", "grab"))
    rank = f"selector_width({BEFORE})"
    return (Look(1, 1, BEFORE, "goes before"), Look(2, 1, f"select({rank}, indices, ==)", "grab"))


LESSON = Lesson(
    "sort",
    "the tokens of the word in order",
    to_letters,
    answered(_answer),
    (SYMBOLS,),
    looks=_looks,
    values=lambda at, first: {} if first else {"rank": f"selector_width({BEFORE})"},
    program=lambda at, first: None if first else f"aggregate(select(selector_width({BEFORE}), indices, ==), tokens)",
)
