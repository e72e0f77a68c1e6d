"""What follows each prefix of a word, drawn from a random n-gram language model."""

from functools import cache

import numpy as np

from capax.formal.ngram.fit import random_ngram
from capax.formal.ngram.ngram import NGram, legal_histories
from capax.lab.lessons.frame.lesson import Array, At, Batch, Lesson, Words
from capax.tasks.base.parameter import Parameter

START, END = "<s>", "</s>"
PARAMETERS = (
    Parameter("order", 3, "n: a symbol depends on the n - 1 before it", 1, 8),
    Parameter("symbols", 4, "the size of the alphabet", 1, 200),
    Parameter("zeros", 0.0, "the share of probabilities that are 0, for a table without a rank", 0.0, 0.9),
    Parameter("rank", 0, "the rank of the matrix of logits; 0: a random table", 0, 200),
    Parameter("table", 0, "the seed of the n-gram model", 0, 2**31),
)


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


def _model(at: At) -> NGram:
    return model_of(at["order"], at["symbols"], at["zeros"], at["rank"], at["table"])


def _words(at: At, n: int) -> Words:
    alphabet = _model(at).alphabet
    return Words((*alphabet, START), (*alphabet, END))


def _batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
    """Words of n symbols drawn from the model, which is not let end before; the answers are what it says next.

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
    return Batch(inputs, answers, targets)


def _drawn(random: np.random.Generator, rows: Array) -> Array:
    """One number for each row of probabilities."""
    drawn = (rows.cumsum(axis=1) < random.random((len(rows), 1)) * rows.sum(axis=1, keepdims=True)).sum(axis=1)
    return np.asarray(np.minimum(drawn, rows.shape[1] - 1))


LESSON = Lesson(
    "next-token",
    "what follows each prefix of a word, drawn from a random n-gram language model",
    _words,
    _batch,
    PARAMETERS,
    kind="distribution",
    causal=lambda at: True,
)
