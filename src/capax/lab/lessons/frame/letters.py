"""The letters of lessons, and batches of words with an answer at every place."""

from collections.abc import Callable
from typing import Any

import numpy as np

from capax.lab.lessons.frame.lesson import Array, At, Batch, Words
from capax.tasks.frame.parameter import Parameter

SYMBOLS = Parameter("symbols", 8, "the number of letters", 2, 1_000)
MOST = Parameter("most", 10, "counts above this are answered by it", 1, 1_000)


def letters(count: int) -> tuple[str, ...]:
    """So many letters: a, b, ..., z, A, ..., Z and then x52, x53, ..."""
    plain = [chr(ord("a") + k) for k in range(26)] + [chr(ord("A") + k) for k in range(26)]
    return tuple((plain + [f"x{k}" for k in range(52, count)])[:count])


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
