"""The next-token task: what an n-gram language model says after each prefix of a word."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.formal.ngram.fit import random_ngram
from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task


def reference(word: Any, *, order: int, symbols: int, zeros: float, seed: int) -> list[list[float]]:
    """The probabilities of each symbol, and of the end, after each prefix of a word."""
    found: list[list[float]] = random_ngram(order, symbols, zeros=zeros, seed=seed).conditionals(word).tolist()
    return found


def sample(random: np.random.Generator, n: int, *, order: int, symbols: int, zeros: float, seed: int) -> list[Any]:
    """A word of n symbols, each as likely as any other, so that impossible ones occur."""
    alphabet = random_ngram(order, symbols, zeros=zeros, seed=seed).alphabet
    return [alphabet[x] for x in random.integers(symbols, size=n)]


def every(n: int, *, order: int, symbols: int, zeros: float, seed: int) -> Iterator[list[Any]]:
    """All words of n symbols."""
    alphabet = random_ngram(order, symbols, zeros=zeros, seed=seed).alphabet
    return (list(word) for word in product(alphabet, repeat=n))


TASK = Task(
    name="next-token",
    what="what follows each prefix of a word, as a random n-gram language model says: one distribution per prefix",
    domain="words over an alphabet, the empty one included",
    reference=reference,
    sample=sample,
    every=every,
    parameters=(
        Parameter("order", 3, "n: a symbol depends on the n - 1 before it", 1, 8),
        Parameter("symbols", 3, "the size of the alphabet", 1, 200),
        Parameter("zeros", 0.3, "the share of probabilities that are 0", 0, 0.9),
        Parameter("seed", 0, "of the n-gram model", 0, 2**31),
    ),
    citation="Svete and Cotterell, Transformers Can Represent n-gram Language Models, NAACL 2024",
)
