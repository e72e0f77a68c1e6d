"""Match3: are there two tokens that sum to 0 mod M with this one?"""

from typing import Any

import numpy as np

from capax.tasks.base.training import Array
from capax.tasks.inputs.residues import planted, residue_task, steered_training, which_residues


def reference(word: list[int], modulus: int) -> list[int]:
    """1 where x_i + x_j + x_k = 0 mod M for some j and k, which may be equal and may be i; 0 elsewhere."""
    there = {x % modulus for x in word}
    answers = {x: int(any((-x - y) % modulus in there for y in there)) for x in there}
    return [answers[x % modulus] for x in word]


def sample(random: Any, n: int, modulus: int) -> list[int]:
    """A random word with triples that match or just miss."""
    return planted(random, n, modulus, 3)


def matches(words: Array, modulus: int) -> Array:
    """1 where x_i + x_j + x_k = 0 mod M for some j and k (word, position); words are the tokens less 1."""
    present = which_residues(words, modulus)
    value = words + 1
    missing = -(value[:, :, None] + value[:, None, :]) % modulus
    hits = np.take_along_axis(present, missing.reshape(len(words), -1), axis=1).reshape(missing.shape)
    return np.asarray(hits.any(axis=2)).astype(np.int64)


TASK = residue_task(
    "match3",
    "1 where some j and k (equal to each other or to i allowed) have x_i + x_j + x_k = 0 mod M, 0 elsewhere",
    reference,
    sample,
    steered_training(matches, 3),
)
