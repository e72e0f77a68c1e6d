"""Rounding in any order of summation, for all words of a class: the most by which it can change a margin.

Lemma. Let z_k = f_k(z_(k-1)) be the exact stages, and let the computed ones add errors, |d_k| <= delta_k. With F_k the
margin as a function of z_k, telescoping and the mean value theorem give: computed minus exact margin is the sum over k
of gradient F_k (at some point between) . d_k. So it is at most sum_k sup |gradient F_k| . delta_k, where the supremum
is over all that the stages can read in the class, computed or exact. One backward pass gives the gradients as centres
with radii; centres keep their signs, and radii vanish with the class. How far computed numbers stray is bounded first,
by norms of derivatives; it matters for the radii alone.

The assumptions are those of `table_errors`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from capax.auditor.bounds.attention_errors import QueryErrors, attention_error, output_error, output_stray
from capax.auditor.bounds.chain import (
    ActivationStage,
    CenterStage,
    LinearStage,
    ResidualStage,
    ScaleStage,
    ShiftStage,
    slope,
)
from capax.auditor.bounds.class_bound import ClassBounds, Demands
from capax.auditor.bounds.forms import CURVATURE, StageRecord
from capax.auditor.bounds.table_errors import mean_error, root_error, sum_error
from capax.auditor.bounds.tables import AnswerQuery
from capax.model.parts import Array

STEEPEST: Final = 1.13
"""At least the greatest |slope| of GELU and of its approximation by a tanh."""


@dataclass(frozen=True, slots=True, eq=False)
class Gradient:
    """Gradients (K, R, d) of margins with respect to a stage's numbers: centres, and radii over the class."""

    center: Array
    radius: Array
    norm: Array
    """At least the Euclidean distance (K, R) from the centre."""

    def tight(self) -> "Gradient":
        """The radii bounded by the norm, and the norm by the radii."""
        norm = np.fmin(self.norm, np.sqrt((self.radius**2).sum(axis=2)))
        return Gradient(self.center, np.fmin(self.radius, norm[..., None]), norm)

    def against(self, error: Array) -> Array:
        """What errors (K, d), each of any sign, can change: (K, R)."""
        away = np.einsum("krd,kd->kr", self.radius, error)
        away = np.fmin(away, self.norm * np.sqrt((error**2).sum(axis=1))[:, None])
        return np.asarray(np.einsum("krd,kd->kr", np.abs(self.center), error) + away)


