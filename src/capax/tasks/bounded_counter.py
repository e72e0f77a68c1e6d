"""Bounded counter: a goes up, b down, c does nothing, and the counter stays between 0 and its depth."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.auditor.specs.machine import Machine
from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import Array, ParameterValues, Training, TrainingBatch, Vocabularies
from capax.tasks.inputs.mixed_words import answered_last, mixed_words

DEPTH = Parameter("depth", 3, "the most that the counter can be", 1, 1_000)
STEPS = {"a": 1, "b": -1, "c": 0}


def reference(word: Any, *, depth: int) -> int:
    """The counter after the word."""
    counter = 0
    for letter in word:
        counter = min(max(counter + STEPS[letter], 0), depth)
    return counter


def sample(random: Any, n: int, *, depth: int) -> list[str]:
    """A random word of n letters, with few or many of a letter, a near tie or a pattern."""
    return [tuple(STEPS)[k] for k in mixed_words(random, 1, n, len(STEPS))[0]]


def every(n: int, *, depth: int) -> Iterator[list[str]]:
    """All words of n letters."""
    return map(list, product(STEPS, repeat=n))


def counters(words: Array, depth: int) -> Array:
    """The counter after each word (word, position) of letters' numbers."""
    change, counter = np.array(tuple(STEPS.values())), np.zeros(len(words), np.int64)
    for letter in words.T:
        counter = np.clip(counter + change[letter], 0, depth)
    return counter


def _machine(depth: int) -> Machine:
    return Machine(0, lambda counter, letter: min(max(counter + STEPS[str(letter)], 0), depth), lambda counter: counter)


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    return Vocabularies(tuple(STEPS), tuple(range(at["depth"] + 1)))


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    words = mixed_words(random, count, n, len(STEPS))
    return answered_last(words, counters(words, at["depth"]))


TASK = Task(
    "bounded-counter",
    "the value of a counter that stays between 0 and a depth: one answer, at the last position",
    "words over a (one up), b (one down) and c (no change)",
    reference,
    sample,
    every,
    (DEPTH,),
    training=Training(_vocabularies, _batch, (DEPTH,), read="last"),
    machine=_machine,
)
