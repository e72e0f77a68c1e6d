"""The range of moduli that a number system carries: measured on a grid, with words that just miss."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.tasks.base.task import Task

Build = Callable[[Sequence[int], int], Model]
"""From the residues that a model reads, and a modulus, to the model."""

GRID = tuple(digit * 10**power for power in range(9) for digit in (1, 2, 5))


def carries(build: Build, task: Task, modulus: int, length: int, numbers: str, samples: int = 20) -> bool:
    """Whether a model in a number system answers random words right, each with its own small vocabulary.

    A model for a large modulus is built with the embedding of the tokens of one word only: the other weights do not
    depend on the vocabulary.
    """
    random = np.random.default_rng(modulus)
    for _ in range(samples):
        word: list[int] = task.sample(random, length, modulus=modulus)
        if answers(build(sorted(set(word)), modulus), numbers, word) != task.reference(word, modulus=modulus):
            return False
    return True


def answers(model: Model, numbers: str, word: list[int]) -> list[Any] | None:
    """The answers of a model in a number system, or None where a number is too large for it."""
    try:
        return model.to(numbers)(word)
    except CapaxError as problem:
        if problem.code != "number-system":
            raise
        return None


def reach(build: Build, task: Task, length: int, numbers: str, most: int = 10**9) -> int:
    """The largest modulus of the grid 5, 10, 20, 50, ... such that it and all smaller ones are carried; 0 if none."""
    best = 0
    for modulus in GRID:
        if 5 <= modulus <= most:
            if not carries(build, task, modulus, length, numbers):
                return best
            best = modulus
    return best
