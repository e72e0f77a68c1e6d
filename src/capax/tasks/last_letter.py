"""Last letter: the last letter of a word that is not the filler."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.auditor.specs.machine import Machine
from capax.tasks.base.task import Task
from capax.tasks.base.training import Array, ParameterValues, Training, TrainingBatch, Vocabularies
from capax.tasks.inputs.mixed_words import answered_last, mixed_words

LETTERS, FILLER = ("a", "b", "."), "."


def reference(word: Any) -> str:
    """The last letter that is not `.`, or `.` if there is none."""
    return next((letter for letter in reversed(word) if letter != FILLER), FILLER)


def sample(random: Any, n: int) -> list[str]:
    """A random word of n letters; half of the words end with some filler."""
    return [LETTERS[k] for k in _words(random, 1, n)[0]]


def every(n: int) -> Iterator[list[str]]:
    """All words of n letters."""
    return map(list, product(LETTERS, repeat=n))


def _words(random: np.random.Generator, count: int, n: int) -> Array:
    words = mixed_words(random, count, n, len(LETTERS))
    end = np.where(random.random((count, 1)) < 0.5, n, random.integers(0, n + 1, (count, 1)))
    return np.where(np.arange(n) < end, words, LETTERS.index(FILLER))


def last_letters(words: Array) -> Array:
    """The number of the answer to each word (word, position) of letters' numbers."""
    filler = LETTERS.index(FILLER)
    at = np.where(words != filler, np.arange(words.shape[1]), -1).max(axis=1)
    return np.where(at < 0, filler, words[np.arange(len(words)), at])


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    return Vocabularies(LETTERS, LETTERS)


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    words = _words(random, count, n)
    return answered_last(words, last_letters(words))


TASK = Task(
    "last-letter",
    "the last letter that is not `.`, or `.` if there is none: one answer, at the last position",
    "words over a, b and the filler `.`",
    reference,
    sample,
    every,
    training=Training(_vocabularies, _batch, read="last"),
    machine=lambda: Machine(FILLER, lambda last, letter: last if letter == FILLER else letter, lambda last: last),
)
