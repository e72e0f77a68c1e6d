"""Trained heads as weighted averages: log attention as a sum of tables by tokens, distance and position.

Statement. The weight of key j for query i is taken to be proportional to exp(a[x_i, x_j] + r[i - j] + p[j]). They are
fitted to the logarithms of the attention by means in turn, with a constant for each row; then the attention of the
model is replaced by that of the tables, all heads of a layer at once, and its answers are compared with its own.
Scope. One layer, softmax heads, causal or full; the MLP, the values and the readout stay as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.decompiler.sample import Sample, Word
from capax.model.arithmetic.floats import FloatArithmetic
from capax.model.model import Model
from capax.model.parts import Array, Head
from capax.model.run.forward import embed, mlp_sublayer, normed, read_out
from capax.model.vocabulary import Token

FLOAT64: Final = FloatArithmetic("float64")
FEWEST: Final = -25.0
"""Log weights below this count as this."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedHead:
    """A head as tables of logits: `tokens` (query token, key token), `distances` and `positions` (of the key)."""

    layer: int
    number: int
    tokens: Array
    distances: Array
    positions: Array
    residual: float
    """The mean size of what the tables leave over, in logits."""

    def weights(self, queries: Array, keys: Array, distance: Array, seen: Array) -> Array:
        """The attention (batch, n, n) that the tables give."""
        scores = self.tokens[queries[:, :, None], keys[:, None, :]] + self.distances[np.clip(distance, 0, None)]
        scores = scores + self.positions[: keys.shape[1]]
        scores = np.where(seen, scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class FittedLayer:
    """The heads of a one-layer model as tables, and the share of its answers that they reproduce."""

    heads: tuple[FittedHead, ...]
    agreement: float


def fit_attention(model: Model, words: Sequence[Word], held_out: Sequence[Word]) -> FittedLayer | None:
    """The heads of a one-layer model as tables, fitted on some words and tried on others; None for other models."""
    if len(model.blocks) != 1 or not all(_fits(head) for head in model.blocks[0].heads):
        return None
    sample = Sample.of(words)
    longest = max(len(w) for w in (*words, *held_out)) + len(model.prefix)
    heads = tuple(_fit(model, sample, number, longest) for number in range(len(model.blocks[0].heads)))
    return FittedLayer(heads, _agreement(model, heads, Sample.of(held_out)))


def _fits(head: object) -> bool:
    return isinstance(head, Head) and head.attention == "softmax" and head.sink is None and head.mask == "causal"


def _rows(model: Model, batch: Sequence[Word]) -> Array:
    return np.array([model.read(word) for word in batch])


def _fit(model: Model, sample: Sample, number: int, longest: int) -> FittedHead:
    """The tables of a head, from the attention of the last query of each word."""
    logs, query, key, far, row, at = [], [], [], [], [], []
    count = 0
    for batch in sample.batches():
        pattern = model.run(list(batch), trace=True, many=True)["blocks.0.attn.pattern"][:, number, -1]
        ids = _rows(model, batch)
        n = ids.shape[1]
        logs.append(np.maximum(np.log(np.maximum(pattern.astype(np.float64), 1e-300)), FEWEST).reshape(-1))
        query.append(np.repeat(ids[:, -1], n))
        key.append(ids.reshape(-1))
        far.append(np.tile(np.arange(n - 1, -1, -1), len(ids)))
        at.append(np.tile(np.arange(n), len(ids)))
        row.append(np.repeat(np.arange(len(ids)), n) + count)
        count += len(ids)
    tokens = len(model.vocabulary)
    pair = np.concatenate(query) * tokens + np.concatenate(key)
    groups = [np.concatenate(row), pair, np.concatenate(far), np.concatenate(at)]
    tables, left = _alternate(np.concatenate(logs), groups, [count, tokens * tokens, longest, longest])
    return FittedHead(0, number, tables[1].reshape(tokens, tokens), tables[2], tables[3], float(np.abs(left).mean()))


def _alternate(logs: Array, groups: Sequence[Array], sizes: Sequence[int]) -> tuple[list[Array], Array]:
    """One table for each way to group the numbers, so that the sum of its entries is near each; and what is left over.

    Entries that no number belongs to are those of the last one that has some.
    """
    tables = [np.zeros(size) for size in sizes]
    left = logs.copy()
    for _ in range(60):
        for number, group in enumerate(groups):
            step = _means(left, group, sizes[number])
            tables[number] = tables[number] + step
            left = left - step[group]
    for number in (2, 3):
        seen = np.bincount(groups[number], minlength=sizes[number]) > 0
        tables[number] = np.where(seen, tables[number], tables[number][np.flatnonzero(seen)[-1]])
    return tables, left


def _means(values: Array, group: Array, groups: int) -> Array:
    return np.bincount(group, weights=values, minlength=groups) / np.maximum(np.bincount(group, minlength=groups), 1)


def _agreement(model: Model, heads: Sequence[FittedHead], sample: Sample) -> float:
    """The share of the words whose last answer stays when the tables give the attention."""
    same, count = 0, 0
    for batch in sample.batches():
        now = _answers(model, heads, _rows(model, batch))
        own = [row[-1] for row in model.batch(batch)]
        same += sum(a == b for a, b in zip(now, own, strict=True))
        count += len(own)
    return same / max(1, count)


def _answers(model: Model, heads: Sequence[FittedHead], ids: Array) -> list[Token]:
    """The last answers of a one-layer model whose attention is given by tables."""
    block = model.blocks[0]
    x = embed(model, FLOAT64, ids)
    before = model.norm_place == "before"
    inside = normed(FLOAT64, block.attention_norm, x) if block.attention_norm is not None and before else x
    n = ids.shape[1]
    distance = np.arange(n)[:, None] - np.arange(n)[None, :]
    out = np.zeros_like(x) + block.bias
    for head, tables in zip(block.heads, heads, strict=True):
        assert isinstance(head, Head)
        values = inside @ head.value.weight + head.value.bias
        out = out + tables.weights(ids, ids, distance, distance >= 0) @ values @ head.output
    x = x + out
    if block.attention_norm is not None and not before:
        x = normed(FLOAT64, block.attention_norm, x)
    logits = read_out(model, FLOAT64, mlp_sublayer(model, block, FLOAT64, x))
    return model.decoding.decode(np.asarray(logits[:, -1]))
