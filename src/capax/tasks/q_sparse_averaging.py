"""q-sparse averaging: each place names q places and asks for the mean of their vectors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task

Place = tuple[tuple[float, ...], tuple[int, ...]]
"""What stands at a place: a vector of the unit ball, and q different places, counted from 0 and in order."""


def reference(word: Sequence[Place], q: int, dimension: int) -> list[tuple[float, ...]]:
    """The mean of the vectors at the places that each place names."""
    return [tuple(sum(word[j][0][c] for j in named) / q for c in range(dimension)) for _, named in word]


def sample(random: np.random.Generator, n: int, q: int, dimension: int) -> list[Place]:
    """A random word of n places (at least q); every second vector is a unit vector along an axis, as the worst are."""
    return [(_vector(random, dimension), _places(random, n, q)) for _ in range(n)]


def _vector(random: np.random.Generator, dimension: int) -> tuple[float, ...]:
    if random.random() < 0.5:
        axis, sign = int(random.integers(dimension)), float(random.choice([-1, 1]))
        return tuple(sign * (c == axis) for c in range(dimension))
    direction = random.normal(size=dimension)
    found: Any = direction / np.linalg.norm(direction) * random.random() ** (1 / dimension)
    return tuple(found.tolist())


def _places(random: np.random.Generator, n: int, q: int) -> tuple[int, ...]:
    return tuple(sorted(random.choice(n, min(q, n), replace=False).tolist()))


TASK = Task(
    name="q-sparse-averaging",
    what="for each place, the mean of the vectors at the q places that it names: one vector per place",
    domain="words of at least q places (z, y): z in the unit ball of R^d', y a set of q places counted from 0",
    reference=reference,
    sample=sample,
    parameters=(
        Parameter("q", 3, "how many places each place names", 1),
        Parameter("dimension", 1, "the dimension d' of the vectors", 1),
    ),
    citation="Sanford, Hsu and Telgarsky 2023, Representational Strengths and Limitations of Transformers",
)
