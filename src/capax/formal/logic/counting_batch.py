"""Formulas of counting logic on many words at once, and their languages compared on all words up to a length."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias, assert_never

import numpy as np

from capax.formal.logic.counting import (
    All,
    AtLeast,
    Counting,
    LetterBefore,
    Negation,
    Residue,
    Symbol,
    numbered_subformulas,
)

Array: TypeAlias = Any
CHUNK: Final = 4096
"""Words that are run together."""


def batch_values(formula: Counting, alphabet: tuple[str, ...], words: Array) -> Array:
    """Where a formula holds: (word, position), position 0 before the first letter.

    `words` (word, position) are numbers of letters; len(alphabet) is an end marker.
    """
    truth: list[Array] = []
    nodes = numbered_subformulas(formula)
    last = {part: at for at, (_, parts) in enumerate(nodes) for part in parts}
    for at, (node, parts) in enumerate(nodes):
        truth.append(_values(node, [truth[part] for part in parts], alphabet, words))
        for part in parts:
            if last[part] == at:
                truth[part] = None  # not read again
    return truth[-1]


def _values(node: Counting, parts: list[Array], alphabet: tuple[str, ...], words: Array) -> Array:
    count, n = words.shape
    match node:
        case Symbol(symbol):
            return _shifted(words == alphabet.index(symbol), 1)
        case LetterBefore(symbol, distance):
            return _shifted(words == alphabet.index(symbol), distance + 1)[:, : n + 1]
        case Residue(modulus, remainder):
            return np.broadcast_to(np.arange(n + 1) % modulus == remainder, (count, n + 1))
        case Negation():
            return ~parts[0]
        case All():
            return np.logical_and.reduce(parts) if parts else np.ones((count, n + 1), dtype=bool)
        case AtLeast(terms, least):
            total = np.zeros((count, n + 1), dtype=np.int64)
            for (times, _), part in zip(terms, parts, strict=True):
                total[:, 1:] += times * np.cumsum(part[:, 1:], axis=1)
            return total >= least
        case _:
            assert_never(node)


def _shifted(here: Array, by: int) -> Array:
    return np.pad(here, ((0, 0), (by, 0)))


def all_words(letters: int, length: int) -> Iterator[Array]:
    """All words of a length, as numbers of letters, in chunks."""
    total = letters**length
    powers = letters ** np.arange(length - 1, -1, -1, dtype=np.int64)
    for begin in range(0, total, CHUNK):
        number = np.arange(begin, min(total, begin + CHUNK), dtype=np.int64)
        yield number[:, None] // powers[None, :] % letters
