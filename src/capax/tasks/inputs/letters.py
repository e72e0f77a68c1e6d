"""Tasks on words over letters: random words, all of them, and batches for training."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import Array, ParameterValues, Training, TrainingBatch, Vocabularies

SYMBOLS = Parameter("symbols", 8, "the number of letters", 2, 1_000)
MOST = Parameter("most", 10, "counts above this are answered by it", 1, 1_000)


def letters(count: int) -> tuple[str, ...]:
    """The first `count` letters: a, b, ..., z, A, ..., Z and then x52, x53, ..."""
    plain = [chr(ord("a") + k) for k in range(26)] + [chr(ord("A") + k) for k in range(26)]
    return tuple((plain + [f"x{k}" for k in range(52, count)])[:count])


def sample(random: Any, n: int, symbols: int) -> list[str]:
    """A word of n letters, each as likely as any other."""
    known = letters(symbols)
    return [known[int(k)] for k in random.integers(0, symbols, n)]


def every(n: int, symbols: int) -> Iterator[list[str]]:
    """All words of n letters."""
    return (list(word) for word in product(letters(symbols), repeat=n))


def to_letters(at: ParameterValues, n: int) -> Vocabularies:
    """Letters to letters."""
    known = letters(at["symbols"])
    return Vocabularies(known, known)


def to_counts(at: ParameterValues, n: int) -> Vocabularies:
    """Letters to counts from 1."""
    return Vocabularies(letters(at["symbols"]), tuple(range(1, at["most"] + 1)))


def uniform_batches(answer: Callable[[Array, ParameterValues], Array]) -> Callable[..., TrainingBatch]:
    """The batch function of uniform words over letters whose answers (word, position) a function computes."""

    def batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
        inputs: Any = random.integers(0, at["symbols"], (count, n))
        return TrainingBatch(inputs, answer(inputs, at))

    return batch


def letter_task(name: str, what: str, reference: Callable[..., Any], training: Training) -> Task:
    """A task on words over letters, one of those that the paper on RASP is about."""
    citation = "Weiss, Goldberg and Yahav (2021), Thinking like transformers"
    return Task(name, what, "words over letters", reference, sample, every, (SYMBOLS,), citation, training)
