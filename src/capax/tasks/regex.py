"""Regular expressions: is a word in the language of one?"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from capax.formal.acceptance import end_marker
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import Array, ParameterValues, Training, TrainingBatch, Vocabularies
from capax.tasks.inputs.mixed_words import answered_last, mixed_words, one_changed

REGEX = Parameter("regex", ".*11.*", "a regular expression")
ALPHABET = Parameter("alphabet", "01", "the letters of words, each one sign")
BALANCED = Parameter("balanced", True, "words inside and outside about as often")
MARKER = Parameter("marker", False, "an end marker after each word, at which the answer is given", later=True)


@lru_cache(maxsize=64)
def automaton(regex: str, alphabet: str) -> Dfa:
    """The minimal automaton of an expression."""
    return regex_dfa(regex, tuple(alphabet))


def reference(word: Any, *, regex: str, alphabet: str) -> bool:
    """Whether a word is in the language of the expression."""
    return automaton(regex, alphabet).accepts(word)


def sample(random: Any, n: int, *, regex: str, alphabet: str) -> list[str]:
    """A random word of n letters, about as often inside as outside."""
    at = {"regex": regex, "alphabet": alphabet, "balanced": True}
    return [alphabet[k] for k in _words(random, 1, n, at)[0]]


def every(n: int, *, regex: str, alphabet: str) -> Iterator[list[str]]:
    """All words of n letters."""
    return map(list, product(alphabet, repeat=n))


def accepted(dfa: Dfa, words: Array) -> Array:
    """Which words (word, position) of letters' numbers are accepted."""
    step, state = np.array(dfa.delta), np.full(len(words), dfa.start)
    for letter in words.T:
        state = step[state, letter]
    return np.isin(state, sorted(dfa.accepting))


def steered(random: np.random.Generator, dfa: Dfa, words: Array, inside: Array) -> Array:
    """The words with letters replaced where no continuation of the same length would be accepted or refused as wanted.

    `inside` (word,) says what is wanted. Where no word of the length is so, the word stays as it is.
    """
    count, n = words.shape
    step, row, wanted = np.array(dfa.delta), np.arange(count), inside.astype(np.int64)
    accepting = np.isin(np.arange(dfa.size), sorted(dfa.accepting))
    reach: list[Array] = [np.stack([~accepting, accepting])]
    for _ in range(n):
        reach.append(np.asarray(reach[-1][:, step].any(axis=2)))
    state, changed = np.full(count, dfa.start), words.copy()
    possible = reach[n][wanted, dfa.start]
    for at in range(n):
        allowed = reach[n - 1 - at][wanted[:, None], step[state]]
        other = np.where(allowed, random.random(allowed.shape), -1.0).argmax(axis=1)
        changed[:, at] = np.where(allowed[row, changed[:, at]] | ~possible, changed[:, at], other)
        state = step[state, changed[:, at]]
    return changed


def _words(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> Array:
    """Mixed words, steered into the language or out of it by a coin; then in one of four a letter is changed."""
    dfa, letters = automaton(at["regex"], at["alphabet"]), len(at["alphabet"])
    words = mixed_words(random, count, n, letters)
    if at["balanced"]:
        words = steered(random, dfa, words, random.random(count) < 0.5)
    return np.where(random.random((count, 1)) < 0.25, one_changed(random, words, letters), words)


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    letters = automaton(at["regex"], at["alphabet"]).alphabet
    return Vocabularies((*letters, *([end_marker(letters)] * at["marker"])), (False, True))


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    words = _words(random, count, n, at)
    answers = accepted(automaton(at["regex"], at["alphabet"]), words)
    if at["marker"]:
        words = np.concatenate([words, np.full((count, 1), len(at["alphabet"]))], axis=1)
    return answered_last(words, answers)


TASK = Task(
    "regex",
    "whether a word is in the language of a regular expression: one answer, at the last position",
    "words over the letters of the alphabet",
    reference,
    sample,
    every,
    (REGEX, ALPHABET),
    training=Training(_vocabularies, _batch, (REGEX, ALPHABET, BALANCED, MARKER), read="last"),
)
