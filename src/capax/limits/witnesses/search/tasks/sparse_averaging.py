"""Fooling a model of q-sparse averaging: two tokens that name different positions and have one embedding.

If y names j and y' does not, let the vector at j be +1 and the others -1: the means differ by 2/q at least.
"""

import numpy as np

from capax.limits.protocols.play.player import own_stream
from capax.limits.protocols.sparse_averaging import bob_tokens, token
from capax.limits.witnesses.claimed_task import TaskClaim, integer_system
from capax.limits.witnesses.search.fooling_result import FoolingResult, Pair, Used, counted
from capax.model.model import Model


def fool(model: Model, claim: TaskClaim, random: np.random.Generator, used: Used, share: float) -> FoolingResult:
    """Two words with equal transcripts and different truths; every set that the model has a token for is tried."""
    q = claim["q"]
    length, start = 2 * q + 1, len(model.prefix)
    sets = [named for named in map(named_by, model.vocabulary.tokens) if named is not None and len(named) == q]
    sets = [named for named in sets if named[-1] < length - 1]
    bits = model.width * integer_system(model).bits
    guaranteed, why = counted(1 << bits, max(1, len(sets)), "the set that the last token names")
    tokens = [token(-1, named) for named in sets]
    at = np.full(len(tokens), start + length - 1)
    streams = own_stream(model, tokens, at, start + length)
    seen: dict[bytes, int] = {}
    for number, row in enumerate(streams):
        other = seen.setdefault(row.tobytes(), number)
        if other != number:
            j = next(iter(set(sets[number]) - set(sets[other])))
            his = bob_tokens([1 if position == j else -1 for position in range(2 * q)], q)
            pair = Pair([*his, tokens[other]], [*his, tokens[number]], (2 * q,), 2 * q, bits)
            return FoolingResult(pair, guaranteed, why, "enumeration", ("enumeration",))
    return FoolingResult(None, guaranteed, why, "", ("enumeration",), ruled_out=True)


def named_by(text: object) -> tuple[int, ...] | None:
    """The positions that a token such as `-e1 0,3` names in ascending order, if it is one: one token for each set."""
    if not isinstance(text, str) or not text.startswith("-e1 "):
        return None
    parts = text.removeprefix("-e1 ").split(",")
    if not all(part.isdecimal() for part in parts):
        return None
    named = tuple(sorted(set(map(int, parts))))
    return named if token(-1, named) == text else None
