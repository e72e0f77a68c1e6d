"""The numpy runtime."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Array, Head, Mlp
from capax.model.vocabulary import Token


def answers(model: Model, words: Sequence[Iterable[Any]]) -> list[list[Token]]:
    """The decoded answers of a model for each word."""
    rows = [model.read(w) for w in words]
    result: list[list[Token]] = [[] for _ in words]
    by_length: dict[int, list[int]] = {}
    for i, r in enumerate(rows):
        by_length.setdefault(len(r), []).append(i)
    skip = len(model.prefix)
    for n, group in by_length.items():
        if n == 0:
            continue
        logits = run_rows(model, np.array([rows[i] for i in group]))
        for i, out in zip(group, logits, strict=True):
            result[i] = model.decoding.decode(out[skip:])
    return result


def run_rows(model: Model, ids: Array, trace: dict[str, Array] | None = None) -> Array:
    """Logits (batch, n, outputs) for token rows (batch, n)."""
    dtype = np.dtype(model.numbers)
    n = ids.shape[1]
    x = model.embedding[ids] + (model.positions.values(n).astype(dtype) @ model.positions.weight)
    if model.positions.table is not None:
        x = x + model.positions.table[:n]
    if model.input_mlp is not None:
        x = x + _mlp(model.input_mlp, x)
    for number, block in enumerate(model.blocks):
        if trace is not None:
            trace[f"blocks.{number}.resid_pre"] = x
        out = x + block.bias
        for h, head in enumerate(block.heads):
            out = out + _head(head, x)
        x = out
        if trace is not None:
            trace[f"blocks.{number}.resid_mid"] = x
        if block.mlp is not None:
            x = x + _mlp(block.mlp, x)
    if trace is not None:
        trace["resid_post"] = x
    return _affine(model.readout.map, x)


def _affine(map: Affine, x: Array) -> Array:
    return x @ map.weight + map.bias


def _mlp(mlp: Any, x: Array) -> Array:
    assert isinstance(mlp, Mlp)
    for stage in mlp.maps[:-1]:
        x = np.maximum(_affine(stage, x), 0)
    return _affine(mlp.maps[-1], x)


def _head(head: Any, x: Array) -> Array:
    assert isinstance(head, Head) and head.attention == "softmax"
    n = x.shape[1]
    q, k, v = (_affine(m, x) for m in (head.query, head.key, head.value))
    q = q * x.dtype.type(head.scale)
    s = q @ k.transpose(0, 2, 1)
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    seen = {"none": None, "causal": j <= i, "strict past": j < i, "future": j >= i, "strict future": j > i}[head.mask]
    if seen is not None:
        s = np.where(seen, s, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    if head.sink is not None:
        t = (q @ head.sink.key)[..., None]
        top = np.maximum(top, t)
    top = np.where(np.isfinite(top), top, 0)
    w = np.exp(s - top)
    total = w.sum(axis=-1, keepdims=True)
    out = w @ v
    if head.sink is not None:
        ws = np.exp(t - top)
        total = total + ws
        out = out + ws * head.sink.value
    total = np.where(total == 0, 1, total)
    return (out / total) @ head.output
