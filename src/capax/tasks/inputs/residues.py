"""Words of residues 1 ... M, with sums that hit or just miss a multiple of M."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.parameter import Parameter

MODULUS = Parameter("modulus", 5, "the modulus M; tokens are 1 ... M", 2, 1_000_000_000)


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
