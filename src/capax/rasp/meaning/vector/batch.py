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
from capax.rasp.meaning.vector.column import Bools, Ints


@dataclass(frozen=True, slots=False)
class WordBatch:
    """Words end to end: `words[w]` holds the flat positions `offsets[w]` to `offsets[w + 1]`.

    `ids` are the words' numbers in what the caller gave; words that failed are no longer there.
    """

    words: tuple[Items[Atom], ...]
    ids: tuple[int, ...]
    offsets: Ints = field(init=False)

    def __post_init__(self) -> None:
        lengths = np.fromiter((len(w) for w in self.words), dtype=np.int64, count=len(self.words))
        object.__setattr__(self, "offsets", np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))

    @property
    def size(self) -> int:
        """The number of tokens of all words."""
        return int(self.offsets[-1])

    @property
    def count(self) -> int:
        """The number of words."""
        return len(self.words)

    @cached_property
    def lengths(self) -> Ints:
        """The length of each word."""
        return np.diff(self.offsets)

    @cached_property
    def word(self) -> Ints:
        """For each flat position the number of its word in the batch."""
        return np.repeat(np.arange(self.count, dtype=np.int64), self.lengths)

    @cached_property
    def start(self) -> Ints:
        """For each flat position the flat position at which its word starts."""
        return np.repeat(self.offsets[:-1], self.lengths)

    @cached_property
    def position(self) -> Ints:
        """For each flat position its position in its word."""
        return np.arange(self.size, dtype=np.int64) - self.start

    def any_in_word(self, flags: Bools) -> Bools:
        """For each word whether any of its flags is set."""
        return np.add.reduceat(flags.astype(np.int64), self.offsets[:-1]) > 0 if self.count else np.zeros(0, bool)

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
