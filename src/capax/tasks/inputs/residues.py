"""Tasks on words of residues 1 ... M: random ones whose sums hit or just miss a multiple of M, and batches."""

from collections.abc import Callable, Iterator
from itertools import product
from math import gcd
from typing import Any

import numpy as np

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import Array, ParameterValues, Training, TrainingBatch, Vocabularies

MODULUS = Parameter("modulus", 5, "the modulus M; tokens are 1 ... M", 2, 1_000_000_000)
DOMAIN = "words over 1 ... M"
CITATION = "Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers"
TRAINING_PARAMETERS = (
    Parameter("modulus", 22, "the modulus M; tokens are 1 ... M", 2, 10_000),
    Parameter("rate", 0.5, "the share of 1 among the answers that words are steered towards; -1: uniform words", -1.0),
    Parameter("rounds", 40, "the rounds of steering, each with one token of every word tried anew", 0, 10_000),
)


def planted(random: Any, n: int, modulus: int, order: int) -> list[int]:
    """A random word of length n: uniform, or without a sum of `order` tokens that is 0 mod M but for one token.

    That one token makes a sum of it and `order` - 1 others equal to 0, 1 or -1 mod M.
    """
    quiet = (modulus - 1) // order  # the sums of such tokens are below M
    if quiet < 1 or random.integers(3) == 0:
        return [int(x) for x in random.integers(1, modulus + 1, n)]
    word = [int(x) for x in random.integers(1, quiet + 1, n)]
    if n < 1 or random.integers(4) == 0:
        return word
    others = sum(word[int(random.integers(n))] for _ in range(order - 1))
    word[int(random.integers(n))] = (int(random.integers(-1, 2)) - others - 1) % modulus + 1
    return word


def every(n: int, modulus: int) -> Iterator[list[int]]:
    """All words of length n."""
    return (list(word) for word in product(range(1, modulus + 1), repeat=n))


def which_residues(words: Array, modulus: int) -> Array:
    """Which residues mod M a word has (word, residue); words are the tokens less 1."""
    present = np.zeros((len(words), modulus), dtype=bool)
    np.put_along_axis(present, (words + 1) % modulus, True, axis=1)
    return present


def steered_training(answer: Callable[[Array, int], Array], order: int) -> Training:
    """Training on words that are changed one token at a time, as long as no step leads away from a target share of 1.

    Each word has a target of its own, drawn so that the mean is `rate`: otherwise the number of matches, and not their
    positions, would tell words apart. A word that has more starts anew without any, as uniform words may have so many
    that single changes do not undo them.
    """

    def batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
        modulus = at["modulus"]
        words: Any = random.integers(0, modulus, (count, n))
        if at["rate"] < 0:
            return TrainingBatch(words, answer(words, modulus))
        target = random.binomial(n, at["rate"], count)
        too_many = answer(words, modulus).sum(axis=1) > target
        words[too_many] = _without_match(random, int(too_many.sum()), n, modulus, order)
        answers = answer(words, modulus)
        for _ in range(at["rounds"]):
            changed = words.copy()
            changed[np.arange(count), random.integers(0, n, count)] = random.integers(0, modulus, count)
            new_answers = answer(changed, modulus)
            better = np.abs(new_answers.sum(axis=1) - target) <= np.abs(answers.sum(axis=1) - target)
            words[better], answers[better] = changed[better], new_answers[better]
        return TrainingBatch(words, answers)

    return Training(lambda at, n: Vocabularies(tuple(range(1, at["modulus"] + 1)), (0, 1)), batch, TRAINING_PARAMETERS)


def _without_match(random: np.random.Generator, count: int, n: int, modulus: int, order: int) -> Array:
    """Words without a match: residues whose sums are below M, times a unit mod M drawn for each word.

    Without the units small residues would tell which words have no match.
    """
    units = np.array([u for u in range(1, modulus) if gcd(u, modulus) == 1])
    most = max(1, (modulus - 1) // order)
    products = random.integers(1, most + 1, (count, n)) * random.choice(units, (count, 1)) % modulus
    return np.asarray((products - 1) % modulus)


def residue_task(
    name: str, what: str, reference: Callable[..., Any], sample: Callable[..., Any], training: Training | None = None
) -> Task:
    """A task on words of residues whose parameter is the modulus, from the paper on Match2 and Match3."""
    return Task(name, what, DOMAIN, reference, sample, every, (MODULUS,), CITATION, training)
