"""n-gram models of language: the next symbol depends on the n - 1 symbols before it alone."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.errors import CapaxError

Symbol: TypeAlias = str | int
Array: TypeAlias = NDArray[Any]

ROUNDING: Final = 1e-9
"""Probabilities of a row sum to 1 up to this."""


@dataclass(frozen=True, slots=True, eq=False)
class NGram:
    """An n-gram model over an alphabet: p(y) = prod_t p(y_t | the n - 1 symbols before), the end of y included.

    Symbols are numbered as in `alphabet`; the number `bos` = len(alphabet) stands for the padding before the first
    symbol. A row of `histories` (rows, n - 1) holds the symbols before a position, the oldest first. A row of `table`
    (rows, len(alphabet) + 1) holds the probabilities of what follows; the last column is the end (EOS). `rest`
    (len(alphabet) + 1,) is what follows any history that `histories` lacks, and None when it lacks none that can occur.
    """

    order: int
    alphabet: tuple[Symbol, ...]
    histories: Array
    table: Array
    rest: Array | None = None
    _row: dict[tuple[int, ...], int] = field(init=False, repr=False)
    _number: dict[Symbol, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        s, k = len(self.alphabet), self.order - 1
        _require(self.order >= 1, f"the order is {self.order}, and must be at least 1")
        _require(s >= 1, "the alphabet is empty")
        _require(len(set(self.alphabet)) == s, "a symbol stands twice in the alphabet")
        _require(self.histories.shape == (len(self.table), k), f"a history of order {self.order} has {k} symbols")
        _require(self.table.shape[1:] == (s + 1,), f"a row has {s + 1} probabilities, one of them for the end")
        _check_rows(self.table)
        if self.rest is not None:
            _require(self.rest.shape == (s + 1,), f"a row has {s + 1} probabilities, one of them for the end")
            _check_rows(self.rest[None])
        rows = {tuple(map(int, history)): at for at, history in enumerate(self.histories)}
        _require(len(rows) == len(self.table), "a history stands twice in the table")
        object.__setattr__(self, "_row", rows)
        object.__setattr__(self, "_number", {symbol: at for at, symbol in enumerate(self.alphabet)})
        if self.rest is None:
            needed, legal = legal_count(s, k), sum(map(self._is_legal, rows))
            _require(legal == needed, f"of {needed:,} histories {legal:,} have a row")

    def _is_legal(self, history: tuple[int, ...]) -> bool:
        """Whether padding stands before all symbols alone."""
        symbols = [x != self.bos for x in history]
        return symbols == sorted(symbols)

    @property
    def bos(self) -> int:
        """The number of the padding before the first symbol, and of the end after the last."""
        return len(self.alphabet)

    def numbers(self, word: Iterable[Symbol]) -> list[int]:
        """The numbers of a word's symbols; a symbol outside the alphabet is an error."""
        numbers = []
        for position, symbol in enumerate(word):
            if symbol not in self._number:
                what = f"the symbol {symbol!r:.60} at position {position} is not in the alphabet"
                raise CapaxError("unknown-token", what, hint=f"the alphabet has {len(self.alphabet):,} symbols")
            numbers.append(self._number[symbol])
        return numbers

    def next(self, history: Sequence[int]) -> Array:
        """The probabilities (len(alphabet) + 1,) of what follows n - 1 symbols, given by their numbers."""
        row = self._row.get(tuple(history))
        if row is not None:
            return np.asarray(self.table[row])
        assert self.rest is not None, f"no row for the history {history}, which cannot occur"
        return self.rest

    def conditionals(self, word: Iterable[Symbol]) -> Array:
        """The probabilities (len(word) + 1, len(alphabet) + 1) of what follows each prefix of a word."""
        k = self.order - 1
        padded = [self.bos] * k + self.numbers(word)
        return np.array([self.next(padded[t : t + k]) for t in range(len(padded) - k + 1)])

    def log_probability(self, word: Iterable[Symbol]) -> float:
        """The natural logarithm of the probability of a word with its end; minus infinity for an impossible one."""
        symbols = list(word)
        ids = [*self.numbers(symbols), self.bos]
        with np.errstate(divide="ignore"):
            return math.fsum(np.log(self.conditionals(symbols)[np.arange(len(ids)), ids]))

    def probability(self, word: Iterable[Symbol]) -> float:
        """The probability of a word with its end."""
        return math.exp(self.log_probability(word))

    def perplexity(self, words: Iterable[Iterable[Symbol]]) -> float:
        """exp of minus the mean logarithm of the probability of each symbol and end in the words."""
        total, count = 0.0, 0
        for word in words:
            symbols = list(word)
            total += self.log_probability(symbols)
            count += len(symbols) + 1
        _require(count > 0, "there are no words to measure")
        return math.exp(-total / count) if total > -math.inf else math.inf

    def sample(self, random: np.random.Generator, longest: int) -> list[Symbol]:
        """A random word, cut off after `longest` symbols."""
        ids = [self.bos] * (self.order - 1)
        word: list[Symbol] = []
        while len(word) < longest:
            sums = np.cumsum(self.next(ids[len(ids) - self.order + 1 :]))
            choice = min(int(np.searchsorted(sums, random.random() * sums[-1], side="right")), self.bos)
            if choice == self.bos:
                break
            ids.append(choice)
            word.append(self.alphabet[choice])
        return word


def legal_count(s: int, k: int) -> int:
    """The number of histories of k symbols over s: padding first, then any symbols."""
    return sum(s**a for a in range(k + 1))


def legal_histories(s: int, k: int) -> Array:
    """All histories (rows, k) of k symbols over s: those with more padding first, then in the order of the alphabet."""
    blocks = []
    for a in range(k + 1):
        block = np.full((s**a, k), s)
        for column in range(a):
            block[:, k - a + column] = np.arange(s**a) // s ** (a - 1 - column) % s
        blocks.append(block)
    return np.concatenate(blocks)


def _check_rows(table: Array) -> None:
    _require(bool(np.isfinite(table).all() and (table >= 0).all()), "a probability is negative or no number")
    off = np.abs(table.sum(axis=1) - 1)
    _require(
        bool((off <= ROUNDING).all()), f"a row sums to {table.sum(axis=1)[off.argmax()] if len(off) else 1}, not 1"
    )


def _require(right: bool, what: str) -> None:
    if not right:
        raise CapaxError("bad-ngram", what, hint="a row of probabilities for each history, that sums to 1")
