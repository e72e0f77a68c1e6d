"""The word from its end to its start."""

from capax.lab.lessons.frame.lesson import Array, At, Lesson, Look
from capax.lab.lessons.frame.letters import SYMBOLS, answered, to_letters


def _answer(inputs: Array, at: At) -> Array:
    return inputs[:, ::-1].copy()


def _looks(at: At, first: bool) -> tuple[Look, ...]:
    """After layer 1 has found the length: the opposite place. A begin-of-word token stays where it is."""
    flip = "select(indices, length - indices, ==)" if first else "select(indices, length - 1 - indices, ==)"
    return (Look(2, 1, flip, "flip"),)


LESSON = Lesson(
    "reverse",
    "the word from its end to its start",
    to_letters,
    answered(_answer),
    (SYMBOLS,),
    looks=_looks,
    values=lambda at, first: {"length": "length"},
    program=lambda at, first: None if first else "aggregate(select(indices, length - 1 - indices, ==), tokens)",
)
