"""Linear forms with errors: what a chain of stages makes of the attention's output, for all words of a class at once.

A form stands for coordinates x_i with |x_i - c_i - M_i . (y - y0)| <= e_i for the heads' outputs y of every word of a
class. Lemma (induction over the stages): each rule below gives a form that encloses its stage for every y of the class.
Ranges of M . (y - y0) come from `Ranges`. The errors are of second order in the radius of the class. Rounding of this
module's own float64 arithmetic is covered by raising every error by 1e-12 of the numbers it was computed from.

Axes: K classes, d coordinates, m numbers of the heads' outputs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from capax.auditor.bounds.chain import (
    CURVE_ERROR,
    CURVES,
    ActivationStage,
    CenterStage,
    Chain,
    LinearStage,
    ResidualStage,
    ScaleStage,
    ShiftStage,
    Stage,
)
from capax.model.parts import Activation, Array

OWN_ROUNDING: Final = 1e-12
SAMPLES: Final = 13
CURVATURE: Final = 1.13
"""At least the greatest |second derivative| of GELU (0.798, at 0) and of its approximation by a tanh."""

RangeFunction = Callable[[Array], tuple[Array, Array]]
"""From rows M (K, rows, m) to the least and the greatest M . (y - y0) over each class, or beyond: (K, rows) each."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearForm:
    """Centres (K, d), linear parts (K, d, m) and errors (K, d)."""

    center: Array
    linear: Array
    error: Array

    def plus(self, other: "LinearForm") -> "LinearForm":
        """The sum; errors add up."""
        center, linear = self.center + other.center, self.linear + other.linear
        return LinearForm(
            center, linear, (self.error + other.error) * (1 + OWN_ROUNDING) + OWN_ROUNDING * np.abs(center)
        )


@dataclass(frozen=True, slots=True, eq=False)
class StageRecord:
    """A stage with the least and the greatest values (K, d) of each coordinate that it reads in a class."""

    stage: Stage
    low: Array
    high: Array
    inner: tuple["StageRecord", ...] = ()
    stray: Array = field(default_factory=lambda: np.zeros(0))
    """How far (K,) computed numbers are from exact ones, in norm, once that is known; the range has room for it."""
    scale_low: Array | None = None
    """For a `ScaleStage` stage: the least and the greatest 1 / sqrt(mean of squares + epsilon) (K,)."""
    scale_high: Array | None = None


def through(chain: Chain, form: LinearForm, ranges: RangeFunction) -> tuple[LinearForm, tuple[StageRecord, ...]]:
    """The form after a chain, and what each stage reads."""
    records = []
    for stage in chain:
        form, record = _stage(stage, form, ranges)
        records.append(record)
    return form, tuple(records)


def _stage(stage: Stage, form: LinearForm, ranges: RangeFunction) -> tuple[LinearForm, StageRecord]:
    low, high = spread(form, ranges)
    plain = StageRecord(stage, low, high)
    match stage:
        case LinearStage(weight, bias):
            return linear(form, weight, bias), plain
        case ShiftStage(bias):
            error = form.error + OWN_ROUNDING * np.abs(form.center)
            return LinearForm(form.center + bias, form.linear, error), plain
        case CenterStage():
            return centered(form), plain
        case ScaleStage():
            return scaled(form, stage, ranges)
        case ActivationStage(kind):
            return activated(form, kind, low, high), plain
        case ResidualStage(inner):
            result, records = through(inner, form, ranges)
            return form.plus(result), StageRecord(stage, low, high, records)


def spread(form: LinearForm, ranges: RangeFunction) -> tuple[Array, Array]:
    """The least and greatest values (K, d) of a form's coordinates."""
    low, high = ranges(form.linear)
    return form.center + low - form.error, form.center + high + form.error


def linear(form: LinearForm, weight: Array, bias: Array) -> LinearForm:
    """After x @ weight + bias: exact for centre and linear part; errors go through |weight|."""
    center = form.center @ weight + bias
    size = np.abs(weight)
    error = (form.error + OWN_ROUNDING * np.abs(form.center)) @ size + OWN_ROUNDING * np.abs(bias)
    return LinearForm(center, np.einsum("kdm,do->kom", form.linear, weight, optimize=True), error)


def centered(form: LinearForm) -> LinearForm:
    """After subtracting the mean: |e_i (1 - 1/d)| + the mean of the others' errors."""
    d = form.center.shape[1]
    center = form.center - form.center.mean(axis=1, keepdims=True)
    error = form.error * (1 - 2 / d) + form.error.mean(axis=1, keepdims=True) if d > 1 else 0.0 * form.error
    error = error + OWN_ROUNDING * np.abs(form.center).max(axis=1, keepdims=True)
    return LinearForm(center, form.linear - form.linear.mean(axis=1, keepdims=True), error)


