"""What a model computes at one position, before and after its attention, as a chain of elementary stages.

Three readers share it: the values of words (`run`), linear forms (`forms`) and rounding errors (`rounding`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from capax.model.arithmetic.floats import gelu_tanh
from capax.model.model import Model
from capax.model.parts import Activation, Affine, Array, Block, Mlp, Norm


@dataclass(frozen=True, slots=True, eq=False)
class LinearStage:
    """x @ weight + bias, in float64."""

    weight: Array
    bias: Array


@dataclass(frozen=True, slots=True, eq=False)
class ShiftStage:
    """x + bias."""

    bias: Array


@dataclass(frozen=True, slots=True, eq=False)
class CenterStage:
    """x minus the mean of its coordinates."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaleStage:
    """x / sqrt(mean of squares + epsilon) * gain + bias."""

    gain: Array
    bias: Array
    epsilon: float


@dataclass(frozen=True, slots=True, eq=False)
class ActivationStage:
    """An activation, coordinate by coordinate."""

    kind: Activation


@dataclass(frozen=True, slots=True, eq=False)
class ResidualStage:
    """x plus what a chain makes of it."""

    inner: "Chain"


Stage: TypeAlias = LinearStage | ShiftStage | CenterStage | ScaleStage | ActivationStage | ResidualStage
Chain: TypeAlias = tuple[Stage, ...]


def before(model: Model) -> Chain:
    """From the embedding of a token at a position to the stream that the attention layer reads (not yet its norm)."""
    chain: Chain = () if model.input_mlp is None else (ResidualStage(_mlp(model.input_mlp)),)
    for block in model.blocks[: attention_layer(model)]:
        chain += _block(model, block)
    return chain


def before_heads(model: Model) -> Chain:
    """From the stream that the attention layer reads to what its heads read."""
    at = attention_layer(model)
    norm = model.blocks[at].attention_norm if at < len(model.blocks) else None
    return _norm(norm) if model.norm_place == "before" else ()


def after(model: Model) -> Chain:
    """From the stream with the heads' outputs added to the logits."""
    at = attention_layer(model)
    chain: Chain = ()
    if at < len(model.blocks):
        chain += _block(model, model.blocks[at])
    for block in model.blocks[at + 1 :]:
        chain += _block(model, block)
    return chain + _norm(model.readout.norm) + (_linear(model.readout.map),)


def attention_layer(model: Model) -> int:
    """The number of the block with heads; the number of blocks if there is none."""
    return next((k for k, block in enumerate(model.blocks) if block.heads), len(model.blocks))


def _block(model: Model, block: Block) -> Chain:
    """What a block does at one position once its heads have been added."""
    after_place = model.norm_place == "after"
    chain: Chain = (ShiftStage(np.asarray(block.bias, np.float64)),)
    if after_place:
        chain += _norm(block.attention_norm)
    if block.mlp is not None:
        inner = _mlp(block.mlp)
        chain += (ResidualStage(inner if after_place else _norm(block.mlp_norm) + inner),)
    return chain + (_norm(block.mlp_norm) if after_place else ())


def _mlp(mlp: object) -> Chain:
    assert isinstance(mlp, Mlp)
    chain: Chain = ()
    for stage in mlp.maps[:-1]:
        chain += (_linear(stage), ActivationStage(mlp.activation))
    return (*chain, _linear(mlp.maps[-1]))


def _norm(norm: Norm | None) -> Chain:
    if norm is None:
        return ()
    scale = ScaleStage(np.asarray(norm.gain, np.float64), np.asarray(norm.bias, np.float64), float(norm.epsilon))
    return (CenterStage(), scale) if norm.kind == "layer" else (scale,)


def _linear(map: Affine) -> LinearStage:
    return LinearStage(np.asarray(map.weight, np.float64), np.asarray(map.bias, np.float64))


def run(chain: Chain, x: Array) -> Array:
    """The rows x (..., features) in float64 after a chain."""
    for stage in chain:
        match stage:
            case LinearStage(weight, bias):
                x = x @ weight + bias
            case ShiftStage(bias):
                x = x + bias
            case CenterStage():
                x = x - x.mean(axis=-1, keepdims=True)
            case ScaleStage(gain, bias, epsilon):
                x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + epsilon) * gain + bias
            case ActivationStage(kind):
                x = CURVES[kind](x)
            case ResidualStage(inner):
                x = x + run(inner, x)
    return x


_STEP: Final = 1.0 / 256
_REACH: Final = 10.0


@lru_cache(maxsize=1)
def _normal_table() -> tuple[Array, Array]:
    """The normal distribution function and its density at the multiples of `_STEP` up to `_REACH`."""
    from math import erf

    x = np.arange(-_REACH, _REACH + 2 * _STEP, _STEP)
    value = np.array([0.5 * (1 + erf(t / 2**0.5)) for t in x.tolist()])
    return value, np.exp(-x * x / 2) / (2 * np.pi) ** 0.5


def normal(x: Array) -> Array:
    """The normal distribution function, within 1e-11: cubic interpolation between tabulated values and slopes.

    On a step h the cubic Hermite interpolant errs by at most h^4 / 384 times the greatest fourth derivative, here
    below 1.4: 8e-13. Beyond 10 the function is 0 or 1 within 1e-22.
    """
    value, slope = _normal_table()
    t = (np.clip(x, -_REACH, _REACH) + _REACH) / _STEP
    k = t.astype(np.int64)
    t = t - k
    left = value[k] * (1 + 2 * t) * (1 - t) ** 2 + _STEP * slope[k] * t * (1 - t) ** 2
    return np.asarray(left + value[k + 1] * t * t * (3 - 2 * t) + _STEP * slope[k + 1] * t * t * (t - 1))


def _gelu(x: Array) -> Array:
    return np.asarray(x * normal(x))


def _relu(x: Array) -> Array:
    return np.maximum(x, 0.0)


CURVES: Final[dict[Activation, Callable[[Array], Array]]] = {"relu": _relu, "gelu": _gelu, "gelu-tanh": gelu_tanh}
"""The activations in float64; GELU within 1e-11 of |x|."""

CURVE_ERROR: Final = 1e-11
"""The most by which `CURVES` differ from the activations, in units of |x|."""


def slope(kind: Activation, x: Array) -> Array:
    """The derivative of an activation (of ReLU at 0: 0), in float64."""
    if kind == "relu":
        return np.asarray((x > 0).astype(np.float64))
    x = np.clip(x, -_REACH, _REACH)  # beyond, the slope is 0 or 1 within 1e-20
    if kind == "gelu":
        return np.asarray(normal(x) + x * np.exp(-x * x / 2) / (2 * np.pi) ** 0.5)
    scale = (2 / np.pi) ** 0.5
    t = np.tanh(scale * (x + 0.044715 * x**3))
    return np.asarray(0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x))
