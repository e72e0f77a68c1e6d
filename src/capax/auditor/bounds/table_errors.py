"""Rounding errors of keys, values and queries, for every letter at every position: as generators.

A computed vector is the exact one plus sum_c t_c G_c with |t_c| <= 1: each stage adds one generator for each coordinate
with its own rounding, and sends the others through its derivative, so that signs cancel as they do in the computation.
What the derivative leaves out is of second order and is added as a generator too.

`u` is the unit roundoff. Sums are bounded by `sum_error`, in any order. Exp, erf and tanh are assumed to be within 4
units in the last place (8 u), roots, their reciprocals and quotients within 2 (4 u).
"""

from dataclasses import dataclass

import numpy as np

from capax.auditor.bounds.chain import (
    CURVES,
    ActivationStage,
    CenterStage,
    Chain,
    LinearStage,
    ResidualStage,
    ScaleStage,
    ShiftStage,
    Stage,
    before,
    before_heads,
    slope,
)
from capax.auditor.bounds.tables import Tables
from capax.auditor.question import Question
from capax.model.parts import Affine, Array


def gamma(k: int, u: float) -> float:
    """The relative error of k roundings in a row."""
    return k * u / (1 - k * u)


def sum_error(additions: int, size: Array, value: Array, u: float) -> Array:
    """The most by which a computed sum of products can differ from the exact one, in any order of summation.

    `size` is at least the sum of the terms' absolute values, `value` at least the absolute value of their sum. Lemma:
    a product is wrong by u times itself, an addition by u times a partial sum. The positive terms sum up to at most
    (size + value) / 2, and so do the negative ones; so does every partial sum, but for what was wrong before it.
    """
    most = (size + value) / 2 + gamma(additions, u) * size
    return np.asarray(u * size + gamma(additions, u) * most)


def root_error(d: int, u: float) -> float:
    """The relative error of the root of a mean of d squares plus a constant, or of its reciprocal."""
    return (d / 2 + 11) * u


def mean_error(size: Array, value: Array, u: float) -> Array:
    """The most by which a mean can be wrong, for sizes (..., d) of its numbers and the size (..., 1) of their sum."""
    d, total = size.shape[-1], size.sum(axis=-1, keepdims=True)
    return np.asarray((sum_error(d - 1, total, value, u) + 4 * u * (value + gamma(d, u) * total)) / d)


@dataclass(frozen=True, slots=True, eq=False)
class NoisyVectors:
    """Exact vectors (..., d) and generators (..., columns, d) of what is computed in their place."""

    value: Array
    noise: Array

    @property
    def size(self) -> Array:
        """The most (..., d) by which a computed coordinate differs."""
        return np.asarray(np.abs(self.noise).sum(axis=-2))

    def add(self, error: Array) -> "NoisyVectors":
        """With another rounding error (..., d) of its own for each coordinate."""
        columns = np.where(np.eye(error.shape[-1], dtype=bool), error[..., None], 0.0)
        return NoisyVectors(self.value, np.concatenate([self.noise, columns], axis=-2))


@dataclass(frozen=True, slots=True, eq=False)
class HeadErrors:
    """For one head: noisy keys, values and queries of every letter at every position (positions, letters, ...)."""

    key: NoisyVectors
    value: NoisyVectors
    query: NoisyVectors


@dataclass(frozen=True, slots=True, eq=False)
class TableErrors:
    """Rounding before the attention: of the stream (positions, letters, d) and of each head's vectors."""

    u: float
    stream: Array
    heads: tuple[HeadErrors, ...]


def table_errors(question: Question, tables: Tables, u: float) -> TableErrors:
    """The rounding errors of all tables of a length."""
    model = question.model
    functions = model.positions.values(tables.total)
    weight = np.abs(np.asarray(model.positions.weight, np.float64))
    start = 3 * u * np.abs(tables.embedded)
    start = start + (gamma(functions.shape[1] + 3, u) * (np.abs(functions) @ weight))[:, None]
    if model.positions.table is not None:
        start = start + 2 * u * np.abs(np.asarray(model.positions.table, np.float64))[: tables.total, None]
    noisy = NoisyVectors(tables.embedded, start[..., None] * np.eye(tables.embedded.shape[-1]))
    stream = noisy_run(before(model), noisy, u)
    inside = noisy_run(before_heads(model), stream, u)
    heads = tuple(
        HeadErrors(_mapped(h.key, inside, u), _mapped(h.value, inside, u), _mapped(h.query, inside, u))
        for h in tables.heads
    )
    return TableErrors(u, stream.size, heads)


