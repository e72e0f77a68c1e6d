"""Random regular expressions: seeded, of a size that is drawn, over a few letters."""

from collections.abc import Hashable, Iterator
from itertools import permutations
from typing import Final

import numpy as np

from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa

LETTERS: Final = "abc"
SHARES: Final = (0.45, 0.3, 0.25)
"""How often an inner node joins two parts, chooses between two, and repeats one."""
REPEATS: Final = ("*", "*", "*", "+", "?")


def random_regex(random: np.random.Generator, letters: str = "ab", leaves: int = 5) -> str:
    """A random expression with so many letters in it.

    >>> random_regex(np.random.default_rng(1), "ab", 4)
    'bb?|b|a'
    """
    return _expression(random, letters, leaves, bracket=False)


def _expression(random: np.random.Generator, letters: str, leaves: int, *, bracket: bool) -> str:
    if random.random() < SHARES[2]:
        inner = _expression(random, letters, leaves, bracket=False)
        inner = inner if len(inner) == 1 else f"({inner})"
        return inner + str(random.choice(REPEATS))
    if leaves == 1:
        return str(random.choice(list(letters + ".")))
    left = int(random.integers(1, leaves))
    choice = random.random() < SHARES[1] / (SHARES[0] + SHARES[1])
    parts = [_expression(random, letters, n, bracket=not choice) for n in (left, leaves - left)]
    text = ("|" if choice else "").join(parts)
    return f"({text})" if choice and bracket else text


def random_expressions(seed: int, count: int, *, most: int = 10) -> Iterator[tuple[str, str, Dfa]]:
    """Random expressions of 2 to `most` letters over ab or abc, with the alphabet and the minimal automaton.

    Languages that are empty, or all words, are left out; two expressions may have the same language.
    """
    random = np.random.default_rng(seed)
    drawn = 0
    while drawn < count:
        letters = LETTERS[: int(random.integers(2, 4))]
        text = random_regex(random, letters, int(random.integers(2, most + 1)))
        dfa = regex_dfa(text, tuple(letters)).minimal()
        if dfa.size > 1:
            drawn += 1
            yield text, letters, dfa


def up_to_names(dfa: Dfa) -> Hashable:
    """What two languages share exactly if one is the other with the names of letters exchanged."""
    shapes = []
    for order in permutations(range(len(dfa.alphabet))):
        delta = tuple(tuple(row[a] for a in order) for row in dfa.delta)
        least = Dfa(dfa.alphabet, delta, dfa.start, dfa.accepting).minimal()
        shapes.append((least.delta, tuple(sorted(least.accepting))))
    return min(shapes)
