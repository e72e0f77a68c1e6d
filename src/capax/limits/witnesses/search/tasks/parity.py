"""Fooling a one-layer model of parity: two words of different parity that end alike and send equal messages.

Parity takes one bit of communication, so counting says nothing: such words need not exist. Where they do, one of the
two answers is wrong.
"""

import numpy as np

from capax.limits.witnesses.claimed_task import TaskClaim
from capax.limits.witnesses.search.collisions import searched
from capax.limits.witnesses.search.fooling_result import FoolingResult, Pair, Used
from capax.limits.witnesses.search.one_query import OneQuery, words_of
from capax.model.model import Model

WHY = "no statement: parity takes one bit of communication, so counting messages rules nothing out"


def fool(model: Model, claim: TaskClaim, random: np.random.Generator, used: Used, share: float) -> FoolingResult:
    """Two words with equal transcripts and different truths, looked for until a share of the time is used up."""
    n = claim["n"]
    zero, one = symbols(model)
    if n < 2:
        return FoolingResult(None, False, WHY, "", (), False)
    query = OneQuery(model, tuple(range(n - 1)), ((zero, one),) * (n - 1), zero, n - 1, n)
    labels = np.tile(np.array([0, 1]), (n - 1, 1))
    search = searched(query, labels, random, lambda: used() > share).search
    if search.collision is None:
        return FoolingResult(None, False, WHY, "", search.tried, False)
    words = [words_of([zero] * n, query, choices) for choices in (search.collision.one, search.collision.two)]
    pair = Pair(words[0], words[1], query.positions, n - 1, query.width)
    return FoolingResult(pair, False, WHY, search.collision.method, search.tried)


def symbols(model: Model) -> tuple[object, object]:
    """The tokens of 0 and 1: numbers, or texts where the model has no numbers."""
    return (0, 1) if any(token == 0 and type(token) is int for token in model.vocabulary.tokens) else ("0", "1")
