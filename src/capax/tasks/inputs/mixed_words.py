"""Words of many kinds, as arrays of letters' numbers: a network that has seen these has few excuses.

With one probability for each letter, words with few or many of a letter, ties and regular patterns are hardly ever
drawn, and a network may be wrong on them though its accuracy is 1.
"""

from typing import Any, Final

import numpy as np

from capax.tasks.base.training import IGNORE, Array, TrainingBatch

SHARES: Final = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9)
"""The probabilities of a letter."""


def mixed_words(random: np.random.Generator, count: int, n: int, letters: int) -> Array:
    """Words (word, position) of n letters: half with drawn probabilities, a quarter near ties, a quarter regular."""
    halves = [_biased(random, count - count // 2, n, letters), _near_ties(random, count // 4, n, letters)]
    regular = _regular(random, count // 2 - count // 4, n, letters)
    return np.concatenate([*halves, regular])[random.permutation(count)]


def one_changed(random: np.random.Generator, words: Array, letters: int) -> Array:
    """The words, each with a random letter at a random position."""
    count, n = words.shape
    changed = words.copy()
    if n:
        changed[np.arange(count), random.integers(0, n, count)] = random.integers(0, letters, count)
    return changed


def _biased(random: np.random.Generator, count: int, n: int, letters: int) -> Array:
    """One letter is favoured, and from a random position on perhaps another; the rest are as likely as each other."""
    part = (np.arange(n) >= random.integers(0, 2 * n + 1, (count, 1))).astype(np.int64)
    favourite = np.take_along_axis(random.integers(0, letters, (count, 2)), part, axis=1)
    share = np.take_along_axis(random.choice(SHARES, (count, 2)), part, axis=1)
    other = (favourite + random.integers(1, max(2, letters), (count, n))) % letters
    return np.where(random.random((count, n)) < share, favourite, other)


def _near_ties(random: np.random.Generator, count: int, n: int, letters: int) -> Array:
    """All letters equally often, up to one, in any order; then one letter is changed in about half of the words."""
    even = (np.arange(n) + random.integers(0, letters, (count, 1))) % letters
    return _some_changed(random, random.permuted(even, axis=1), letters)


def _regular(random: np.random.Generator, count: int, n: int, letters: int) -> Array:
    """A pattern of one to three letters that repeats, or up to three blocks of a letter; perhaps one letter changed."""
    pattern = random.integers(0, letters, (count, 3))
    turn = np.arange(n) % random.integers(1, 4, (count, 1))
    cuts = random.integers(0, n + 1, (count, 2, 1))
    block = (np.arange(n) >= cuts).sum(axis=1)
    repeats = random.random((count, 1)) < 0.5
    return _some_changed(random, np.take_along_axis(pattern, np.where(repeats, turn, block), axis=1), letters)


def _some_changed(random: np.random.Generator, words: Array, letters: int) -> Array:
    chosen = random.random((len(words), 1)) < 0.5
    return np.where(chosen, one_changed(random, words, letters), words)


def answered_last(words: Array, answers: Array) -> TrainingBatch:
    """A batch in which each word has one answer (word,), at its last position."""
    scored: Any = np.full(words.shape, IGNORE)
    scored[:, -1] = answers
    return TrainingBatch(words, scored)
