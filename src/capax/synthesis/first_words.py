"""The words that a search starts with: short ones, some of few letters, the same for the same seed."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

import numpy as np

from capax.auditor.spec import Spec
from capax.errors import CapaxError
from capax.synthesis.check import words_of
from capax.synthesis.sample import LONGEST, Word

LENGTHS: Final = (1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8)
"""The lengths of the first words."""
MOST_EXAMPLES: Final = 24
LISTED: Final = 3000
"""Of words that are listed one by one, so many are looked at for each length."""
MOST_LETTERS: Final = 5


def first_words(spec: Spec, seed: int, examples: Sequence[Word] | None) -> list[Word]:
    """The first words of a sample, each with an answer at some position."""
    random = np.random.default_rng(seed)
    if examples is not None:
        words = _of_examples(examples)
    elif spec.every is not None:
        words = _of_listed(spec, random)
    else:
        most = LONGEST if spec.longest is None else spec.longest
        words = [_random(spec, random, min(length, most), k) for k, length in enumerate(LENGTHS)]
    answers = spec.answers_of(words)
    useful = [w for w, row in zip(words, answers, strict=True) if any(a is not None for a in row)]
    if not useful:
        raise CapaxError("unfit-spec", f"{spec.name} has no answer on any word of up to {LONGEST} letters")
    return sorted(dict.fromkeys(useful), key=len)


def _of_examples(examples: Sequence[Word]) -> list[Word]:
    short = [word for word in examples if len(word) <= LONGEST]
    if not short:
        what = f"no example has at most {LONGEST} letters"
        raise CapaxError("unfit-spec", what, hint="programs are told apart on short words; add some")
    return short[:MOST_EXAMPLES]


def _of_listed(spec: Spec, random: np.random.Generator) -> list[Word]:
    words: list[Word] = []
    for length in range(1, LONGEST + 1):
        listed = list(islice(words_of(spec, length), LISTED))
        wanted = LENGTHS.count(length) + 1
        if listed:
            words += [listed[k] for k in random.choice(len(listed), min(wanted, len(listed)), replace=False)]
    return words


def _random(spec: Spec, random: np.random.Generator, length: int, number: int) -> Word:
    """A word over few of the letters; every second one over two of them at most."""
    most = min(len(spec.letters), MOST_LETTERS if number % 2 else 2)
    letters = random.choice(len(spec.letters), most, replace=False)
    return tuple(spec.letters[int(letters[k])] for k in random.integers(0, most, length))
