"""Recognition: is a word in a language, which is given by its name?"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from capax.formal.languages.catalogue import language
from capax.formal.languages.language import Language
from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import IGNORE, ParameterValues, Training, TrainingBatch, Vocabularies
from capax.tasks.inputs.mixed_words import mixed_words

NAME = Parameter("name", "parity", "a language by name, such as parity, majority, dyck-1 or word-problem-s5")
BALANCED = Parameter("balanced", True, "words inside and outside about as often")
MIXED = Parameter("mixed", False, "also words with few or many of a letter, near ties and regular ones", later=True)
MIXED_SHARE = 0.75
"""How many of the words are of that kind, if there are any."""
TRIES = 30
"""How often a word with a drawn answer is sampled anew."""


def reference(word: Any, *, name: str) -> bool:
    """Whether a word is in the language of a name."""
    return language(name).accepts(word)


def sample(random: Any, n: int, *, name: str) -> list[str]:
    """A random word of about n symbols: inside, with a symbol changed, or any."""
    return list(language(name).sample(random, n))


def every(n: int, *, name: str) -> Iterator[list[str]]:
    """All words of n symbols."""
    return map(list, product(language(name).alphabet, repeat=n))


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    return Vocabularies(language(at["name"]).alphabet, (False, True))


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    """Words of about length n; with `balanced` a coin says for each whether it is to be in the language."""
    known = language(at["name"])
    number = {symbol: k for k, symbol in enumerate(known.alphabet)}
    words, answers = [], []
    draw = _drawing(random, known, count, n, mixed=at["mixed"])
    for _ in range(count):
        word = draw()
        if at["balanced"]:
            answer = bool(random.integers(2))
            for _ in range(TRIES):
                if known.accepts(word) == answer:
                    break
                word = draw()
        words.append([number[x] for x in word])
        answers.append(int(known.accepts(word)))
    longest = max(map(len, words), default=1)
    inputs = np.zeros((count, longest), dtype=np.int64)
    scored = np.full((count, longest), IGNORE)
    for row, (tokens, inside) in enumerate(zip(words, answers, strict=True)):
        inputs[row, : len(tokens)] = tokens
        scored[row, len(tokens) - 1] = inside
    return TrainingBatch(inputs, scored, lengths=np.array([len(tokens) for tokens in words]))


def _drawing(
    random: np.random.Generator, known: Language, count: int, n: int, *, mixed: bool
) -> Callable[[], tuple[str, ...]]:
    """What draws a word of up to n symbols: the language's own sampler, or that and mixed words."""
    pool = iter(mixed_words(random, 4 * count, n, len(known.alphabet)).tolist() if mixed else ())

    def draw() -> tuple[str, ...]:
        row = next(pool, None) if mixed and random.random() < MIXED_SHARE else None
        if row is not None:
            return tuple(known.alphabet[k] for k in row)
        return known.sample(random, n)[:n] or (known.alphabet[0],)

    return draw


def _program(at: ParameterValues, bos: bool) -> str | None:
    """A program for the languages that the library has one for; its answer is the one at the last position."""
    name = str(at["name"])
    known = {
        "parity": '(count(tokens, "1") % 2) == 1',
        "majority": 'average(indicator(tokens == "1")) > 1 / 2',
        "dyck-1": 'dyck1_ptf == "T"',
    }
    if name.startswith("mod-"):
        known[name] = f'(count(tokens, "1") % {int(name.removeprefix("mod-"))}) == 0'
    return None if bos else known.get(name)


TASK = Task(
    "language",
    "whether a word is in the language: one answer, at the last position",
    "words over the alphabet of the language",
    reference,
    sample,
    every,
    (Parameter("name", "dyck-2", "a language by name, such as parity, majority, dyck-2 or word-problem-s5"),),
    training=Training(
        _vocabularies,
        _batch,
        (NAME, BALANCED, MIXED),
        program=_program,
        read="last",
    ),
)
