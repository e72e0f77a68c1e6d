"""One token through a model with kept keys and values, prepared once: vectors in place of batches, no reshaping.

For float64 and float32, heads of second order and MLPs that are networks; `cache` has the general way, which gives the
same up to rounding.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from capax.model.arithmetic.floats import FloatArithmetic
from capax.model.arithmetic.interface import Arithmetic
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Norm
from capax.model.run.packed import packed

if TYPE_CHECKING:
    from capax.model.run.cache import KeyValueStore

PREPARED: Final = 1024
"""Positions whose part of the stream is computed at once."""

Map = Callable[[Array], Array]
"""A function of a stream (d,)."""


@dataclass(frozen=True, slots=True)
class HeadColumns:
    """Where a head's query, key and value are in the projected columns, and its mean among the means."""

    store: "KeyValueStore"
    strict: bool
    scale: float
    query: slice
    key: slice
    value: slice
    mean: slice


class TokenStep:
    """A model as a function of one token more; `stores` are those of its heads, layer by layer."""

    def __init__(self, model: Model, a: FloatArithmetic, stores: Sequence[Sequence["KeyValueStore"]]) -> None:
        self._model, self._arithmetic = model, a
        table = model.positions.table
        self.positions = math.inf if table is None else len(table)
        """How many positions the model has."""
        self._embedding = a.weights(model.embedding, "the embedding")
        self._start, self._rows = 0, np.zeros((0, model.width), a.dtype)
        sublayers: list[Map] = []
        if isinstance(model.input_mlp, Mlp):
            sublayers.append(_added(_network(model.input_mlp, a), None, a, first=True))
        for block, own in zip(model.blocks, stores, strict=True):
            heads, first = _attention(block, a, own), model.norm_place == "before"
            sublayers.append(_added(heads, block.attention_norm, a, first=first))
            if isinstance(block.mlp, Mlp):
                sublayers.append(_added(_network(block.mlp, a), block.mlp_norm, a, first=first))
            elif block.mlp_norm is not None and not first:
                sublayers.append(_normed(block.mlp_norm, a))
        if model.readout.norm is not None:
            sublayers.append(_normed(model.readout.norm, a))
        self._maps = [*sublayers, _affine(model.readout.map, a)]

    def __call__(self, row: int, position: int) -> Array:
        """The logits (outputs,) of the token of an embedding row at the next position, which is within the model's."""
        if not self._start <= position < self._start + len(self._rows):
            self._prepare(position)
        x: Array = self._embedding[row] + self._rows[position - self._start]
        for map in self._maps:
            x = map(x)
        return x

    def _prepare(self, start: int) -> None:
        """Computes what some positions add to the stream."""
        encoding, a = self._model.positions, self._arithmetic
        stop = start + PREPARED if encoding.table is None else min(start + PREPARED, len(encoding.table))
        rows: Array = np.zeros((stop - start, self._model.width), a.dtype)
        if encoding.functions:
            values = a.outside(encoding.values(stop, start))
            rows = a.affine(values, a.weights(encoding.weight, "the positions"), None)
        if encoding.table is not None:
            table = a.weights(encoding.table, "the positions")[start:stop]
            rows = a.add(rows, table) if encoding.functions else table
        self._start, self._rows = start, rows


def token_step(model: Model, a: Arithmetic, stores: Sequence[Sequence["KeyValueStore"]]) -> TokenStep | None:
    """The step of a model, or None where there is none for it."""
    mlps = [model.input_mlp, *(block.mlp for block in model.blocks)]
    if not isinstance(a, FloatArithmetic) or a.name not in ("float64", "float32"):
        return None
    if not all(mlp is None or isinstance(mlp, Mlp) for mlp in mlps):
        return None
    return TokenStep(model, a, stores) if all(isinstance(h, Head) for b in model.blocks for h in b.heads) else None


def _affine(map: Affine, a: FloatArithmetic) -> Map:
    return _product(a.weights(map.weight, "a map's weight"), a.weights(map.bias, "a map's bias"))


def _product(weight: Array, bias: Array) -> Map:
    """The map x @ weight + bias."""
    if not bias.any():
        return weight.T.dot

    def mapped(x: Array) -> Array:
        y: Array = x.dot(weight)
        y += bias
        return y

    return mapped


def _normed(norm: Norm, a: FloatArithmetic) -> Map:
    return lambda x: a.norm(norm, x)


def _added(sublayer: Map, norm: Norm | None, a: FloatArithmetic, *, first: bool) -> Map:
    """The stream after a sublayer, with a norm before it or after the addition."""
    if norm is None:
        return lambda x: x + sublayer(x)
    if first:
        return lambda x: x + sublayer(a.norm(norm, x))
    return lambda x: a.norm(norm, x + sublayer(x))


def _network(mlp: Mlp, a: FloatArithmetic) -> Map:
    """What an MLP adds to the stream."""
    stages = [_affine(map, a) for map in mlp.maps]
    first, *middle, last = stages

    def network(x: Array) -> Array:
        x = a.activate(first(x), mlp.activation)
        for stage in middle:
            x = a.activate(stage(x), mlp.activation)
        return last(x)

    return network


def _attention(block: Block, a: FloatArithmetic, stores: Sequence["KeyValueStore"]) -> Map:
    """What the heads of a layer and its bias add to the stream; keys and values are kept."""
    heads = packed(block, a)
    output = _product(heads.output, heads.own_bias)
    if not block.heads:
        return lambda x: heads.own_bias
    project, columns = _product(heads.weight, heads.bias), []
    for group in heads.groups:
        count, k, v = len(group.heads), group.k, group.v
        for at, number in enumerate(group.heads):
            scale = group.scale if isinstance(group.scale, float) else float(group.scale[at, 0, 0])
            starts = group.start + at * k, group.start + (count + at) * k, group.start + 2 * count * k + at * v
            query, key, value = (slice(start, start + size) for start, size in zip(starts, (k, k, v), strict=True))
            mean = slice(group.offset + at * v, group.offset + (at + 1) * v)
            own, strict = float(a.dtype.type(scale)), group.mask == "strict past"
            columns.append(HeadColumns(stores[number], strict, own, query, key, value, mean))
    z = np.zeros(len(heads.output), a.dtype)

    def attention(x: Array) -> Array:
        projected = project(x)
        for head in columns:
            query = projected[head.query]
            if head.scale != 1:
                query = query * head.scale
            if head.strict:
                z[head.mean] = head.store.attend(query)
            head.store.append(projected[head.key], projected[head.value])
            if not head.strict:
                z[head.mean] = head.store.attend(query)
        return output(z)

    return attention
