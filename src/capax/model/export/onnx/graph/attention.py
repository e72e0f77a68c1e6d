"""Attention as nodes of a graph, all like heads of a layer at once. Axes are batch, head, query, key, feature."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.model.export.onnx.graph.nodes import INT, Nodes
from capax.model.parts import HARD_KINDS, Affine, Array, Head, Mask


@dataclass(frozen=True, slots=True)
class PositionNames:
    """The names of the positions 0, 1, ..., of the lengths of words (batch), and of which positions are not padding.

    `filled` says that no word is without positions.
    """

    numbers: str
    lengths: str
    real: str
    filled: bool


def affine(g: Nodes, map: Affine, name: str, x: str) -> str:
    """The rows after an affine map."""
    product = g.op("MatMul", x, g.weight(f"{name}.weight", map.weight))
    return g.op("Add", product, g.weight(f"{name}.bias", map.bias))


def alike(heads: Sequence[Head]) -> list[list[int]]:
    """The numbers of the heads that run together: of one kind and mask, with sinks or without, of one size."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, head in enumerate(heads):
        kind = (head.attention, head.mask, head.sink is None, head.query.outputs, head.value.outputs)
        groups.setdefault(kind, []).append(number)
    return list(groups.values())


def attend(g: Nodes, heads: Sequence[Head], name: str, x: str, at: PositionNames) -> str:
    """The means (batch, query, head * feature) of heads of one kind; `name` is that of their weights.

    Of heads whose queries do not differ there is one mean, with an axis of queries of length 1.
    """
    first, count = heads[0], len(heads)
    # Padding is a coordinate more of keys, which costs little where scores are many.
    plain = first.attention == "softmax"
    heads = [_with_padding(_scaled(head)) if plain else _scaled(head) for head in heads]
    one = has_one_query(g, first) and all(has_one_query(g, head) for head in heads)
    q = _one_query(g, heads, name, plain) if one else _queries(g, heads, name, x, plain)
    k, v = (_by_name(g, heads, part, name, x) for part in ("key", "value"))
    real = g.unsqueeze(at.real, 2)
    v = g.op("Where", real, v, g.constant(0))
    if plain:  # exp of so low a score is 0
        low = np.where(np.arange(heads[0].key.outputs) == first.key.outputs, -0.9 * np.finfo(g.dtype).max, 0)
        k = g.op("Where", real, k, g.constant(np.tile(low, count)))
    k, v = (_by_head(g, part, count) for part in (k, v))
    if first.sink is not None:  # the last key of all
        k, v = (
            g.op("Concat", part, _sinks(g, heads, name, own, x), axis=2) for part, own in ((k, "key"), (v, "value"))
        )
    scores = _scores(g, first, q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
    if not plain or first.mask != "none":
        seen = _shown(g, first, at) if plain else _seen(g, first, at)
        scores = g.op("Where", seen, scores, g.constant(-math.inf))
    turned = g.op("Transpose", _means(g, first, scores, v, at, name), perm=[0, 2, 1, 3])
    return g.op("Reshape", turned, g.constant([0, 0, count * first.value.outputs], INT))


def has_one_query(g: Nodes, head: Head) -> bool:
    """Whether the queries of a head do not differ, and see the same keys: then one mean is that of every position.

    Where the attention of every position is to be put out, each is worked out.
    """
    same = not np.asarray(head.query.weight).any() and head.mask == "none" and head.attention == "softmax"
    return same and g.patterns is None


def _one_query(g: Nodes, heads: Sequence[Head], name: str, plain: bool) -> str:
    """The query (1, head, 1, feature) of all positions, scale included."""
    rows = np.stack([head.query.bias * _scales(head, plain).astype(g.dtype) for head in heads])
    return g.weight(f"{name}.query.bias", rows[None, :, None])


def _queries(g: Nodes, heads: Sequence[Head], name: str, x: str, plain: bool) -> str:
    """The queries (batch, head, position, feature), scale included."""
    q = _by_name(g, heads, "query", name, x)
    scales = np.stack([_scales(head, plain) for head in heads])
    if (scales != 1).any():
        q = g.op("Mul", q, g.constant(scales[0, 0] if (scales == scales[0, 0]).all() else scales.reshape(-1)))
    return _by_head(g, q, len(heads))


def _scaled(head: Head) -> Head:
    """The head with its scale in the weights of queries, if it is a power of two: then nothing is rounded."""
    with np.errstate(all="ignore"):
        weight, bias = (part * part.dtype.type(head.scale) for part in (head.query.weight, head.query.bias))
        back = [part / part.dtype.type(head.scale) for part in (weight, bias)]
    exact = np.array_equal(back[0], head.query.weight) and np.array_equal(back[1], head.query.bias)
    if math.frexp(head.scale)[0] != 0.5 or not exact:
        return head
    return replace(head, query=Affine(weight, bias), scale=1.0)


def _with_padding(head: Head) -> Head:
    """The head with a last coordinate that is 1 in queries and 0 in keys."""
    query, key = (
        Affine(np.pad(m.weight, ((0, 0), (0, 1))), np.pad(m.bias, (0, 1), constant_values=value))
        for m, value in ((head.query, 1), (head.key, 0))
    )
    return replace(head, query=query, key=key, sink=head.sink and replace(head.sink, key=np.pad(head.sink.key, (0, 1))))


def _scales(head: Head, plain: bool) -> Array:
    """What the coordinates of a query are multiplied with."""
    scales = np.full(head.query.outputs, head.scale)
    scales[len(scales) - plain :] = 1
    return scales


def _seen(g: Nodes, head: Head, at: PositionNames) -> str:
    """Which keys, that of a sink included, queries see (batch or 1, 1, query or 1, key)."""
    seen = g.unsqueeze(at.real, 1, 2)
    if head.sink is not None:
        seen = _with_sink(g, seen)
    return seen if head.mask == "none" else g.op("And", _shown(g, head, at), seen)


def _shown(g: Nodes, head: Head, at: PositionNames) -> str:
    """Which keys, that of a sink included, the mask shows to queries (1, 1, query, key), padding or not."""
    shown = g.unsqueeze(visible(g, head.mask, at.numbers), 0, 1)
    return shown if head.sink is None else _with_sink(g, shown)


def _by_name(g: Nodes, heads: Sequence[Head], part: str, name: str, x: str) -> str:
    """The queries, keys or values (batch, position, head * feature) of heads."""
    maps = [getattr(head, part) for head in heads]
    weight, bias = np.concatenate([m.weight for m in maps], axis=1), np.concatenate([m.bias for m in maps])
    return affine(g, Affine(weight, bias), f"{name}.{part}", x)


def _by_head(g: Nodes, value: str, count: int) -> str:
    """(batch, position, head * feature) as (batch, head, position, feature)."""
    if count == 1:
        return g.unsqueeze(value, 1)
    return g.op("Transpose", g.op("Reshape", value, g.constant([0, 0, count, -1], INT)), perm=[0, 2, 1, 3])


def _sinks(g: Nodes, heads: Sequence[Head], name: str, part: str, x: str) -> str:
    """The keys or values of sinks (batch, head, 1, feature)."""
    rows = np.stack([getattr(head.sink, part) for head in heads])[:, None, :]
    shape = g.op("Concat", g.size(x, 0), g.constant(rows.shape, INT), axis=0)
    return g.op("Expand", g.weight(f"{name}.sink.{part}", rows), shape)


def _with_sink(g: Nodes, seen: str) -> str:
    """What is seen (a, b, c, key), with a last key more that everybody sees."""
    one = g.op("GreaterOrEqual", g.cast(g.op("Gather", seen, g.constant([0], INT), axis=3)), g.constant(0))
    return g.op("Concat", seen, one, axis=3)


def visible(g: Nodes, mask: Mask, i: str) -> str:
    """Which key j each query i sees (query, key) under a mask, from the positions 0, 1, ..."""
    query, key = g.unsqueeze(i, 1), g.unsqueeze(i, 0)
    kinds = {"causal": "LessOrEqual", "strict past": "Less", "future": "GreaterOrEqual", "strict future": "Greater"}
    return g.op(kinds[mask], key, query)


def _blind(g: Nodes, mask: Mask, at: PositionNames) -> str | None:
    """Which queries (batch, 1, query, 1) see no key of the word; None if surely none."""
    i, n = g.unsqueeze(at.numbers, 0, 1, 3), g.unsqueeze(at.lengths, 1, 2, 3)
    empty = None if at.filled else g.op("Equal", n, g.constant(0, INT))
    match mask:
        case "none" | "causal":
            return empty
        case "strict past":
            first = g.op("Less", i, g.constant(1, INT))
            return g.op("Or", first, g.op("Less", n, g.constant(1, INT)))
        case "future":
            return g.op("GreaterOrEqual", i, n)
        case "strict future":
            return g.op("GreaterOrEqual", i, g.op("Sub", n, g.constant(1, INT)))


def _scores(g: Nodes, head: Head, q: str, k: str) -> str:
    """The scores (batch, head, query, key) of queries and of keys (batch, head, feature, key)."""
    if head.attention not in HARD_KINDS:
        return g.op("MatMul", q, k)
    # Coordinate by coordinate, so that equal keys have equal scores.
    total = None
    for c in range(head.query.outputs):
        one, two = (g.op("Gather", part, g.constant([c], INT), axis=axis) for part, axis in ((q, 3), (k, 2)))
        term = g.op("Mul", one, two)
        total = term if total is None else g.op("Add", total, term)
    assert total is not None, "heads have at least one coordinate here"
    # What is not a number, or minus infinity, is the lowest number: the key is seen.
    least = g.constant(np.finfo(g.dtype).min)
    return g.op("Max", g.op("Where", g.op("IsNaN", total), least, total), least)


def _means(g: Nodes, head: Head, scores: str, v: str, at: PositionNames, name: str) -> str:
    """The means (batch, head, query, feature) of values under scores; those of hidden keys are minus infinity."""
    blind = _blind(g, head.mask, at) if head.sink is None else None
    top = g.op("ReduceMax", scores, axes=[-1], keepdims=1)
    if blind is not None:
        top = g.op("Where", blind, g.constant(0), top)
    w = _weights(g, head, scores, top)
    total = g.total(w)
    if blind is not None:
        total = g.op("Where", blind, g.constant(1), total)
    if g.patterns is not None:
        g.patterns[name] = g.op("Div", w, total)
    # One quotient at the end: a mean of n equal integers is that integer, which a sum of n times 1/n may not be.
    return g.op("Div", g.op("MatMul", w, v), total)


def _weights(g: Nodes, head: Head, scores: str, top: str) -> str:
    """The weights of the keys, which need not sum to 1."""
    if head.attention == "softmax":
        return g.op("Exp", g.op("Sub", scores, top))
    assert head.attention in HARD_KINDS
    highest = g.cast(g.op("Equal", scores, top))  # a query that sees nothing has the top 0 and scores below
    if head.attention == "average-hard":
        return highest
    reverse = int(head.attention == "rightmost-hard")
    order = g.op("CumSum", highest, g.constant(3, INT), reverse=reverse)
    return g.op("Mul", highest, g.cast(g.op("Equal", order, g.constant(1))))
