"""Fooling a one-layer model of composition: two functions g whose messages for the query are equal.

If g(y) and g'(y) differ, then with f(x) = y the answers should differ, and the model's answers are equal.
"""

import numpy as np

from capax.limits.witnesses.claimed_task import TaskClaim
from capax.limits.witnesses.search.collisions import searched
from capax.limits.witnesses.search.fooling_result import FoolingResult, Pair, Used, counted
from capax.limits.witnesses.search.one_query import OneQuery, words_of
from capax.model.model import Model


def fool(model: Model, claim: TaskClaim, random: np.random.Generator, used: Used, share: float) -> FoolingResult:
    """Two prompts with equal transcripts and different truths, looked for until a share of the time is used up."""
    n = claim["n"]
    length = 2 * n + 1
    tried: list[str] = []
    ruled_out = True
    guaranteed, why = False, ""
    for x in range(n):
        query = OneQuery(model, tuple(range(n, 2 * n)), (tuple(range(n)),) * n, x, 2 * n, length)
        result = searched(query, None, random, lambda: used() > share)
        sure, text = counted(result.messages, result.inputs, "the values of g")
        if sure or not why:
            guaranteed, why = guaranteed or sure, text
        tried += result.search.tried
        collision = result.search.collision
        if collision is not None:
            y = next(i for i in range(n) if collision.one[i] != collision.two[i])
            template = [0] * length
            template[x], template[2 * n] = y, x
            words = [words_of(template, query, choices) for choices in (collision.one, collision.two)]
            pair = Pair(words[0], words[1], query.positions, 2 * n, query.width)
            # the reason is that of this query: a second look knows no other
            return FoolingResult(pair, sure, text, collision.method, tuple(dict.fromkeys(tried)))
        ruled_out &= result.search.exhausted
        if used() > share:
            ruled_out &= x == n - 1
            break
    return FoolingResult(None, guaranteed, why, "", tuple(dict.fromkeys(tried)), ruled_out)
