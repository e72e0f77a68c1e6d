"""Equality: are the two halves of a word the same?"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.task import Task


def reference(word: list[int]) -> int:
    """1 if the first half of the bits is the second half, else 0."""
    half = len(word) // 2
    return int(word[:half] == word[half:])


def sample(random: Any, n: int) -> list[int]:
    """Two halves of n random bits that are equal, or differ in one position, or in any."""
    first = [int(x) for x in random.integers(0, 2, n)]
    second = list(first)
    match int(random.integers(3)):
        case 0:
            second[int(random.integers(n))] ^= 1
        case 1:
            second = [int(x) for x in random.integers(0, 2, n)]
    return first + second


def every(n: int) -> Iterator[list[int]]:
    """All words of two halves of n bits."""
    return (list(word) for word in product((0, 1), repeat=2 * n))


TASK = Task(
    "equality",
    "1 if the two halves are equal, else 0: one answer, at the last position",
    "words x_1 ... x_n y_1 ... y_n of bits",
    reference,
    sample,
    every,
    (),
    "Bhattamishra, Hahn, Blunsom and Kanade (2024), Separations in the representational capabilities of transformers "
    "and recurrent architectures",
)