def class_rounding(result: ClassBounds, demands: Demands, which: Array, errors: QueryErrors) -> Array:
    """The most (selected,) by which rounding changes a margin, for the selected classes of an evaluation."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        query, u = result.ranges.query, errors.u
        records = [_selected(record, which) for record in result.records]
        local = _entering(query, records[0], result, which, errors)
        coarse = np.linalg.norm(output_error(errors)) * _norm(query.output)
        stray = np.sqrt((local**2).sum(axis=1)) + np.fmin(output_stray(result, which, errors), coarse)
        records, _ = _widened(records, stray, u)
        rows = demands.rows[which]
        gradient, total = _backward(records, Gradient(rows, np.zeros_like(rows), np.zeros(rows.shape[:2])), u)
        total = total + gradient.against(local)
        gradient = _back_linear(gradient, query.output)
        total = total + attention_error(result, which, gradient.center, gradient.radius, gradient.norm, errors)
        return np.asarray(np.where(np.isnan(total), np.inf, total).max(axis=1, initial=0.0) * (1 + 1e-6))


def _entering(query: AnswerQuery, first: StageRecord, result: ClassBounds, which: Array, errors: QueryErrors) -> Array:
    """The errors (K, d) of the stream that enters the chain, but for those inside the attention.

    They come from the stream before, from the heads' output maps, and from the two sums with it and with the bias.
    """
    ranges, u = result.ranges, errors.u
    middle, away = ranges.middle[which], (ranges.spread()[which] + output_error(errors)) @ np.abs(query.output)
    bias = first.stage.bias if isinstance(first.stage, ShiftStage) else np.zeros(query.output.shape[1])
    size = np.abs(middle) @ np.abs(query.output) + away + np.abs(bias)
    mapped = sum_error(len(query.output) + 1, size, np.abs(middle @ query.output + bias) + away, u)
    reach = np.maximum(np.abs(first.low), np.abs(first.high)) + np.abs(bias) + mapped + errors.stream
    return np.asarray(errors.stream + mapped + 2 * u * reach)


@lru_cache(maxsize=256)
def _norm_of(key: "_Identity") -> float:
    return float(np.linalg.norm(key.matrix, 2)) * (1 + 1e-9) if key.matrix.size else 0.0


class _Identity:
    """A matrix as a key of a cache, by identity."""

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix

    def __hash__(self) -> int:
        return id(self.matrix)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.matrix is other.matrix


def _norm(matrix: Array) -> float:
    """The spectral norm of a matrix."""
    return _norm_of(_Identity(matrix))


def _selected(record: StageRecord, which: Array) -> StageRecord:
    return StageRecord(
        record.stage,
        record.low[which],
        record.high[which],
        tuple(_selected(inner, which) for inner in record.inner),
        record.stray[which] if len(record.stray) else record.stray,
        None if record.scale_low is None else record.scale_low[which],
        None if record.scale_high is None else record.scale_high[which],
    )


def _widened(records: Sequence[StageRecord], stray: Array, u: float) -> tuple[list[StageRecord], Array]:
    """The records with room for computed numbers, which stray from exact ones by at most `stray` (K,) in norm.

    A stage sends a difference on by at most the norm of its derivative and adds its own rounding.
    """
    result = []
    for record in records:
        low, high = record.low - stray[:, None], record.high + stray[:, None]
        wide = replace(record, low=low, high=high, stray=stray)
        local = np.sqrt((_local(wide, u) ** 2).sum(axis=1))
        match record.stage:
            case LinearStage(weight):
                stray = _norm(weight) * stray + local
            case ActivationStage():
                stray = STEEPEST * stray + local
            case ScaleStage():
                wide, steep = _wide_scale(wide, stray)
                stray = steep * stray + np.sqrt((_local(wide, u) ** 2).sum(axis=1))
            case ResidualStage():
                inner, other = _widened(record.inner, stray, u)
                wide = replace(wide, inner=tuple(inner))
                stray = stray + other + local
            case _:
                stray = stray + local
        result.append(wide)
    return result, stray


def _wide_scale(record: StageRecord, stray: Array) -> tuple[StageRecord, Array]:
    """The record of a `ScaleStage` with room for strays, and the norm (K,) of its derivative: gain times 1 / root."""
    assert isinstance(record.stage, ScaleStage)
    assert record.scale_low is not None
    assert record.scale_high is not None
    share = stray / np.sqrt(record.low.shape[1])
    least, most = 1 / record.scale_high, 1 / record.scale_low  # roots; they move by at most the share
    least = np.sqrt(np.maximum(np.maximum(least - share, 0.0) ** 2, record.stage.epsilon))
    wide = replace(record, scale_low=1 / (most + share), scale_high=1 / least)
    return wide, np.abs(record.stage.gain).max(initial=0.0) / least


def _local(record: StageRecord, u: float) -> Array:
    """The rounding (K, outputs) of one stage, coordinate by coordinate; common factors are counted here in full."""
    size = np.maximum(np.abs(record.low), np.abs(record.high))
    match record.stage:
        case LinearStage(weight, bias):
            middle, half = (record.low + record.high) / 2, (record.high - record.low) / 2
            value = np.abs(middle @ weight + bias) + half @ np.abs(weight)
            return sum_error(len(weight), size @ np.abs(weight) + np.abs(bias), value, u)
        case ShiftStage(bias):
            return np.asarray(u * (size + np.abs(bias)))
        case CenterStage():
            return np.asarray(_own(record, u) + _mean_error(record, u)[:, None])
        case ScaleStage():
            n, d = _normal_size(record), record.low.shape[1]
            return np.asarray(_own(record, u) + root_error(d, u) * n * np.abs(record.stage.gain))
        case ActivationStage(kind):
            return np.asarray((0.0 if kind == "relu" else 10 * u) * size)
        case ResidualStage():
            return np.asarray(u * _sum_size(record, size))


def _sum_size(record: StageRecord, size: Array) -> Array:
    """At least |x + inner(x)| (K, d): the last inner stage is a linear map."""
    last = record.inner[-1]
    assert isinstance(last.stage, LinearStage)
    inside = np.maximum(np.abs(last.low), np.abs(last.high))
    return np.asarray(size + (inside @ np.abs(last.stage.weight) + np.abs(last.stage.bias)) * 1.001)


def _mean_error(record: StageRecord, u: float) -> Array:
    """The error (K,) of the mean, which all coordinates share."""
    size = np.maximum(np.abs(record.low), np.abs(record.high))
    middle, half = (record.low + record.high) / 2, (record.high - record.low) / 2
    return mean_error(size, np.abs(middle.sum(axis=1, keepdims=True)) + half.sum(axis=1, keepdims=True), u)[:, 0]


def _own(record: StageRecord, u: float) -> Array:
    """The rounding (K, d) of a norm's stage that each coordinate has for itself."""
    size = np.maximum(np.abs(record.low), np.abs(record.high))
    if isinstance(record.stage, ScaleStage):
        n = _normal_size(record)
        return np.asarray(7 * u * n * np.abs(record.stage.gain) + u * np.abs(record.stage.bias))
    return np.asarray(2 * u * (size + size.mean(axis=1, keepdims=True)))


