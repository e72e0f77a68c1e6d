"""Attention as nodes of a graph. Axes are batch, query, key, feature."""

import math

import numpy as np

from capax.model.export.onnx.graph.nodes import INT, Nodes
from capax.model.parts import HARD_KINDS, Affine, Head, Mask


def affine(g: Nodes, map: Affine, name: str, x: str) -> str:
    """The rows after an affine map."""
    product = g.op("MatMul", x, g.weight(f"{name}.weight", map.weight))
    return g.op("Add", product, g.weight(f"{name}.bias", map.bias))


def visible(g: Nodes, mask: Mask, i: str) -> str:
    """Which key j each query i sees (query, key), from the positions 0, 1, ..."""
    query, key = g.unsqueeze(i, 1), g.unsqueeze(i, 0)
    match mask:
        case "none":
            return g.op("GreaterOrEqual", g.op("Add", query, key), g.constant(0, INT))
        case "causal":
            return g.op("LessOrEqual", key, query)
        case "strict past":
            return g.op("Less", key, query)
        case "future":
            return g.op("GreaterOrEqual", key, query)
        case "strict future":
            return g.op("Greater", key, query)


def attend(g: Nodes, head: Head, name: str, x: str, positions: str, real: str) -> str:
    """The means (batch, query, feature) of a head; `real` (batch, position) says which positions are not padding."""
    q = affine(g, head.query, f"{name}.query", x)
    if head.scale != 1:
        q = g.op("Mul", q, g.constant(head.scale))
    k = affine(g, head.key, f"{name}.key", x)
    v = g.op("Where", g.unsqueeze(real, 2), affine(g, head.value, f"{name}.value", x), g.constant(0))
    seen = g.op("And", visible(g, head.mask, positions), g.unsqueeze(real, 1))
    hard = head.attention in HARD_KINDS
    scores = _steady_scores(g, head, q, k) if hard else g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 1]))
    scores = g.op("Where", seen, scores, g.constant(-math.inf))
    blind = None
    if head.sink is None:
        blind = g.op("Equal", g.op("ReduceMax", g.cast(seen), axes=[-1], keepdims=1), g.constant(0))
    else:
        batch = g.size(x, 0)
        key = _repeated(g, g.weight(f"{name}.sink.key", head.sink.key), batch, len(head.sink.key))
        value = _repeated(g, g.weight(f"{name}.sink.value", head.sink.value), batch, len(head.sink.value))
        own = _steady_scores(g, head, q, key) if hard else g.op("MatMul", q, g.op("Transpose", key, perm=[0, 2, 1]))
        scores = g.op("Concat", scores, own, axis=2)
        v = g.op("Concat", v, value, axis=1)
    w = _weights(g, head, scores, blind)
    total = g.total(w)
    total = g.op("Where", g.op("Equal", total, g.constant(0)), g.constant(1), total)
    # One quotient at the end: a mean of n equal integers is that integer, which a sum of n times 1/n may not be.
    return g.op("Div", g.op("MatMul", w, v), total)


def _repeated(g: Nodes, row: str, batch: str, size: int) -> str:
    """A row as (batch, 1, feature)."""
    return g.op("Expand", row, g.op("Concat", batch, g.constant([1, size], INT), axis=0))


def _steady_scores(g: Nodes, head: Head, q: str, k: str) -> str:
    """The scores of hard attention, coordinate by coordinate, so that equal keys have equal scores."""
    k = g.op("Transpose", k, perm=[0, 2, 1])
    total = None
    for c in range(head.query.outputs):
        one, two = (g.op("Gather", part, g.constant([c], INT), axis=axis) for part, axis in ((q, 2), (k, 1)))
        term = g.op("Mul", one, two)
        total = term if total is None else g.op("Add", total, term)
    if total is None:
        total = g.op("MatMul", q, k)
    # What is not a number, or minus infinity, is the lowest number: the key is seen.
    least = g.constant(np.finfo(g.dtype).min)
    return g.op("Max", g.op("Where", g.op("IsNaN", total), least, total), least)


def _weights(g: Nodes, head: Head, scores: str, blind: str | None) -> str:
    """The weights of the keys, which need not sum to 1."""
    top = g.op("ReduceMax", scores, axes=[-1], keepdims=1)
    if blind is not None:
        top = g.op("Where", blind, g.constant(0), top)
    if head.attention == "softmax":
        return g.op("Exp", g.op("Sub", scores, top))
    assert head.attention in HARD_KINDS
    highest = g.cast(g.op("Equal", scores, top))  # a query that sees nothing has the top 0 and scores below
    if head.attention == "average-hard":
        return highest
    reverse = int(head.attention == "rightmost-hard")
    order = g.op("CumSum", highest, g.constant(2, INT), reverse=reverse)
    return g.op("Mul", highest, g.cast(g.op("Equal", order, g.constant(1))))
