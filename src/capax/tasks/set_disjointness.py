"""Set disjointness: do two sets meet?"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.task import Task


def reference(word: list[int]) -> int:
    """max a_i b_i for a word a_1 ... a_n b_1 ... b_n of bits: 1 if the sets meet, which is to say NOT disjoint."""
    n = len(word) // 2
    return max((a * b for a, b in zip(word[:n], word[n:], strict=True)), default=0)


def sample(random: Any, n: int) -> list[int]:
    """Two random sets that are disjoint half of the time, and else meet in one element or more."""
    side = random.integers(0, 3, n)
    a, b = [int(x == 1) for x in side], [int(x == 2) for x in side]
    if n and random.integers(2):
        for position in random.integers(0, n, int(random.integers(1, 3))):
            a[int(position)] = b[int(position)] = 1
    return [*a, *b]


def every(n: int) -> Iterator[list[int]]:
    """All pairs of sets of n elements."""
    return (list(word) for word in product((0, 1), repeat=2 * n))


TASK = Task(
    "set-disjointness",
    "1 if two sets meet, 0 if they are disjoint: DISJ as max a_i b_i, whose 1 means NOT disjoint",
    "words a_1 ... a_n b_1 ... b_n of bits: element i is in the first set, in the second",
    reference,
    sample,
    every,
    (),
    "the two-party problem to which lower bounds for attention are reduced; n bits are needed one way",
)