def scaled(form: LinearForm, stage: ScaleStage, ranges: RangeFunction) -> tuple[LinearForm, StageRecord]:
    """After x / sqrt(S) * gain + bias with S = epsilon + mean of squares.

    With x_i = c_i + l_i + f_i (l linear, |f_i| <= e_i, |l_i| <= r_i): S = epsilon + mean c_i^2 + 2 mean c_i l_i
    + 2 mean c_i f_i + mean (l_i + f_i)^2, whose last term lies in [0, mean (r_i + e_i)^2]. S also lies between the
    means of the least and greatest x_i^2. On [Smin, Smax] the convex 1/sqrt lies below its chord and above the tangent
    of the chord's slope. x_i R = c_i R0 + c_i L + R0 l_i + rest, |rest| <= |c_i| Re + |R0| e_i + (r_i + e_i) |R - R0|.
    """
    c, e, d = form.center, form.error, form.center.shape[1]
    low, high = ranges(form.linear)
    r = np.maximum(np.maximum(-low, high), 0.0)
    square = ((r + e) ** 2).mean(axis=1)
    s0 = (c * c).mean(axis=1) + stage.epsilon + square / 2
    s_linear = 2 * np.einsum("kd,kdm->km", c, form.linear) / d
    s_error = (2 * (np.abs(c) * e).mean(axis=1) + square / 2) * (1 + OWN_ROUNDING) + OWN_ROUNDING * s0
    sl, sh = (part[:, 0] for part in ranges(s_linear[:, None]))
    inside = np.maximum(np.maximum(c + low - e, -(c + high + e)), 0.0)
    outside = np.maximum(np.abs(c + low - e), np.abs(c + high + e))
    least = np.maximum(s0 + sl - s_error, (inside**2).mean(axis=1) * (1 - OWN_ROUNDING) + stage.epsilon)
    most = np.minimum(s0 + sh + s_error, (outside**2).mean(axis=1) * (1 + OWN_ROUNDING) + stage.epsilon)
    root = _root(least, np.maximum(most, least))
    r0 = root.slope * s0 + root.offset
    r_error = np.abs(root.slope) * s_error + root.error
    r_range = np.minimum(
        np.abs(root.slope) * np.maximum(np.maximum(-sl, sh), 0.0) + r_error,
        np.maximum(np.abs(root.most - r0), np.abs(root.least - r0)),
    )
    r_linear = root.slope[:, None] * s_linear
    error = np.abs(c) * r_error[:, None] + np.abs(r0)[:, None] * e + (r + e) * r_range[:, None]
    new = LinearForm(
        c * r0[:, None] * stage.gain + stage.bias,
        (c[..., None] * r_linear[:, None] + form.linear * r0[:, None, None]) * stage.gain[:, None],
        error * np.abs(stage.gain) * (1 + OWN_ROUNDING) + OWN_ROUNDING * (np.abs(c * r0[:, None] * stage.gain) + 1e-3),
    )
    return new, StageRecord(stage, c + low - e, c + high + e, scale_low=root.least, scale_high=root.most)


@dataclass(frozen=True, slots=True, eq=False)
class _Root:
    """1 / sqrt(s) = slope s + offset, up to error, on an interval; and its least and greatest values: (K,) each."""

    slope: Array
    offset: Array
    error: Array
    least: Array
    most: Array


def _root(low: Array, high: Array) -> _Root:
    """1 / sqrt on [low, high] between its chord and the tangent of the same slope; all infinite if low is not > 0."""
    bad = ~(low > 1e-290) | ~np.isfinite(high)
    low, high = np.where(bad, 1.0, low), np.where(bad, 1.0, high)
    top, bottom = low**-0.5, high**-0.5
    narrow = high - low <= 1e-9 * high
    width = np.where(narrow, 1.0, high - low)
    slope = np.where(narrow, -0.5 * low**-1.5, (bottom - top) / width)
    touch = np.clip((-2 * slope) ** (-2 / 3), low, high)
    ends = np.maximum(top - slope * low, bottom - slope * high)
    under = np.minimum(touch**-0.5 - slope * touch, ends)
    error = (ends - under) / 2 + 4e-16 * top + 1e-15 * np.abs(slope) * high
    error = np.where(bad, np.inf, error + np.where(narrow, 1e-17 * top, 0.0))
    grown = np.where(bad, np.inf, top * (1 + 1e-15))
    return _Root(slope, (ends + under) / 2, error, np.where(bad, 0.0, bottom * (1 - 1e-15)), grown)


def activated(form: LinearForm, kind: Activation, low: Array, high: Array) -> LinearForm:
    """After an activation: slope times the form, plus the middle of what is left over on [low, high], up to half of it.

    ReLU minus its chord lies in [0, chord at the kink]. A function with |second derivative| <= 1.13, minus its chord,
    differs between samples at distance h by at most 1.13 h^2 / 8 from the line through them.
    """
    if kind == "relu":
        slope, rest_low, rest_high = _relu_rest(low, high)
    else:
        slope, rest_low, rest_high = _smooth_rest(kind, low, high)
    center = slope * form.center + (rest_low + rest_high) / 2
    error = np.abs(slope) * form.error + (rest_high - rest_low) / 2
    error = error * (1 + OWN_ROUNDING) + (OWN_ROUNDING + CURVE_ERROR) * np.maximum(np.abs(low), np.abs(high))
    return LinearForm(center, slope[..., None] * form.linear, error)


def _relu_rest(low: Array, high: Array) -> tuple[Array, Array, Array]:
    width = high - low
    crossing = (low < 0) & (high > 0)
    slope = np.where(crossing, high / np.where(width > 0, width, 1.0), (low >= 0).astype(np.float64))
    return slope, np.zeros_like(low), np.where(crossing, -slope * low, 0.0)


def _smooth_rest(kind: Activation, low: Array, high: Array) -> tuple[Array, Array, Array]:
    curve = CURVES[kind]
    finite = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(finite, low, 0.0), np.where(finite, high, 0.0)
    width = high - low
    share = np.linspace(0.0, 1.0, SAMPLES).reshape(-1, *[1] * low.ndim)
    points = low + share * width
    values = curve(points)
    narrow = width <= 1e-12
    slope = np.where(narrow, 0.0, (values[-1] - values[0]) / np.where(narrow, 1.0, width))
    rest = values - slope * points
    between = CURVATURE * (width / (SAMPLES - 1)) ** 2 / 8
    least, most = rest.min(axis=0) - between, rest.max(axis=0) + between
    return slope, np.where(finite, least, -np.inf), np.where(finite, most, np.inf)
