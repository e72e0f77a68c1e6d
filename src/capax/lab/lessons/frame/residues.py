"""Words of residues 1 ... M whose share of matching tokens is steered towards a wanted one."""

from collections.abc import Callable
from math import gcd
from typing import Any

import numpy as np

from capax.lab.lessons.frame.lesson import Array, At, Batch, Words
from capax.tasks.base.parameter import Parameter

MODULUS = Parameter("modulus", 22, "the modulus M; tokens are 1 ... M", 2, 10_000)
RATE = Parameter(
    "rate", 0.5, "the share of 1 among the answers that words are steered towards; -1: uniform words", -1.0
)
STAY = Parameter("rounds", 40, "the rounds of steering, each with one token of every word tried anew", 0, 10_000)


def residues(at: At, n: int) -> Words:
    """The tokens 1 ... M, answered by 0 or 1."""
    return Words(tuple(range(1, at["modulus"] + 1)), (0, 1))


def match2(words: Array, modulus: int) -> Array:
    """1 where x_i + x_j = 0 mod M for some j (word, place); words are the residues less 1."""
    there = _there(words, modulus)
    return np.take_along_axis(there, -(words + 1) % modulus, axis=1).astype(np.int64)


def match3(words: Array, modulus: int) -> Array:
    """1 where x_i + x_j + x_k = 0 mod M for some j and k (word, place)."""
    there = _there(words, modulus)
    value = words + 1
    wanted = -(value[:, :, None] + value[:, None, :]) % modulus
    found = np.take_along_axis(there, wanted.reshape(len(words), -1), axis=1).reshape(wanted.shape)
    return np.asarray(found.any(axis=2)).astype(np.int64)


def _there(words: Array, modulus: int) -> Array:
    """Which residues mod M a word has (word, residue)."""
    found = np.zeros((len(words), modulus), dtype=bool)
    np.put_along_axis(found, (words + 1) % modulus, True, axis=1)
    return found


def _quiet(random: np.random.Generator, count: int, n: int, modulus: int, order: int) -> Array:
    """Words without a match: residues whose sums are below M, times a unit mod M that each word has for itself.

    Without the units small residues would tell which words have no match.
    """
    units = np.array([u for u in range(1, modulus) if gcd(u, modulus) == 1])
    most = max(1, (modulus - 1) // order)
    found = random.integers(1, most + 1, (count, n)) * random.choice(units, (count, 1)) % modulus
    return np.asarray((found - 1) % modulus)


def steered(answer: Callable[[Array, int], Array], order: int) -> Callable[..., Batch]:
    """The batch function of words that change one token at a time, as long as that is no step away from a wanted share.

    Each word wants a share of its own, drawn so that the mean is `rate`: without that the number of matches, and not
    their places, would be what tells words apart. A word that has more begins anew without any, as
    uniform words may have so many that single changes do not undo them.
    """

    def batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
        modulus = at["modulus"]
        words: Any = random.integers(0, modulus, (count, n))
        if at["rate"] < 0:
            return Batch(words, answer(words, modulus))
        wanted = random.binomial(n, at["rate"], count)
        few = answer(words, modulus).sum(axis=1) > wanted
        words[few] = _quiet(random, int(few.sum()), n, modulus, order)
        found = answer(words, modulus)
        for _ in range(at["rounds"]):
            tried = words.copy()
            tried[np.arange(count), random.integers(0, n, count)] = random.integers(0, modulus, count)
            seen = answer(tried, modulus)
            better = np.abs(seen.sum(axis=1) - wanted) <= np.abs(found.sum(axis=1) - wanted)
            words[better], found[better] = tried[better], seen[better]
        return Batch(words, found)

    return batch
