"""n-gram models from words, from tables and at random."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.ngram.ngram import Array, NGram, Symbol, legal_count, legal_histories

MOST_NUMBERS: Final = 50_000_000
"""A table of more probabilities is refused."""


def fit(
    words: Iterable[Sequence[Symbol]], order: int, *, smooth: float = 0.0, alphabet: Iterable[Symbol] | None = None
) -> NGram:
    """The n-gram model of counts in words: (count + smooth) / (total + smooth * (symbols + 1)) after each history.

    Only histories that the words have get a row. After any other the rest is uniform: that is what smoothing gives
    when nothing was counted and, without smoothing, a choice, as counts then say nothing. Without smoothing, what
    never followed a history has probability 0. The alphabet is that of the words, sorted, unless it is given.
    """
    return counted(words, order, alphabet=alphabet).model(smooth)


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each symbol, or the end, follows each history of order - 1 symbols in some words.

    Symbols are numbered as in `alphabet`; len(alphabet) is the padding before a word and the end after it. Histories
    are in the order in which the words have them.
    """

    order: int
    alphabet: tuple[Symbol, ...]
    after: Mapping[tuple[int, ...], Mapping[int, int]]

    def model(self, smooth: float = 0.0) -> NGram:
        """The n-gram model of these counts: see `fit`."""
        if not 0 <= smooth < float("inf"):
            raise CapaxError("bad-ngram", f"smoothing {smooth} makes no model", hint="give -n 3 --smooth 1")
        bos, k = len(self.alphabet), self.order - 1
        table = np.full((len(self.after), bos + 1), float(smooth))
        for row, followers in zip(table, self.after.values(), strict=True):
            row[list(followers)] += list(followers.values())
        table /= table.sum(axis=1, keepdims=True)
        histories = np.array(list(self.after), dtype=np.int64).reshape(len(self.after), k)
        complete = len(self.after) == legal_count(bos, k)
        return NGram(self.order, self.alphabet, histories, table, None if complete else np.full(bos + 1, 1 / (bos + 1)))

    def perplexity(self, model: NGram) -> float:
        """The perplexity of a model on the words that were counted; much faster than reading them again."""
        logs, count = [], 0
        for history, followers in self.after.items():
            row = model.next(history)
            for symbol, times in followers.items():
                count += times
                logs.append(times * (math.log(row[symbol]) if row[symbol] else -math.inf))
        return math.exp(-math.fsum(logs) / count) if -math.inf not in logs else math.inf


CHUNK: Final = 1 << 20
"""The n-grams that are counted at once have at most this many symbols together, or one word is longer."""


def counted(words: Iterable[Sequence[Symbol]], order: int, *, alphabet: Iterable[Symbol] | None = None) -> Counts:
    """The counts of n-grams in words. The alphabet is that of the words, sorted, unless it is given."""
    if order < 1:
        raise CapaxError("bad-ngram", f"order {order} makes no model", hint="give -n 3")
    texts = list(words)
    if not texts:
        raise CapaxError("bad-ngram", "there are no words to count in", hint="a corpus has a word in each line")
    symbols = tuple(alphabet) if alphabet is not None else tuple(sorted(set().union(*texts), key=_key))
    if not symbols:
        raise CapaxError("bad-ngram", "all words are empty", hint="a corpus has a word in each line")
    counts: dict[tuple[int, ...], Counter[int]] = {}
    for stream, ends in _batches(texts, {symbol: at for at, symbol in enumerate(symbols)}, order - 1):
        for gram, times in _grams(stream, ends, order, len(symbols) + 1):
            counts.setdefault(gram[:-1], Counter())[gram[-1]] += times
        _refuse_large(len(counts), len(symbols) + 1)
    return Counts(order, symbols, counts)


