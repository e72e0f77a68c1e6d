"""The letters of lessons, and batches of words with an answer at every place."""

from collections.abc import Callable
from typing import Any

import numpy as np

from capax.lab.lessons.frame.lesson import Array, At, Batch, Words
from capax.tasks.base.parameter import Parameter
from capax.tasks.inputs.letters import SYMBOLS, letters

__all__ = ["MOST", "SYMBOLS", "answered", "letters", "to_counts", "to_letters"]

MOST = Parameter("most", 10, "counts above this are answered by it", 1, 1_000)


def to_letters(at: At, n: int) -> Words:
    """Letters to letters."""
    known = letters(at["symbols"])
    return Words(known, known)


def to_counts(at: At, n: int) -> Words:
    """Letters to counts from 1."""
    return Words(letters(at["symbols"]), tuple(range(1, at["most"] + 1)))


def answered(answer: Callable[[Array, At], Array]) -> Callable[..., Batch]:
    """The batch function of uniform words over letters whose answers (word, place) a function gives."""

    def batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
        inputs: Any = random.integers(0, at["symbols"], (count, n))
        return Batch(inputs, answer(inputs, at))

    return batch