def _mapped(map: Affine, x: NoisyVectors, u: float) -> NoisyVectors:
    return _step(LinearStage(np.asarray(map.weight, np.float64), np.asarray(map.bias, np.float64)), x, u)


def noisy_run(chain: Chain, x: NoisyVectors, u: float) -> NoisyVectors:
    """Vectors and their rounding errors after a chain."""
    for stage in chain:
        x = _step(stage, x, u)
    return x


def _step(stage: Stage, x: NoisyVectors, u: float) -> NoisyVectors:
    v, g = x.value, x.noise
    match stage:
        case LinearStage(weight, bias):
            out, away = v @ weight + bias, x.size @ np.abs(weight)
            local = sum_error(len(weight), np.abs(v) @ np.abs(weight) + away + np.abs(bias), np.abs(out) + away, u)
            return NoisyVectors(out, g @ weight).add(local)
        case ShiftStage(bias):
            return NoisyVectors(v + bias, g).add(u * (np.abs(v + bias) + x.size))
        case CenterStage():
            return _center(x, u)
        case ScaleStage():
            return _scale(stage, x, u)
        case ActivationStage(kind):
            size = x.size
            rest = np.where(np.abs(v) <= size, size, 0.0) if kind == "relu" else 0.6 * size**2
            local = rest + (0.0 if kind == "relu" else 10 * u) * (np.abs(v) + size)
            return NoisyVectors(CURVES[kind](v), g * slope(kind, v)[..., None, :]).add(local)
        case ResidualStage(inner):
            other = noisy_run(inner, x, u)
            # The columns of x come first in both, so they are added; the inner chain's own ones follow.
            noise = other.noise.copy()
            noise[..., : g.shape[-2], :] += g
            return NoisyVectors(v + other.value, noise).add(u * (np.abs(v + other.value) + x.size + other.size))


def _center(x: NoisyVectors, u: float) -> NoisyVectors:
    """The mean is wrong by one number for all coordinates: a single generator; the difference is rounded."""
    v, g, size = x.value, x.noise, np.abs(x.value) + x.size
    total = np.abs(v.sum(axis=-1, keepdims=True)) + x.size.sum(axis=-1, keepdims=True)
    shift = mean_error(size, total, u)
    common = np.broadcast_to(shift, v.shape)[..., None, :]
    moved = NoisyVectors(v - v.mean(axis=-1, keepdims=True), g - g.mean(axis=-1, keepdims=True))
    local = 2 * u * (np.abs(moved.value) + moved.size + shift)
    return NoisyVectors(moved.value, np.concatenate([moved.noise, common], axis=-2)).add(local)


def _scale(stage: ScaleStage, x: NoisyVectors, u: float) -> NoisyVectors:
    """The root is wrong by one factor for all coordinates; its second derivative is at most 5 / (sqrt(d) S).

    The sum of d squares, its quotient by d and the sum with epsilon are wrong by a share of (d + 5) u, the root by half
    of that and 4 u, its reciprocal by 4 u more.
    """
    v, g = x.value, x.noise
    d = v.shape[-1]
    mean = (v * v).mean(axis=-1, keepdims=True) + stage.epsilon
    root = 1 / np.sqrt(mean)
    n = v * root
    length = np.sqrt((x.size**2).sum(axis=-1, keepdims=True))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        least = np.maximum(1 / root - length / np.sqrt(d), 0.0)
        second = np.where(least > 0, 2.5 * length**2 / (np.sqrt(d) * least**2), np.inf)
    new = root[..., None] * (g - n[..., None, :] * (g * n[..., None, :]).mean(axis=-1, keepdims=True)) * stage.gain
    common = (root_error(d, u) * n * stage.gain)[..., None, :]
    out = n * stage.gain + stage.bias
    local = 6 * u * np.abs(n * stage.gain) + u * np.abs(out) + 1.01 * second * np.abs(stage.gain)
    return NoisyVectors(out, np.concatenate([new, common], axis=-2)).add(local)
