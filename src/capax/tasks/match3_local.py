"""Match3Local: are there two tokens nearby that sum to 0 mod M with this one?"""

from collections.abc import Iterator
from typing import Any

from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.inputs.residues import CITATION, DOMAIN, MODULUS, planted
from capax.tasks.inputs.residues import every as words


def reference(word: list[int], modulus: int, reach: int) -> list[int]:
    """1 where x_i + x_j + x_k = 0 mod M for some j and k within K positions of i; 0 elsewhere."""
    answers = []
    for i, x in enumerate(word):
        near = word[max(0, i - reach) : i + reach + 1]
        answers.append(int(any((x + y + z) % modulus == 0 for y in near for z in near)))
    return answers


def sample(random: Any, n: int, modulus: int, reach: int) -> list[int]:
    """A random word with triples that match or just miss, some of them nearby."""
    word = planted(random, n, modulus, 3)
    if n and random.integers(2):
        i = int(random.integers(n))
        near = word[max(0, i - reach) : i + reach + 2]  # one position too far, too
        others = near[int(random.integers(len(near)))] + near[int(random.integers(len(near)))]
        word[i] = (int(random.integers(-1, 2)) - others - 1) % modulus + 1
    return word


def every(n: int, modulus: int, reach: int) -> Iterator[list[int]]:
    """All words of length n."""
    return words(n, modulus)


TASK = Task(
    "match3-local",
    "1 where some j and k with |i - j|, |i - k| <= K have x_i + x_j + x_k = 0 mod M, 0 elsewhere",
    DOMAIN,
    reference,
    sample,
    every,
    (MODULUS, Parameter("reach", 1, "the reach K of the window", 1, 1_000)),
    CITATION,
)
