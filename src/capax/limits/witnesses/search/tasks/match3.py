"""Fooling a one-layer model of Match3: two sets of Alice whose messages for the token 1 are equal.

If the sets differ at i, Bob's set {i} meets one of them alone.
"""

import numpy as np

from capax.limits.protocols.match3 import alice_tokens, bob_tokens
from capax.limits.witnesses.claimed_task import TaskClaim
from capax.limits.witnesses.search.collisions import searched
from capax.limits.witnesses.search.fooling_result import FoolingResult, Pair, Used, counted
from capax.limits.witnesses.search.one_query import OneQuery, words_of
from capax.model.model import Model


def fool(model: Model, claim: TaskClaim, random: np.random.Generator, used: Used, share: float) -> FoolingResult:
    """Two words with equal transcripts and different truths, looked for until a share of the time is used up."""
    n, modulus = claim["n"], claim["modulus"]
    zero, one = alice_tokens([0] * n, modulus), alice_tokens([1] * n, modulus)
    query = OneQuery(model, tuple(range(n)), tuple(zip(zero, one, strict=True)), 1, 2 * n, 2 * n + 1)
    result = searched(query, None, random, lambda: used() > share)
    guaranteed, why = counted(result.messages, result.inputs, "Alice's set")
    search = result.search
    if search.collision is None:
        return FoolingResult(None, guaranteed, why, "", search.tried, search.exhausted)
    i = next(i for i in range(n) if search.collision.one[i] != search.collision.two[i])
    template = [*zero, *bob_tokens([int(k == i) for k in range(n)], modulus), 1]
    words = [words_of(template, query, choices) for choices in (search.collision.one, search.collision.two)]
    pair = Pair(words[0], words[1], query.positions, 2 * n, query.width)
    return FoolingResult(pair, guaranteed, why, search.collision.method, search.tried)
