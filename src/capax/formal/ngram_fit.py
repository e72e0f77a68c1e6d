"""n-gram models from words, from tables and at random."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.ngram import NGram, Symbol, legal_count, legal_histories

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
    if order < 1 or not 0 <= smooth < float("inf"):
        raise CapaxError(
            "bad-ngram", f"order {order} and smoothing {smooth} make no model", hint="give -n 3 --smooth 1"
        )
    texts = [list(word) for word in words]
    if not texts:
        raise CapaxError("bad-ngram", "there are no words to count in", hint="a corpus has a word in each line")
    symbols = tuple(alphabet) if alphabet is not None else tuple(sorted({x for text in texts for x in text}, key=_key))
    if not symbols:
        raise CapaxError("bad-ngram", "all words are empty", hint="a corpus has a word in each line")
    number = {symbol: at for at, symbol in enumerate(symbols)}
    bos, k = len(symbols), order - 1
    counts: dict[tuple[int, ...], Counter[int]] = {}
    for text in texts:
        ids = [bos] * k + [number[x] for x in text] + [bos]
        for t in range(k, len(ids)):
            counts.setdefault(tuple(ids[t - k : t]), Counter())[ids[t]] += 1
    _refuse_large(len(counts), bos + 1)
    table = np.full((len(counts), bos + 1), float(smooth))
    for row, found in zip(table, counts.values(), strict=True):
        row[list(found)] += list(found.values())
    table /= table.sum(axis=1, keepdims=True)
    histories = np.array(list(counts), dtype=np.int64).reshape(len(counts), k)
    complete = len(counts) == legal_count(bos, k)
    return NGram(order, symbols, histories, table, None if complete else np.full(bos + 1, 1 / (bos + 1)))


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
        found = [0.0] * (len(alphabet) + 1)
        for symbol, p in row.items():
            found[_at(number, symbol)] = float(p)
        return found

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
    """A random n-gram model over so many letters with a row for every history; a share of its entries is 0.

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