def _batches(texts: Iterable[Sequence[Symbol]], number: Mapping[Symbol, int], k: int) -> Iterator[tuple[Array, Array]]:
    """The numbers of all symbols and ends, each word after k of padding, in parts; and the positions where they end.

    A long word is in several parts, each after the k symbols before it.
    """
    bos = len(number)
    stream: list[int] = []
    ends: list[int] = []
    most = max(1, CHUNK // (k + 1))
    for text in texts:
        before = [bos] * k
        for start in range(0, len(text) + 1, most):
            part = [number[x] for x in text[start : start + most]]
            if start + most > len(text):
                part.append(bos)
            ends += range(len(stream) + k, len(stream) + k + len(part))
            stream += before
            stream += part
            before = part[len(part) - k :] if len(part) >= k else [*before, *part][len(part) :]
            if len(ends) >= most:
                yield np.array(stream, np.int64), np.array(ends, np.int64)
                stream, ends = [], []
    if ends:
        yield np.array(stream, np.int64), np.array(ends, np.int64)


def _grams(stream: Array, ends: Array, order: int, base: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """The n-grams that end at some positions of a stream, each with its count, in the order of first occurrence."""
    codes = np.zeros(len(ends), np.int64)
    for back in range(order - 1, -1, -1):
        if codes.max(initial=0) >= 2**62 // base:  # numbers of the n-grams so far that are small again
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
        codes = codes * base + stream[ends - back]
    _, first, times = np.unique(codes, return_index=True, return_counts=True)
    inorder = np.argsort(first)
    grams = stream[ends[first[inorder]][:, None] - np.arange(order - 1, -1, -1)]
    yield from zip(map(tuple, grams.tolist()), times[inorder].tolist(), strict=True)


def _key(symbol: Symbol) -> tuple[str, Symbol]:
    return type(symbol).__name__, symbol


def from_table(
    order: int,
    alphabet: Sequence[Symbol],
    rows: Mapping[tuple[Symbol | None, ...], Mapping[Symbol | None, float]],
    *,
    rest: Mapping[Symbol | None, float] | None = None,
) -> NGram:
    """The n-gram model of a table: history to the probabilities of what follows. None is padding, and the end.

    >>> coin = from_table(2, "ab", {(None,): {"a": 1.0}, ("a",): {"b": 0.5, None: 0.5}, ("b",): {"a": 1.0}})
    >>> coin.probability("aba")
    0.25
    """
    number: dict[Symbol | None, int] = {symbol: at for at, symbol in enumerate(alphabet)} | {None: len(alphabet)}

    def numbered(row: Mapping[Symbol | None, float]) -> list[float]:
        probabilities = [0.0] * (len(alphabet) + 1)
        for symbol, p in row.items():
            probabilities[_at(number, symbol)] = float(p)
        return probabilities

    if order < 1 or any(len(history) != order - 1 for history in rows):
        raise CapaxError("bad-ngram", f"a history of order {order} has {order - 1} symbols", hint="None is padding")
    histories = np.array([[_at(number, x) for x in history] for history in rows], dtype=np.int64)
    table = np.array([numbered(row) for row in rows.values()], dtype=np.float64)
    return NGram(
        order,
        tuple(alphabet),
        histories.reshape(len(rows), order - 1),
        table.reshape(len(rows), len(alphabet) + 1),
        None if rest is None else np.array(numbered(rest)),
    )


def _at(number: Mapping[Symbol | None, int], symbol: Symbol | None) -> int:
    if symbol not in number:
        raise CapaxError("bad-ngram", f"the table has the symbol {symbol!r:.60}, which is not in the alphabet")
    return number[symbol]


def random_ngram(order: int, symbols: int, *, zeros: float, seed: int) -> NGram:
    """A random n-gram model over `symbols` letters with a row for every history; a share of its entries is 0.

    The symbols are a, b, c, ... and, beyond z, numbers.
    """
    random = np.random.default_rng(seed)
    _refuse_large(legal_count(symbols, order - 1), symbols + 1)
    histories = legal_histories(symbols, order - 1)
    table = random.exponential(size=(len(histories), symbols + 1))
    table[random.random(table.shape) < zeros] = 0
    table[np.arange(len(table)), random.integers(symbols + 1, size=len(table))] += 0.1  # no row is all zeros
    letters: tuple[Symbol, ...] = (
        tuple("abcdefghijklmnopqrstuvwxyz"[:symbols]) if symbols <= 26 else tuple(range(symbols))
    )
    return NGram(order, letters, histories, table / table.sum(axis=1, keepdims=True))


def _refuse_large(rows: int, columns: int) -> None:
    if rows * columns > MOST_NUMBERS:
        what = f"{rows:,} histories with {columns:,} probabilities each are more than {MOST_NUMBERS:,} numbers"
        raise CapaxError("too-large", what, hint="take a smaller order, a smaller alphabet or less text")
