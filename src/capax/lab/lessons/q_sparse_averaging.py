"""q-sparse averaging: each place names q places and asks for the mean of their vectors."""

from typing import Any

import numpy as np

from capax.lab.lessons.frame.lesson import NOTHING, Array, At, Batch, Lesson, Words
from capax.tasks.base.parameter import Parameter

Q = Parameter("q", 3, "how many places each place names", 1, 1_000)
DIMENSION = Parameter("dimension", 4, "the dimension d' of the vectors", 1, 1_000)


def _words(at: At, n: int) -> Words:
    """A vector, and a 1 for each place that is named, of n."""
    return Words((), tuple(range(at["dimension"])), features=at["dimension"] + n)


def _batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
    """Unit vectors in random directions, and q different places for each place (all of them if there are fewer)."""
    q = min(at["q"], n)
    z: Any = random.normal(size=(count, n, at["dimension"]))
    z /= np.linalg.norm(z, axis=2, keepdims=True)
    named = np.argsort(random.random((count, n, n)), axis=2)[:, :, :q]
    chosen = np.zeros((count, n, n))
    np.put_along_axis(chosen, named, 1.0, axis=2)
    targets = chosen @ z / q
    inputs = np.concatenate([z, chosen], axis=2)
    return Batch(inputs, np.full((count, n), NOTHING), targets)


def _pattern(batch: Batch, at: At) -> Array:
    """Equal weight on the places that are named."""
    chosen = batch.inputs[:, :, at["dimension"] :]
    return np.asarray(chosen / chosen.sum(axis=2, keepdims=True))


LESSON = Lesson(
    "q-sparse-averaging",
    "for each place, the mean of the vectors at the q places that it names",
    _words,
    _batch,
    (Q, DIMENSION),
    kind="vectors",
    pattern=_pattern,
)
