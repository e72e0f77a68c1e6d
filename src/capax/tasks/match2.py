"""Match2: is there a token that sums to 0 mod M with this one?"""

from typing import Any

import numpy as np

from capax.tasks.base.training import Array
from capax.tasks.inputs.residues import planted, residue_task, steered_training, which_residues


def reference(word: list[int], modulus: int) -> list[int]:
    """1 where x_i + x_j = 0 mod M for some j, which may be i; 0 elsewhere."""
    there = {x % modulus for x in word}
    return [int(-x % modulus in there) for x in word]


def sample(random: Any, n: int, modulus: int) -> list[int]:
    """A random word with pairs that match or just miss."""
    return planted(random, n, modulus, 2)


def matches(words: Array, modulus: int) -> Array:
    """1 where x_i + x_j = 0 mod M for some j (word, position); words are the tokens less 1."""
    return np.take_along_axis(which_residues(words, modulus), -(words + 1) % modulus, axis=1).astype(np.int64)


TASK = residue_task(
    "match2",
    "1 where some j (i allowed) has x_i + x_j = 0 mod M, 0 elsewhere",
    reference,
    sample,
    steered_training(matches, 2),
)
