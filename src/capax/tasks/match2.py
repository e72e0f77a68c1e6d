"""Match2: is there a token that sums to 0 mod M with this one?"""

from typing import Any

from capax.tasks.base.task import Task
from capax.tasks.inputs.residues import MODULUS, every, planted


def reference(word: list[int], modulus: int) -> list[int]:
    """1 where x_i + x_j = 0 mod M for some j, which may be i; 0 elsewhere."""
    there = {x % modulus for x in word}
    return [int(-x % modulus in there) for x in word]


def sample(random: Any, n: int, modulus: int) -> list[int]:
    """A random word with pairs that match or just miss."""
    return planted(random, n, modulus, 2)


TASK = Task(
    "match2",
    "1 where some j (i allowed) has x_i + x_j = 0 mod M, 0 elsewhere",
    "words over 1 ... M",
    reference,
    sample,
    every,
    (MODULUS,),
    "Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers",
)
