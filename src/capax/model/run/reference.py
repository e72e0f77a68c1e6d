"""The definition of what a model computes: one word, plain loops over positions, heads and keys, any number system.

It is slow and has no tricks. The fast runtime (`capax.model.run.run`) must agree with it: to the last bit in fixed
point and in exact integers, up to rounding in floats.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from capax.model.arithmetic.scalars import Row, Scalars, scalars
from capax.model.arithmetic.select import check
from capax.model.loop import block_order
from capax.model.model import Model
from capax.model.parts import (
    HARD_KINDS,
    Affine,
    AnyHead,
    AnyMlp,
    AttentionKind,
    Block,
    GatedMlp,
    Mask,
    OracleMap,
    RotaryHead,
    Sink,
    TensorHead,
)


def define(model: Model, word: Iterable[Any]) -> list[list[float]]:
    """The logits of a word, one list for each of its tokens."""
    rows = model.read(word)
    check(model, len(rows))
    a = scalars(model.numbers)
    xs = _embedded(model, a, rows)
    if model.input_mlp is not None:
        xs = [_added(a, x, _mlp(model.input_mlp, a, x)) for x in xs]
    for _, block in block_order(model, len(rows) - len(model.prefix)):
        xs = _after_block(model, block, a, xs)
    if model.readout.norm is not None:
        xs = [a.norm(model.readout.norm, x) for x in xs]
    outputs = [_affine(model.readout.map, a, x) for x in xs]
    return [[float(y) for y in out] for out in outputs[len(model.prefix) :]]


def _embedded(model: Model, a: Scalars, rows: list[int]) -> list[Row]:
    """The stream before the first layer."""
    positions = model.positions
    values = positions.values(len(rows))
    xs = []
    for i, row in enumerate(rows):
        x = [a.read(number) for number in model.embedding[row]]
        added = None
        if positions.functions:
            features = [a.outside(value) for value in values[i]]
            added = [a.dot(features, [a.read(w) for w in column], None) for column in positions.weight.T]
        if positions.table is not None:
            table = [a.read(number) for number in positions.table[i]]
            added = table if added is None else _added(a, added, table)
        xs.append([a.keep(c) for c in x] if added is None else _added(a, x, added))
    return xs


def _added(a: Scalars, x: Row, y: Row) -> Row:
    return [a.add(one, two) for one, two in zip(x, y, strict=True)]


def _affine(map: Affine, a: Scalars, x: Row) -> Row:
    """One row after an affine map."""
    columns = [[a.read(w) for w in column] for column in map.weight.T]
    return [a.dot(x, column, a.read(b)) for column, b in zip(columns, map.bias, strict=True)]


def _mlp(mlp: AnyMlp | OracleMap, a: Scalars, x: Row) -> Row:
    """What an MLP adds to one row."""
    if isinstance(mlp, OracleMap):
        return [a.outside(y) for y in mlp.function(np.array([float(c) for c in x]))]
    if isinstance(mlp, GatedMlp):
        pairs = zip(_affine(mlp.gate, a, x), _affine(mlp.up, a, x), strict=True)
        return _affine(mlp.down, a, [a.outside(silu(float(gate)) * float(up)) for gate, up in pairs])
    for stage in mlp.maps[:-1]:
        x = [a.activate(y, mlp.activation) for y in _affine(stage, a, x)]
    return _affine(mlp.maps[-1], a, x)


def _after_block(model: Model, block: Block, a: Scalars, xs: list[Row]) -> list[Row]:
    """The stream after a layer."""
    inside, before = xs, model.norm_place == "before"
    if block.attention_norm is not None and before:
        inside = [a.norm(block.attention_norm, x) for x in xs]
    means = [_means(head, a, inside) for head in block.heads]
    # The heads' outputs are stacked: what a layer adds is one affine map of all their means together.
    columns = [[a.read(head.output[r, c]) for head in block.heads for r in range(len(head.output))]
               for c in range(model.width)]  # fmt: skip
    bias = [a.read(b) for b in block.bias]
    after = []
    for i, x in enumerate(xs):
        z = [number for head in means for number in head[i]]
        after.append(_added(a, x, [a.dot(z, column, b) for column, b in zip(columns, bias, strict=True)]))
    if block.attention_norm is not None and not before:
        after = [a.norm(block.attention_norm, x) for x in after]
    if block.mlp is not None:
        inside = [a.norm(block.mlp_norm, x) for x in after] if block.mlp_norm is not None and before else after
        after = [_added(a, x, _mlp(block.mlp, a, y)) for x, y in zip(after, inside, strict=True)]
    if block.mlp_norm is not None and not before:
        after = [a.norm(block.mlp_norm, x) for x in after]
    return after


def _sees(mask: Mask, i: int, j: int) -> bool:
    """Whether the query at position i sees the key at position j."""
    return {"none": True, "causal": j <= i, "strict past": j < i, "future": j >= i, "strict future": j > i}[mask]


def silu(x: float) -> float:
    """x / (1 + exp(-x))."""
    return x / (1 + math.exp(-x)) if x > -700 else 0.0


def _turned(head: RotaryHead, a: Scalars, row: Row, i: int) -> Row:
    """A query or key of a rotary head at position i."""
    half, turned = len(row) // 2, list(row)
    for m, frequency in enumerate(head.frequencies):
        angle = i * float(frequency)
        cos, sin, x, y = math.cos(angle), math.sin(angle), float(row[m]), float(row[m + half])
        turned[m], turned[m + half] = a.outside(x * cos - y * sin), a.outside(y * cos + x * sin)
    return turned


def _means(head: AnyHead, a: Scalars, xs: list[Row]) -> list[Row]:
    """The mean of values at each position."""
    queries = [[a.scaled(a.keep(c), head.scale) for c in _affine(head.query, a, x)] for x in xs]
    if isinstance(head, TensorHead):
        return _pair_means(head, a, xs, queries)
    keys = [[a.keep(c) for c in _affine(head.key, a, x)] for x in xs]
    values = [[a.keep_value(c) for c in _affine(head.value, a, x)] for x in xs]
    if not isinstance(head, RotaryHead):
        sink = () if head.sink is None else (head.sink,)
        return _attended(a, (head.attention, head.mask), queries, keys, values, sink)
    queries, keys = ([_turned(head, a, row, i) for i, row in enumerate(rows)] for rows in (queries, keys))
    return _attended(a, ("softmax", head.mask), queries, keys, values, ())


def _attended(
    a: Scalars,
    how: tuple[AttentionKind, Mask],
    queries: list[Row],
    keys: list[Row],
    values: list[Row],
    sinks: tuple[Sink, ...],
) -> list[Row]:
    """The mean of values at each position, from queries and keys; `how` is the kind of attention and the mask."""
    kind, mask = how
    score = a.hard_score if kind in HARD_KINDS else lambda x, y: a.dot(x, y, None)
    result = []
    for i, q in enumerate(queries):
        seen = [j for j in range(len(keys)) if _sees(mask, i, j)]
        scores = [score(q, keys[j]) for j in seen]
        rows = [values[j] for j in seen]
        for sink in sinks:
            scores.append(score(q, [a.read(c) for c in sink.key]))
            rows.append([a.read(c) for c in sink.value])
        weights = attention_weights(kind, a, scores)
        result.append([a.mean(weights, [row[c] for row in rows]) for c in range(len(values[0]))])
    return result


def _pair_means(head: TensorHead, a: Scalars, xs: list[Row], queries: list[Row]) -> list[Row]:
    """The mean of products of two values at each position."""
    key1, key2 = ([[a.keep(c) for c in _affine(m, a, x)] for x in xs] for m in (head.key1, head.key2))
    value1, value2 = ([[a.keep_value(c) for c in _affine(m, a, x)] for x in xs] for m in (head.value1, head.value2))
    result = []
    for i, q in enumerate(queries):
        seen = [j for j in range(len(xs)) if _sees(head.mask, i, j)]
        pairs = [(one, two) for one in seen for two in seen]
        scores = [a.triple(q, key1[one], key2[two]) for one, two in pairs]
        values = [(value1[one], value2[two]) for one, two in pairs]
        if head.sink is not None:
            scores.append(a.triple(q, *([a.read(c) for c in key] for key in (head.sink.key1, head.sink.key2))))
            values.append(([a.read(c) for c in head.sink.value1], [a.read(c) for c in head.sink.value2]))
        weights = attention_weights("softmax", a, scores)
        rows = [[x * y for x, y in zip(one, two, strict=True)] for one, two in values]
        result.append([a.mean(weights, [row[c] for row in rows]) for c in range(head.value1.outputs)])
    return result


def attention_weights(kind: AttentionKind, a: Scalars, scores: Row) -> Row:
    """The weight of each score, which need not sum to 1."""
    if not scores:
        return []
    top = max(scores)
    ties = [j for j, score in enumerate(scores) if score == top]
    match kind:
        case "softmax":
            return [a.weight(score, top) for score in scores]
        case "average-hard":
            return [Fraction(j in ties) for j in range(len(scores))]
        case "leftmost-hard":
            return [Fraction(j == ties[0]) for j in range(len(scores))]
        case "rightmost-hard":
            return [Fraction(j == ties[-1]) for j in range(len(scores))]
        case "sparsemax":
            return sparsemax(scores)


def sparsemax(scores: Row) -> list[Fraction]:
    """The point of the simplex nearest to the scores, exactly: max(s - t, 0) with the t for which they sum to 1."""
    exact = [Fraction(score) for score in scores]
    high = sorted(exact, reverse=True)
    support = [s for c, s in enumerate(high, 1) if 1 + c * s > sum(high[:c])]
    threshold = (sum(support, Fraction(0)) - 1) / len(support)
    return [max(s - threshold, Fraction(0)) for s in exact]
