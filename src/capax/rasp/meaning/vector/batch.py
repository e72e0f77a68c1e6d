"""A batch of words laid out end to end, so that one array operation works on all of them."""

from collections.abc import Iterable
from collections.abc import Sequence as Items
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import read_word
from capax.rasp.meaning.vector.column import Column, Exact
from capax.rasp.meaning.vector.distinct import Bools, Ints, repeated


@dataclass(frozen=True, slots=False)
class WordBatch:
    """Words end to end: `words[w]` holds the flat positions `offsets[w]` to `offsets[w + 1]`.

    `ids` are the words' numbers in what the caller gave; words that failed are no longer there.
    """

    words: tuple[Items[Atom], ...]
    ids: tuple[int, ...]
    lengths: Ints = field(init=False)
    offsets: Ints = field(init=False)
    size: int = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        lengths = np.array([len(word) for word in self.words], dtype=np.int64)
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        object.__setattr__(self, "lengths", lengths)
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "size", int(offsets[-1]))
        object.__setattr__(self, "count", len(lengths))

    @cached_property
    def flat(self) -> Ints:
        """The flat positions themselves."""
        return np.arange(self.size, dtype=np.int64)

    @cached_property
    def word(self) -> Ints:
        """For each flat position the number of its word in the batch."""
        if self.count == 1:
            return np.zeros(self.size, dtype=np.int64)
        return np.repeat(np.arange(self.count, dtype=np.int64), self.lengths)

    @cached_property
    def position(self) -> Ints:
        """For each flat position its position in its word."""
        return self.flat if self.count == 1 else self.flat - self.spread(self.offsets[:-1])

    def spread(self, values: Exact) -> Exact:
        """For each flat position the value of its word."""
        return repeated(values, self.size) if self.count == 1 else values[self.word]

    def spread_column(self, column: Column) -> Column:
        """A column with one value for each word as one with a value for each position."""
        return column.repeated(self.size) if self.count == 1 else column.take(self.word)

    def sum_in_word(self, values: Exact) -> Exact:
        """For each word the sum of its values."""
        if self.count == 1:
            return np.asarray(values.sum(keepdims=True))
        return np.asarray(np.add.reduceat(values, self.offsets[:-1]))

    def any_in_word(self, flags: Bools) -> Bools:
        """For each word whether any of its flags is set."""
        return np.asarray(np.logical_or.reduceat(flags, self.offsets[:-1])) if self.count else np.zeros(0, np.bool_)

    def only(self, keep: Bools) -> "tuple[WordBatch, Bools]":
        """The batch of the words to keep, and the mask of their flat positions."""
        left = np.flatnonzero(keep)
        smaller = WordBatch(tuple(self.words[w] for w in left), tuple(self.ids[w] for w in left))
        return smaller, np.repeat(keep, self.lengths)


def make_batch(words: Iterable[Any]) -> tuple[WordBatch, dict[int, Exception]]:
    """The batch of those words that can be read, and the errors of the others by their number."""
    good: list[Items[Atom]] = []
    ids: list[int] = []
    errors: dict[int, Exception] = {}
    for number, word in enumerate(words):
        try:
            good.append(word if isinstance(word, str) and word else read_word(word))
            ids.append(number)
        except CapaxError as error:
            errors[number] = error
    return WordBatch(tuple(good), tuple(ids)), errors
