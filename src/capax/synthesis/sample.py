"""The sample: short words on which programs are told apart, as arrays.

All positions of all words are one axis. A word has at most eight letters, so what a selector selects for a query is
one byte: bit j is key j. An s-op is a row of integers, a selector a row of bytes. Strings are codes in their order,
truth values 0 and 1, and a share is 840 times its value, which is an integer for every mean of at most eight integers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np

from capax.auditor.spec import Answer, Spec
from capax.errors import CapaxError
from capax.model.vocabulary import Token
from capax.synthesis.grammar import ValueKind

LONGEST: Final = 8
"""Words of a sample have at most so many letters."""
UNIT: Final = 840
"""What a share of 1 is in a row: the least common multiple of 1 to 8."""

Array: TypeAlias = Any
Word: TypeAlias = tuple[Token, ...]

BITS: Final[Array] = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.uint8)
"""The bits (256, 8) of each byte."""
COUNTS: Final[Array] = BITS.sum(axis=1).astype(np.int16)
"""How many bits (256,) each byte has."""
HIGHEST: Final[Array] = np.array([max(b.bit_length() - 1, 0) for b in range(256)], dtype=np.intp)
"""The highest bit (256,) of each byte."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Words end to end, and the right answers: `target` is a row, and `stated` where there is an answer at all."""

    words: tuple[Word, ...]
    strings: tuple[str, ...]
    """All strings that a program may know, in order; a code is a number in this list."""
    kind: ValueKind
    """The type of the answers."""
    target: Array
    stated: Array

    @cached_property
    def size(self) -> int:
        """The number of positions."""
        return sum(map(len, self.words))

    @cached_property
    def padded(self) -> int:
        """The number of positions, rounded up so that rows are whole machine words."""
        return -(-self.size // 8) * 8

    @cached_property
    def word_of(self) -> Array:
        """The number of the word (positions,) of each position; padding belongs to the first."""
        numbers = np.zeros(self.padded, dtype=np.intp)
        numbers[: self.size] = np.repeat(np.arange(len(self.words)), [len(w) for w in self.words])
        return numbers

    @cached_property
    def starts(self) -> Array:
        """The first position (words,) of each word."""
        return np.cumsum([0, *[len(w) for w in self.words[:-1]]])

    @cached_property
    def lengths(self) -> Array:
        """The length (words,) of each word."""
        return np.array([len(w) for w in self.words])

    @cached_property
    def indices(self) -> Array:
        """The position in its word (positions,) of each position."""
        row = np.zeros(self.padded, dtype=np.int16)
        row[: self.size] = np.concatenate([np.arange(len(w)) for w in self.words])
        return row

    @cached_property
    def keys(self) -> Array:
        """The position (positions, 8) of each key of the word; those that are not there are the first."""
        row = np.zeros((self.padded, 8), dtype=np.intp)
        for p in range(self.size):
            word = self.word_of[p]
            own = self.starts[word] + np.arange(8)
            row[p] = np.where(np.arange(8) < self.lengths[word], own, self.starts[word])
        return row

    @cached_property
    def word_keys(self) -> Array:
        """The position (words, 8) of each key of each word."""
        return self.keys[self.starts]

    @cached_property
    def valid(self) -> Array:
        """The byte (positions,) of the keys that are there."""
        bytes_ = np.zeros(self.padded, dtype=np.uint8)
        bytes_[: self.size] = (1 << self.lengths[self.word_of[: self.size]]) - 1
        return bytes_

    @cached_property
    def offsets(self) -> Array:
        """Where the table of a position's word begins (positions,), in tables (words, 256) laid end to end."""
        return self.word_of * 256

    def row(self, values: Sequence[Any]) -> Array:
        """A row from one value for each position."""
        row = np.zeros(self.padded, dtype=np.int16)
        row[: self.size] = np.asarray(values)
        return row

    def code(self, text: str) -> int:
        """The code of a string."""
        return self.strings.index(text)

    def tokens(self) -> Array:
        """The row of the words' letters, as codes or as integers."""
        letters = [x for word in self.words for x in word]
        return self.row([self.code(x) if isinstance(x, str) else int(x) for x in letters])


def answers_for(spec: Spec, words: Sequence[Word]) -> list[list[Answer | None]]:
    """The right answers on words, which are single values."""
    rows = spec.answers_of(list(words))
    for row in rows:
        if any(isinstance(answer, frozenset) for answer in row):
            what = f"{spec.name} has sets of letters as answers, and a program gives one value at each position"
            raise CapaxError("unfit-spec", what, hint="search for a yes or no instead, such as regex:TEXT")
    return rows


def kind_of(values: Sequence[Any]) -> ValueKind:
    """The type of answers; those of several types are refused."""
    types = {type(v) for v in values}
    if types == {str}:
        return ValueKind.TOKEN
    if types == {bool}:
        return ValueKind.TRUTH
    if types == {int}:
        return ValueKind.COUNT
    if types and types <= {int, float, bool}:
        return ValueKind.SHARE
    what = "the answers are of several types" if types else "there is no word with an answer to search from"
    raise CapaxError("unfit-spec", what, hint="answers are all strings, all numbers or all truth values")


def make_sample(spec: Spec, words: Sequence[Word], extra: Sequence[str] = ()) -> Sample:
    """The sample of a specification on some words; `extra` are strings beside letters and answers."""
    rows = answers_for(spec, words)
    flat = [answer for row in rows for answer in row]
    known = [answer for answer in flat if answer is not None]
    kind = kind_of(known)
    texts = {x for word in words for x in word if isinstance(x, str)} | {x for x in spec.letters if isinstance(x, str)}
    strings = tuple(sorted(texts | {a for a in known if isinstance(a, str)} | set(extra)))
    target, stated = np.zeros(-(-len(flat) // 8) * 8, dtype=np.int16), np.zeros(-(-len(flat) // 8) * 8, dtype=bool)
    for p, answer in enumerate(flat):
        if answer is not None:
            target[p] = _coded(answer, kind, strings)
            stated[p] = True
    return Sample(tuple(words), strings, kind, target, stated)


def _coded(answer: Answer, kind: ValueKind, strings: tuple[str, ...]) -> int:
    """An answer as the integer of a row."""
    if isinstance(answer, str):
        return strings.index(answer)
    assert isinstance(answer, int | float), answer
    value = answer * UNIT if kind is ValueKind.SHARE else answer
    if abs(value - round(value)) > 1e-6 or abs(value) > 30_000:
        what = f"{answer!r} is neither a mean of at most {LONGEST} small integers nor a count"
        raise CapaxError("unfit-spec", what, hint="search from shorter words, or for a function of the value")
    return round(value)
