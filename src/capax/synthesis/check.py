"""Whether a program agrees with a specification: on all short words, and on random longer ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final

import numpy as np

from capax.auditor.spec import Answer, Spec
from capax.errors import CapaxError
from capax.rasp.python.program import Program
from capax.synthesis.sample import LONGEST, Word, answers_for

MOST_WORDS: Final = 4000
"""All words are tried up to the length up to which there are at most so many."""
RANDOM_WORDS: Final = 200
LONGEST_RANDOM: Final = 24


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """On which words a program agrees: `words` of all lengths up to `length`, and `random` ones up to `longest`."""

    length: int
    words: int
    random: int
    longest: int
    examples: bool = False
    long: int = 0
    """Examples that are too long for the sample: programs are tried on them when they fit the others."""

    def text(self) -> str:
        """The evidence in words."""
        if self.examples:
            late = f"; {self.long:,} of more than {LONGEST} letters only tested at the end" if self.long else ""
            return f"agrees with all {self.words:,} examples{late}"
        every = f"agrees on all {self.words:,} words of up to {self.length} letters"
        return every if not self.random else f"{every}, and on {self.random} random words of up to {self.longest}"

    def to_json(self) -> dict[str, Any]:
        """The evidence as plain data."""
        return {
            "length": self.length,
            "words": self.words,
            "random": self.random,
            "longest": self.longest,
            "examples": self.examples,
            "long_examples": self.long,
        }


@dataclass(eq=False)
class WordTests:
    """The words that programs are tried on, with the right answers, shortest first; words are asked for once."""

    spec: Spec
    words: list[Word]
    answers: list[list[Answer | None]]
    evidence: WordEvidence

    def counterexample(self, program: Program) -> Word | None:
        """The first word on which a program is wrong, or has no value; None if there is none."""
        for start, end in _batches(len(self.words)):
            results = program.batch([list(word) for word in self.words[start:end]], errors="keep")
            for word, result, row in zip(self.words[start:end], results, self.answers[start:end], strict=True):
                if isinstance(result, CapaxError) or not agrees(list(result), row):
                    return word
        return None


def _batches(count: int) -> Iterator[tuple[int, int]]:
    """A few words first: most wrong programs are wrong on them."""
    start, size = 0, 50
    while start < count:
        yield start, min(count, start + size)
        start, size = start + size, 1000


def agrees(values: Sequence[Any], answers: Sequence[Answer | None]) -> bool:
    """Whether values are the right answers, wherever there is an answer; floats may differ by rounding."""
    for value, answer in zip(values, answers, strict=True):
        if answer is None or value == answer:
            continue
        numbers = isinstance(value, int | float) and isinstance(answer, int | float)
        if not numbers or abs(value - answer) > 1e-9:
            return False
    return True


def make_tests(spec: Spec, seed: int, examples: Sequence[Word] | None = None, most: int = MOST_WORDS) -> WordTests:
    """The words for a specification: all short ones and random longer ones, or the examples alone."""
    if examples is not None:
        words = sorted(examples, key=len)
        long = sum(len(word) > LONGEST for word in words)
        evidence = WordEvidence(len(words[-1]), len(words), 0, 0, examples=True, long=long)
        return WordTests(spec, words, answers_for(spec, words), evidence)
    short: list[Word] = []
    length = 0
    most_letters = LONGEST_RANDOM if spec.longest is None else min(LONGEST_RANDOM, spec.longest)
    while length < most_letters:
        of_length = list(islice(words_of(spec, length + 1), most - len(short) + 1))
        if len(short) + len(of_length) > most or (not of_length and length >= LONGEST):
            break
        short += of_length
        length += 1
    longer = _random_words(spec, length, most_letters, seed)
    answers = answers_for(spec, [*short, *longer])
    return WordTests(spec, [*short, *longer], answers, WordEvidence(length, len(short), len(longer), most_letters))


def words_of(spec: Spec, length: int) -> Iterable[Word]:
    """All words of a length that a specification is about."""
    if spec.every is not None:
        return spec.every(length)
    return product(spec.letters, repeat=length)


def _random_words(spec: Spec, above: int, longest: int, seed: int) -> list[Word]:
    """Words longer than all that are tried; some with few letters, so that repetitions are met."""
    random = np.random.default_rng(seed)
    words: list[Word] = []
    if spec.every is not None or (spec.longest is not None and above >= longest):
        return words
    for _ in range(RANDOM_WORDS):
        length = int(random.integers(above + 1, max(above + 2, longest + 1)))
        count = int(random.integers(1, len(spec.letters) + 1))
        letters = [spec.letters[k] for k in random.choice(len(spec.letters), count, replace=False)]
        words.append(tuple(letters[k] for k in random.integers(0, count, length)))
    return sorted(words, key=len)
