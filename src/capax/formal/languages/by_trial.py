"""A language that is known by its membership alone: random words of it are found by trying."""

from collections.abc import Callable
from typing import Final

import numpy as np

from capax.formal.automata.dfa import Word
from capax.formal.languages.language import Language

TRIALS: Final = 24
"""So many random words are tried, and as many changes of the last one."""


def by_trial(family: str, alphabet: tuple[str, ...], what: str, contains: Callable[[Word], bool]) -> Language:
    """The language; a random word inside is one of some with other shares of the symbols, or with blocks of them."""

    def inside(random: np.random.Generator, length: int) -> tuple[str, ...] | None:
        for trial in range(TRIALS):
            word = _drawn(random, alphabet, length, blocks=trial % 3 == 2)
            if contains(word):
                return word
        return None

    return Language(family, {}, alphabet, what, contains, inside)


def _drawn(random: np.random.Generator, alphabet: tuple[str, ...], length: int, *, blocks: bool) -> tuple[str, ...]:
    shares = random.dirichlet(np.full(len(alphabet), 0.5))
    if not blocks:
        return tuple(alphabet[int(x)] for x in random.choice(len(alphabet), size=length, p=shares))
    counts = random.multinomial(length, shares)
    order = random.permutation(len(alphabet))
    return tuple(alphabet[int(symbol)] for symbol in order for _ in range(int(counts[symbol])))
