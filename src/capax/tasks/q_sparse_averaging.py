"""q-sparse averaging: each position names q positions and asks for the mean of their vectors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import IGNORE, Array, ParameterValues, Training, TrainingBatch, Vocabularies

SparseToken = tuple[tuple[float, ...], tuple[int, ...]]
"""What stands at a position: a vector of the unit ball, and q different positions, counted from 0 and in order."""
Q = Parameter("q", 3, "how many positions each position names", 1, 1_000)
DIMENSION = Parameter("dimension", 4, "the dimension d' of the vectors", 1, 1_000)


def reference(word: Sequence[SparseToken], q: int, dimension: int) -> list[tuple[float, ...]]:
    """The mean of the vectors at the positions that each position names."""
    return [tuple(sum(word[j][0][c] for j in named) / q for c in range(dimension)) for _, named in word]


def sample(random: np.random.Generator, n: int, q: int, dimension: int) -> list[SparseToken]:
    """A random word of n positions (at least q); every second vector is a unit vector of an axis, as the worst are."""
    return [(_vector(random, dimension), _positions(random, n, q)) for _ in range(n)]


def _vector(random: np.random.Generator, dimension: int) -> tuple[float, ...]:
    if random.random() < 0.5:
        axis, sign = int(random.integers(dimension)), float(random.choice([-1, 1]))
        return tuple(sign * (c == axis) for c in range(dimension))
    direction = random.normal(size=dimension)
    vector: Any = direction / np.linalg.norm(direction) * random.random() ** (1 / dimension)
    return tuple(vector.tolist())


def _positions(random: np.random.Generator, n: int, q: int) -> tuple[int, ...]:
    return tuple(sorted(random.choice(n, min(q, n), replace=False).tolist()))


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    """A vector, and a 1 for each position that is named, of n."""
    return Vocabularies((), tuple(range(at["dimension"])), features=at["dimension"] + n)


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    """Unit vectors in random directions, and q different positions for each (all of them if there are fewer)."""
    q = min(at["q"], n)
    z: Any = random.normal(size=(count, n, at["dimension"]))
    z /= np.linalg.norm(z, axis=2, keepdims=True)
    named = np.argsort(random.random((count, n, n)), axis=2)[:, :, :q]
    chosen = np.zeros((count, n, n))
    np.put_along_axis(chosen, named, 1.0, axis=2)
    targets = chosen @ z / q
    inputs = np.concatenate([z, chosen], axis=2)
    return TrainingBatch(inputs, np.full((count, n), IGNORE), targets)


def _pattern(batch: TrainingBatch, at: ParameterValues) -> Array:
    """Equal weight on the positions that are named."""
    chosen = batch.inputs[:, :, at["dimension"] :]
    return np.asarray(chosen / chosen.sum(axis=2, keepdims=True))


TASK = Task(
    name="q-sparse-averaging",
    what="for each position, the mean of the vectors at the q positions that it names: one vector per position",
    domain="words of at least q positions (z, y): z in the unit ball of R^d', y a set of q positions counted from 0",
    reference=reference,
    sample=sample,
    parameters=(
        Parameter("q", 3, "how many positions each position names", 1),
        Parameter("dimension", 1, "the dimension d' of the vectors", 1),
    ),
    citation="Sanford, Hsu and Telgarsky 2023, Representational Strengths and Limitations of Transformers",
    training=Training(
        _vocabularies,
        _batch,
        (Q, DIMENSION),
        kind="vectors",
        pattern=_pattern,
    ),
)