def _normal_size(record: StageRecord) -> Array:
    """At least |x| / root (K, d)."""
    assert record.scale_high is not None
    size = np.maximum(np.abs(record.low), np.abs(record.high)) * record.scale_high[:, None]
    return np.asarray(np.minimum(size, np.sqrt(record.low.shape[1])))


def _backward(records: Sequence[StageRecord], g: Gradient, u: float) -> tuple[Gradient, Array]:
    """The gradient with respect to what the first stage reads, and what the rounding of all stages changes (K, R)."""
    total = np.zeros(g.center.shape[:2])
    for record in reversed(records):
        match record.stage:
            case LinearStage(weight):
                total = total + g.against(_local(record, u))
                g = _back_linear(g, weight)
            case ShiftStage():
                total = total + g.against(_local(record, u))
            case CenterStage():
                away = np.fmin(g.radius.sum(axis=2), g.norm * np.sqrt(g.center.shape[2]))
                together = np.abs(g.center.sum(axis=2)) + away
                total = total + g.against(_own(record, u)) + together * _mean_error(record, u)[:, None]
                mean = g.center.mean(axis=2, keepdims=True)
                g = Gradient(g.center - mean, g.radius + g.radius.mean(axis=2, keepdims=True), g.norm).tight()
            case ScaleStage():
                g, error = _back_scale(record, g, u)
                total = total + error
            case ActivationStage():
                total = total + g.against(_local(record, u))
                g = _back_activation(record, g)
            case ResidualStage():
                total = total + g.against(_local(record, u))
                inner, error = _backward(record.inner, g, u)
                g = Gradient(g.center + inner.center, g.radius + inner.radius, g.norm + inner.norm).tight()
                total = total + error
    return g, total


def _back_linear(g: Gradient, weight: Array) -> Gradient:
    center, radius = g.center @ weight.T, g.radius @ np.abs(weight).T
    return Gradient(center, radius, _norm(weight) * g.norm).tight()


def _back_activation(record: StageRecord, g: Gradient) -> Gradient:
    """The slope on [low, high] is the slope in the middle up to 1.13 times half the width, and within [-0.13, 1.13]."""
    assert isinstance(record.stage, ActivationStage)
    low, high = record.low, record.high
    if record.stage.kind == "relu":
        least, most = (low > 0).astype(np.float64), (high > 0).astype(np.float64)
    else:
        middle, half = slope(record.stage.kind, (low + high) / 2), CURVATURE * (high - low) / 2
        least, most = np.maximum(middle - half, -0.13), np.minimum(middle + half, STEEPEST)
    center, radius = ((least + most) / 2)[:, None], ((most - least) / 2 + 1e-11)[:, None]
    changed = np.abs(g.center) * radius
    steepest = (np.abs(center) + radius).max(axis=2)
    norm = steepest * g.norm + np.sqrt((changed**2).sum(axis=2))
    return Gradient(g.center * center, g.radius * (np.abs(center) + radius) + changed, norm).tight()


def _back_scale(record: StageRecord, g: Gradient, u: float) -> tuple[Gradient, Array]:
    """With h = gain g, n = x / root: the gradient is J h = (h - n mean(n h)) / root, and the error of the root, a
    factor that all coordinates share, changes the margin by its share of d mean(n h).

    x / root is the gradient of d root, whose third derivative is at most 1.16 / (sqrt(d) root^2) in norm, so J changes
    by at most that times the distance from the middle of the class.
    """
    stage, d = record.stage, record.low.shape[1]
    assert isinstance(stage, ScaleStage)
    assert record.scale_high is not None
    x, x_r = (record.high + record.low) / 2, (record.high - record.low) / 2
    distance = np.sqrt((np.maximum(x_r - record.stray[:, None], 0.0) ** 2).sum(axis=1)) + record.stray
    root = np.sqrt((x * x).mean(axis=1) + stage.epsilon)
    inside = np.maximum(np.maximum(record.low, -record.high), 0.0)
    least = np.maximum(root - distance / np.sqrt(d), np.sqrt(stage.epsilon + (inside**2).mean(axis=1)))
    n, h = (x / root[:, None])[:, None], g.center * stage.gain
    steep = np.abs(stage.gain).max(initial=0.0) * g.norm
    h_norm = np.sqrt((h * h).sum(axis=2))
    away = 1.16 * (distance / (np.sqrt(d) * least**2))[:, None] * (h_norm + steep)
    norm = record.scale_high[:, None] * steep + np.minimum(away, 2 * h_norm / least[:, None])
    along = (n * h).mean(axis=2)
    # mean(n h) changes with n, whose distance is at most distance / least, and with h.
    along_r = ((distance / least)[:, None] * (h_norm + steep) / d) + np.sqrt(d) * steep / d
    error = root_error(d, u) * d * (np.abs(along) + along_r) + g.against(_own(record, u))
    center = (h - n * along[..., None]) / root[:, None, None]
    return Gradient(center, np.broadcast_to(norm[..., None], center.shape), norm), error
