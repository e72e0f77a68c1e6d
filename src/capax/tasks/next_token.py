"""The next-token task: what an n-gram language model says after each prefix of a word."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from capax.formal.ngram.fit import random_ngram
from capax.formal.ngram.ngram import NGram, legal_histories
from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task
from capax.tasks.base.training import Array, ParameterValues, Training, TrainingBatch, Vocabularies

START, END = "<s>", "</s>"
TRAINING_PARAMETERS = (
    Parameter("order", 3, "n: a symbol depends on the n - 1 before it", 1, 8),
    Parameter("symbols", 4, "the size of the alphabet", 1, 200),
    Parameter("zeros", 0.0, "the share of probabilities that are 0, for a table without a rank", 0.0, 0.9),
    Parameter("rank", 0, "the rank of the matrix of logits; 0: a random table", 0, 200),
    Parameter("table", 0, "the seed of the n-gram model", 0, 2**31),
)


def reference(word: Any, *, order: int, symbols: int, zeros: float, seed: int) -> list[list[float]]:
    """The probabilities of each symbol, and of the end, after each prefix of a word."""
    rows: list[list[float]] = random_ngram(order, symbols, zeros=zeros, seed=seed).conditionals(word).tolist()
    return rows


def sample(random: np.random.Generator, n: int, *, order: int, symbols: int, zeros: float, seed: int) -> list[Any]:
    """A word of n symbols, each as likely as any other, so that impossible ones occur."""
    alphabet = random_ngram(order, symbols, zeros=zeros, seed=seed).alphabet
    return [alphabet[x] for x in random.integers(symbols, size=n)]


def every(n: int, *, order: int, symbols: int, zeros: float, seed: int) -> Iterator[list[Any]]:
    """All words of n symbols."""
    alphabet = random_ngram(order, symbols, zeros=zeros, seed=seed).alphabet
    return (list(word) for word in product(alphabet, repeat=n))


@cache
def model_of(order: int, symbols: int, zeros: float, rank: int, seed: int) -> NGram:
    """The n-gram model: a random table, or the softmax of a random matrix of logits of a rank."""
    table = random_ngram(order, symbols, zeros=zeros, seed=seed)
    if rank == 0:
        return table
    random = np.random.default_rng([seed, rank])
    histories = legal_histories(symbols, order - 1)
    logits = random.normal(size=(len(histories), rank)) @ random.normal(size=(rank, symbols + 1)) / np.sqrt(rank) * 2
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return NGram(order, table.alphabet, histories, weights / weights.sum(axis=1, keepdims=True))


def _model(at: ParameterValues) -> NGram:
    return model_of(at["order"], at["symbols"], at["zeros"], at["rank"], at["table"])


def _vocabularies(at: ParameterValues, n: int) -> Vocabularies:
    alphabet = _model(at).alphabet
    return Vocabularies((*alphabet, START), (*alphabet, END))


def _batch(random: np.random.Generator, count: int, n: int, at: ParameterValues) -> TrainingBatch:
    """Words of n symbols drawn from the model, which cannot end before; the answers are what it says next.

    The last answer is drawn with the end among the choices, so that ends are learned too; elsewhere the end is left
    out of the draw but not of the distribution, and `targets` holds what the model says.
    """
    model = _model(at)
    k, bos = model.order - 1, model.bos
    rows = np.zeros((bos + 1,) * k, dtype=np.int64)
    if k:
        rows[tuple(model.histories.T)] = np.arange(len(model.histories))
    ids = np.full((count, k + n), bos)
    answers = np.zeros((count, n + 1), dtype=np.int64)
    targets = np.zeros((count, n + 1, bos + 1))
    for t in range(n + 1):
        row = model.table[rows[tuple(ids[:, t : t + k].T)]] if k else np.repeat(model.table[:1], count, axis=0)
        targets[:, t] = row
        answers[:, t] = _drawn(random, row)
        if t < n:
            stay = row[:, :bos]
            total = stay.sum(axis=1, keepdims=True)
            stay = np.where(total > 0, stay / np.where(total > 0, total, 1), 1 / bos)
            ids[:, k + t] = _drawn(random, stay)
            answers[:, t] = np.where(answers[:, t] == bos, bos, ids[:, k + t])
    inputs = np.concatenate([np.full((count, 1), bos), ids[:, k:]], axis=1)
    return TrainingBatch(inputs, answers, targets)


def _drawn(random: np.random.Generator, rows: Array) -> Array:
    """One number for each row of probabilities."""
    drawn = (rows.cumsum(axis=1) < random.random((len(rows), 1)) * rows.sum(axis=1, keepdims=True)).sum(axis=1)
    return np.asarray(np.minimum(drawn, rows.shape[1] - 1))


TASK = Task(
    name="next-token",
    what="what follows each prefix of a word, as a random n-gram language model says: one distribution per prefix",
    domain="words over an alphabet, the empty one included",
    reference=reference,
    sample=sample,
    every=every,
    parameters=(
        Parameter("order", 3, "n: a symbol depends on the n - 1 before it", 1, 8),
        Parameter("symbols", 3, "the size of the alphabet", 1, 200),
        Parameter("zeros", 0.3, "the share of probabilities that are 0", 0, 0.9),
        Parameter("seed", 0, "of the n-gram model", 0, 2**31),
    ),
    citation="Svete and Cotterell, Transformers Can Represent n-gram Language Models, NAACL 2024",
    training=Training(
        _vocabularies,
        _batch,
        TRAINING_PARAMETERS,
        kind="distribution",
        causal=lambda at: True,
    ),
)
