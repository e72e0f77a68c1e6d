"""A model of softmax heads in float64, prepared for many words: the audit's workhorse.

It computes what the runtime computes in float64 up to rounding in the last places: products in another order, GELU
without powers, and in the last layer only the positions that are read. What is near 0 is run again by the runtime.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.arithmetic.floats import FloatArithmetic
from capax.model.model import Model
from capax.model.parts import Activation, Array, Block, GatedMlp, Head, Mlp, Norm, OracleMap
from capax.model.run.attention import attend
from capax.model.run.forward import embed, group_parts
from capax.model.run.packed import HeadGroup, Packed, packed

FLOAT64: Final = FloatArithmetic("float64")
ROWS: Final = 1024
"""Streams that go through an MLP at once, so that its hidden units stay in a processor's cache."""

_TANH: Final = math.sqrt(2 / math.pi)
_GRID: Final = 64
_FAR: Final = 9
_STEPS: Final = np.arange(-_FAR * _GRID, _FAR * _GRID + 1) / _GRID
_NORMAL: Final = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in _STEPS])
_DENSITY: Final = np.exp(-_STEPS * _STEPS / 2) / math.sqrt(2 * math.pi)


def covers(model: Model) -> bool:
    """Whether a model is one of floats and softmax heads without a loop, which this way of running is for."""
    heads = [head for block in model.blocks for head in block.heads]
    softmax = all(isinstance(head, Head) and head.attention == "softmax" for head in heads)
    gated = any(isinstance(block.mlp, GatedMlp) for block in model.blocks)
    return softmax and not gated and model.loop is None and model.numbers in ("float64", "float32")


def normal(x: Array) -> Array:
    """The normal distribution function: a Taylor series around the nearest point of a grid, to about 1e-16."""
    near = np.clip(x, -_FAR, _FAR)
    at = np.rint(near * _GRID).astype(np.int64) + _FAR * _GRID
    c = _STEPS[at]
    h, c2 = near - c, c * c
    tail = h * (((c2 - 10) * c2 + 15) * c / -720 + h * (((c2 - 15) * c2 + 45) * c2 - 15) / 5040)
    tail = h * (((3 - c2) * c) / 24 + h * (((c2 - 6) * c2 + 3) / 120 + tail))
    return np.asarray(_NORMAL[at] + _DENSITY[at] * h * (1 + h * (-c / 2 + h * ((c2 - 1) / 6 + tail))))


def activate(x: Array, kind: Activation) -> Array:
    """Hidden units, which are overwritten, after their activation."""
    if kind == "relu":
        return np.maximum(x, 0, out=x)
    if kind == "gelu":
        return np.multiply(x, normal(x), out=x)
    t = x * x
    t *= 0.044715
    t += 1
    t *= x
    t *= _TANH
    np.tanh(t, out=t)
    t += 1
    t *= x
    t *= 0.5
    return t


@dataclass(frozen=True, slots=True, eq=False)
class FastNorm:
    """A norm over rows (rows, d)."""

    norm: Norm
    gain: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        """The rows after the norm."""
        ones = np.full(x.shape[1], 1 / x.shape[1])
        if self.norm.kind == "layer":
            x = x - (x @ ones)[:, None]
        root = np.sqrt(np.einsum("ij,ij->i", x, x) / x.shape[1] + self.norm.epsilon)
        y: Array = x / root[:, None]
        y *= self.gain
        y += self.bias
        return y


