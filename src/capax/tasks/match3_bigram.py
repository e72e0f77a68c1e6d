"""Match3Bigram: are there two neighbouring tokens that sum to 0 mod M with this one?"""

from itertools import pairwise
from typing import Any

from capax.tasks.inputs.residues import planted, residue_task


def reference(word: list[int], modulus: int) -> list[int]:
    """1 where x_i + x_j + x_(j+1) = 0 mod M for some j below the last position; 0 elsewhere."""
    sums = {(y + z) % modulus for y, z in pairwise(word)}
    return [int(-x % modulus in sums) for x in word]


def sample(random: Any, n: int, modulus: int) -> list[int]:
    """A random word; half of them get a token that matches two neighbours or just misses."""
    word = planted(random, n, modulus, 3)
    if n >= 2 and random.integers(2):
        j = int(random.integers(n - 1))
        aim = int(random.integers(-1, 2)) - word[j] - word[j + 1]
        word[int(random.integers(n))] = (aim - 1) % modulus + 1
    return word


TASK = residue_task(
    "match3-bigram",
    "1 where some j has x_i + x_j + x_(j+1) = 0 mod M, 0 elsewhere",
    reference,
    sample,
)
