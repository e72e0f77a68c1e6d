"""Random words over letters, and all of them."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.tasks.base.parameter import Parameter

SYMBOLS = Parameter("symbols", 8, "the number of letters", 2, 1_000)


def letters(count: int) -> tuple[str, ...]:
    """So many letters: a, b, ..., z, A, ..., Z and then x52, x53, ..."""
    plain = [chr(ord("a") + k) for k in range(26)] + [chr(ord("A") + k) for k in range(26)]
    return tuple((plain + [f"x{k}" for k in range(52, count)])[:count])


def sample(random: Any, n: int, symbols: int) -> list[str]:
    """A word of n letters, each as likely as any other."""
    known = letters(symbols)
    return [known[int(k)] for k in random.integers(0, symbols, n)]


def every(n: int, symbols: int) -> Iterator[list[str]]:
    """All words of n letters."""
    return (list(word) for word in product(letters(symbols), repeat=n))