def _norm(norm: Norm | None) -> FastNorm | None:
    return None if norm is None else FastNorm(norm, norm.gain.astype(np.float64), norm.bias.astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class FastMlp:
    """What an MLP or an oracle map adds to rows (rows, d)."""

    mlp: Mlp | OracleMap

    def __call__(self, x: Array) -> Array:
        """The rows that are added."""
        if isinstance(self.mlp, OracleMap):
            return FLOAT64.oracle(self.mlp.function, x)
        if len(x) <= ROWS:
            return self._some(x, self.mlp)
        return np.concatenate([self._some(x[k : k + ROWS], self.mlp) for k in range(0, len(x), ROWS)])

    @staticmethod
    def _some(x: Array, mlp: Mlp) -> Array:
        for stage in mlp.maps[:-1]:
            x = x @ stage.weight
            x += stage.bias
            x = activate(x, mlp.activation)
        return np.asarray(x @ mlp.maps[-1].weight + mlp.maps[-1].bias)


@dataclass(frozen=True, slots=True, eq=False)
class FastLayer:
    """A layer: its heads side by side, and what comes after them."""

    heads: Packed
    mlp: FastMlp | None
    attention_norm: FastNorm | None
    mlp_norm: FastNorm | None
    before: bool

    def projected(self, x: Array) -> Array:
        """All queries, keys and values (rows, columns) of streams (rows, d)."""
        if self.attention_norm is not None and self.before:
            x = self.attention_norm(x)
        return np.asarray(x @ self.heads.weight + self.heads.bias)

    def finish(self, x: Array, z: Array) -> Array:
        """The streams (rows, d) after the layer, from those before it and the means (rows, means) of its heads."""
        x = x + (z @ self.heads.output + self.heads.own_bias)
        if self.attention_norm is not None and not self.before:
            x = self.attention_norm(x)
        if self.mlp is not None:
            inside = x if self.mlp_norm is None or not self.before else self.mlp_norm(x)
            x = x + self.mlp(inside)
        return x if self.mlp_norm is None or self.before else self.mlp_norm(x)


class FastModel:
    """A model of softmax heads in float64."""

    def __init__(self, model: Model) -> None:
        assert covers(model), "a model of floats and softmax heads"
        model = model.to("float64")
        self.model = model
        self.layers = tuple(_layer(block, before=model.norm_place == "before") for block in model.blocks)
        self._input = None if model.input_mlp is None else FastMlp(model.input_mlp)
        self._norm = _norm(model.readout.norm)

    def embedded(self, ids: Array, start: int = 0) -> Array:
        """The streams (batch, n, d) before the first layer, of token rows (batch, n) from position `start` on."""
        x = embed(self.model, FLOAT64, ids, start=start)
        if self._input is None:
            return x
        rows = x.reshape(-1, x.shape[-1])
        return np.asarray((rows + self._input(rows)).reshape(x.shape))

    def read_out(self, x: Array) -> Array:
        """The logits (rows, outputs) of streams (rows, d)."""
        if self._norm is not None:
            x = self._norm(x)
        return np.asarray(x @ self.model.readout.map.weight + self.model.readout.map.bias)

    def logits(self, ids: Array, asked: Array) -> Array:
        """The logits (batch, asked, outputs) at some positions of token rows (batch, n)."""
        batch, n = ids.shape
        x = self.embedded(ids)
        with np.errstate(all="ignore"):
            for number, layer in enumerate(self.layers):
                z = np.empty((batch, n, len(layer.heads.output)))
                if layer.heads.groups:
                    projected = layer.projected(x.reshape(batch * n, -1)).reshape(batch, n, -1)
                    for group in layer.heads.groups:
                        _attend(group, projected, z)
                if number + 1 == len(self.layers):
                    x, z = x[:, asked], z[:, asked]
                rows = x.shape[0] * x.shape[1]
                x = layer.finish(x.reshape(rows, -1), z.reshape(rows, -1)).reshape(x.shape)
            x = x if self.layers else x[:, asked]
            return self.read_out(x.reshape(batch * len(asked), -1)).reshape(batch, len(asked), -1)


def _layer(block: Block, *, before: bool) -> FastLayer:
    assert not isinstance(block.mlp, GatedMlp), "it is not covered"
    mlp = None if block.mlp is None else FastMlp(block.mlp)
    return FastLayer(packed(block, FLOAT64), mlp, _norm(block.attention_norm), _norm(block.mlp_norm), before)


def _attend(group: HeadGroup, projected: Array, z: Array) -> None:
    """Writes the means of a group of heads to its columns of z."""
    q, k, v = group_parts(group, FLOAT64, projected)
    part = z[..., group.offset : group.offset + len(group.heads) * group.v]
    out = part.reshape(*part.shape[:2], len(group.heads), group.v).transpose(0, 2, 1, 3)
    attend(FLOAT64, group.kind, group.mask, q, k, v, group.sink, out)
