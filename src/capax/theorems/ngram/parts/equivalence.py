"""Weak equivalence: a transformer and an n-gram model give every word the same probability."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.formal.ngram.ngram import NGram, Symbol
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.run import probabilities, run_rows
from capax.report import Evidence, Report, joined

TOLERANCE: Final = {"float64": 1e-12, "float32": 1e-6}
"""How far a conditional probability may be off: that of a table rounded to the number system."""

MOST_WORDS: Final = 3000
"""All words of a length are tried while they are no more than this."""

MOST_UNITS: Final = 50_000_000
"""So many units of the MLP are computed for all short words at most, and together for several words."""

MOST_PROVED: Final = 300_000_000
"""So many units of the MLP are computed for a proof at most."""

LONGEST: Final = 60
"""Proofs are about words of at most this length: over one symbol there is one word of each length."""

WORDS_AT_LENGTH: Final = 2


def weak_equivalence(model: Model, language: NGram, *, length: int, seed: int) -> Report:
    """Whether a model and an n-gram model agree: on all short words, and on random words of a length."""
    longest = longest_exhaustive(language, model.max_length)
    ids = np.array(list(product(range(language.bos), repeat=longest)), dtype=np.int64).reshape(-1, longest)
    # The rows of the longest words hold the distributions after all shorter ones.
    count = sum(language.bos**n for n in range(longest + 1))
    statement = f"every word of up to {longest} symbols has the same probability, zeros included"
    short = _compared(model, language, ids, statement, "exhaustive", count, None)
    length = length if model.max_length is None else min(length, model.max_length)
    random = np.random.default_rng(seed)
    ids = random.integers(language.bos, size=(WORDS_AT_LENGTH, length))
    statement = f"random words of {length:,} symbols, and all their prefixes, have the same probability, zeros included"
    count = WORDS_AT_LENGTH * (length + 1)
    long = _compared(model, language, ids, statement, "sampled", count, seed)
    return joined("the transformer and the n-gram model are weakly equivalent", (short, long))


def proved_equivalence(model: Model, language: NGram, least: int) -> ModelProof | None:
    """Whether a model and an n-gram model agree on all words of up to a length, of which there are at least so many.

    None where these would take too long.
    """
    longest, count = 0, 1
    while count < least and longest < (LONGEST if model.max_length is None else min(LONGEST, model.max_length)):
        longest += 1
        count += language.bos**longest
    if language.bos**longest * len(language.histories) > MOST_PROVED:
        return None
    ids = np.array(list(product(range(language.bos), repeat=longest)), dtype=np.int64).reshape(-1, longest)
    one = _compared(model, language, ids, "", "exhaustive", count, None)
    inputs = f"words of up to {longest} symbol{'s' * (longest > 1)}, each with its probability, zeros included"
    return ModelProof(inputs, count, model.numbers, counterexample=one.counterexample)


def agreement_on(model: Model, language: NGram, words: Iterable[Sequence[Symbol]]) -> Report:
    """Whether a model and an n-gram model agree on given words and all their prefixes, as far as the model reads."""
    statement = "these words, and all their prefixes, have the same probability"
    ids = (np.array([language.numbers(word[: model.max_length])], dtype=np.int64) for word in words)
    return joined(statement, tuple(_compared(model, language, one, statement, "exhaustive", 1, None) for one in ids))


def longest_exhaustive(language: NGram, most: int | None) -> int:
    """The length up to which all words are tried: the order or more, so that every history occurs, if words are few."""
    longest = language.order
    while language.bos ** (longest + 1) <= MOST_WORDS and longest < 2 * language.order + 2:
        longest += 1
    while longest > 1 and language.bos**longest * len(language.histories) > MOST_UNITS:
        longest -= 1
    return longest if most is None else min(longest, most)


def _compared(
    model: Model, language: NGram, ids: Array, statement: str, evidence: Evidence, count: int, seed: int | None
) -> Report:
    """The distributions after every prefix of the words (words, n), and the probabilities of words, side by side."""
    together = max(1, MOST_UNITS // (len(language.histories) * (ids.shape[1] + language.order)))
    got = np.concatenate([distributions(model, ids[k : k + together]) for k in range(0, len(ids), together)])
    right = _rows(language, ids)
    tolerance = TOLERANCE.get(model.numbers, 1e-6)
    off = np.abs(got - right).max(axis=-1)
    off[((got == 0) != (right == 0)).any(axis=-1)] = np.inf
    wrong = np.argwhere(~(off <= tolerance))
    figures = {"largest difference of a conditional probability": float(off.max())}
    if not len(wrong):
        return Report(statement, evidence, True, count, seed, figures)
    word, at = (int(x) for x in wrong[wrong[:, 1].argmin()])
    return Report(
        statement,
        evidence,
        False,
        count,
        seed,
        {"distributions that differ": len(wrong), "of": int(off.size)},
        _difference_json(language, ids[word, :at], got[word, at], right[word, at]),
    )


def distributions(model: Model, ids: Array) -> Array:
    """The model's distributions (words, n + 1, outputs) after each prefix of words given by numbers (words, n)."""
    k = len(model.prefix)
    start = np.array([model.vocabulary.rows(model.prefix)] * len(ids), dtype=np.int64)
    rows = run_rows(model, np.concatenate([start, ids], axis=1))
    return probabilities(model, rows[:, k - 1 :])


def _rows(language: NGram, ids: Array) -> Array:
    """The n-gram model's distributions after each prefix."""
    k = language.order - 1
    padded = np.concatenate([np.full((len(ids), k), language.bos), ids], axis=1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, k, axis=1)
    different, at = np.unique(windows.reshape(-1, k), axis=0, return_inverse=True)
    rows = np.array([language.next([int(x) for x in history]) for history in different])
    return np.asarray(rows[at.reshape(-1)].reshape(*windows.shape[:2], -1))


def _difference_json(language: NGram, ids: Array, got: Array, right: Array) -> dict[str, Any]:
    """A prefix (its end, if it is long) after which the two differ."""
    symbols = [language.alphabet[x] for x in ids]
    return {
        "after": len(symbols),
        "last": symbols[-12:],
        "model": [round(float(p), 6) for p in got],
        "right": [round(float(p), 6) for p in right],
    }
