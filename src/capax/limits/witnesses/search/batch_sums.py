"""Sums of attention for many states of a player at once, as arrays: for searches over all inputs of toy sizes."""

from typing import Any

import numpy as np

from capax.limits.protocols.play.partial_bytes import pairwise_heads
from capax.limits.protocols.play.player import own_stream
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.attention import seen
from capax.model.run.forward import mlp_sublayer
from capax.model.run.split import after_attention, integers


def embedded(model: Model, words: Array, at: Array, length: int) -> Array:
    """The streams (count, tokens, d) of many rows of tokens (count, tokens) that stand at the same places."""
    places = np.array(at, np.int64)
    values, inverse = np.unique(words, return_inverse=True)
    # each token at each place is embedded once
    table = np.stack([own_stream(model, [int(v)] * len(places), places, length) for v in values])
    return np.asarray(table[inverse.reshape(words.shape), np.arange(len(places))])


def sums(model: Model, layer: int, keys: Array, keys_at: Any, queries: Array, queries_at: Any) -> Array:
    """What keys (..., m, d) say about queries (..., r, d): numerators and denominators (..., r, numbers)."""
    a = integers(model, 1 + int(max(np.max(keys_at), np.max(queries_at))))
    said = []
    for head in pairwise_heads(model)[layer]:
        q = a.scaled(a.keep(a.affine(queries, head.query.weight, head.query.bias)), head.scale)
        k = a.keep(a.affine(keys, head.key.weight, head.key.bias))
        v = a.keep_value(a.affine(keys, head.value.weight, head.value.bias))
        visible = seen(head.mask, np.asarray(queries_at), np.asarray(keys_at))
        w = a.weigh(np.where(visible, a.scores(q, k), a.unseen), q)
        said += [a.combine(w, v), a.total(w)]
    return np.concatenate(said, axis=-1)


def advanced(model: Model, layer: int, x: Array, total: Array) -> Array:
    """The streams (..., r, d) after a layer, from the sums of all parties together."""
    a, means, start = integers(model), [], 0
    for head in pairwise_heads(model)[layer]:
        v = head.value.outputs
        means.append(a.ratio(total[..., start : start + v], total[..., start + v : start + v + 1]))
        start += v + 1
    block = model.blocks[layer]
    return mlp_sublayer(model, block, a, after_attention(model, block, x, means))


def classes(rows: Array) -> Array:
    """A number for each row (count, ...) of integers, equal exactly where rows are equal."""
    flat = np.ascontiguousarray(rows.reshape(len(rows), -1))
    return np.asarray(np.unique(flat, axis=0, return_inverse=True)[1].reshape(-1))


def largest(numbers: Array) -> Array:
    """The places of the number that occurs most often."""
    return np.flatnonzero(numbers == np.argmax(np.bincount(numbers)))
