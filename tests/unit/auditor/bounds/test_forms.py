"""Linear forms: each stage encloses its values on the whole class, and is exact to first order."""

import numpy as np
import pytest

from capax.auditor.bounds.chain import (
    ActivationStage,
    CenterStage,
    LinearStage,
    ResidualStage,
    ScaleStage,
    ShiftStage,
    Stage,
    run,
)
from capax.auditor.bounds.forms import LinearForm, _root, _smooth_rest, activated, centered, linear, spread, through
from capax.model.parts import ACTIVATIONS, Array

D, M = 4, 3


def stages(rng: np.random.Generator) -> list[Stage]:
    """One of each kind."""
    square = LinearStage(rng.standard_normal((D, D)), rng.standard_normal(D))
    scale = ScaleStage(rng.standard_normal(D), rng.standard_normal(D), 1e-5)
    activations: list[Stage] = [ActivationStage(kind) for kind in ACTIVATIONS]
    wide = ResidualStage((CenterStage(), scale, square, *activations[:1], square))
    return [square, ShiftStage(rng.standard_normal(D)), CenterStage(), scale, wide, *activations]


def box(rows: Array, radius: float) -> tuple[Array, Array]:
    """The ranges of M . (y - y0) where every coordinate of y - y0 is at most a radius."""
    reach = np.abs(rows).sum(axis=2) * radius
    return -reach, reach


def values(form: LinearForm, rng: np.random.Generator, radius: float, error: float) -> tuple[Array, Array]:
    """Points y - y0 (points, M) of the box, corners among them, and what the form stands for there (points, D)."""
    y = np.concatenate([rng.uniform(-radius, radius, (200, M)), rng.choice([-radius, radius], (60, M))])
    off = np.concatenate([rng.uniform(-error, error, (200, D)), rng.choice([-error, error], (60, D))])
    return y, form.center[0] + y @ form.linear[0].T + off


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("radius", [0.0, 1e-3, 0.1, 0.6])
def test_a_stage_encloses_its_values(seed: int, radius: float) -> None:
    """Whatever the errors that come in are; and for small classes the errors are of second order."""
    rng = np.random.default_rng(seed)
    for error in (0.0, radius / 10):
        form = LinearForm(rng.standard_normal((1, D)), rng.standard_normal((1, D, M)), np.full((1, D), error))
        y, x = values(form, rng, radius, error)
        for stage in stages(rng):
            result, records = through((stage,), form, lambda rows: box(rows, radius))
            exact = run((stage,), x)
            gap = np.abs(exact - result.center[0] - y @ result.linear[0].T)
            assert (gap <= result.error[0] + 1e-13).all(), stage
            assert (records[0].low[0] <= x + 1e-12).all()
            assert (records[0].high[0] >= x - 1e-12).all()
            if error == 0.0 and radius <= 1e-3 and not isinstance(stage, ResidualStage):
                assert (result.error[0] <= 1e-9 + 300 * radius**2).all(), stage


def slow_scaled(c: Array, e: Array, linear: Array, stage: ScaleStage, radius: float) -> tuple[Array, Array, Array]:
    """The form after a `ScaleStage` of one class, by the formulas of the docstring, coordinate by coordinate."""
    d = len(c)
    r = [radius * sum(abs(x) for x in row) for row in linear]
    square = sum((r[i] + e[i]) ** 2 for i in range(d)) / d
    s0 = sum(x * x for x in c) / d + stage.epsilon + square / 2
    s_linear = [2 * sum(c[i] * linear[i, k] for i in range(d)) / d for k in range(linear.shape[1])]
    s_error = 2 * sum(abs(c[i]) * e[i] for i in range(d)) / d + square / 2
    s_reach = radius * sum(abs(x) for x in s_linear)
    inner = [max(c[i] - r[i] - e[i], -(c[i] + r[i] + e[i]), 0.0) ** 2 for i in range(d)]
    outer = [max(abs(c[i] - r[i] - e[i]), abs(c[i] + r[i] + e[i])) ** 2 for i in range(d)]
    low = max(s0 - s_reach - s_error, sum(inner) / d + stage.epsilon)
    high = min(s0 + s_reach + s_error, sum(outer) / d + stage.epsilon)
    top, bottom = low**-0.5, high**-0.5
    slope = (bottom - top) / (high - low)
    touch = (-2 * slope) ** (-2 / 3)
    chord, tangent = top - slope * low, touch**-0.5 - slope * touch
    r0, r_error = slope * s0 + (chord + tangent) / 2, abs(slope) * s_error + (chord - tangent) / 2
    r_range = min(abs(slope) * s_reach + r_error, max(abs(top - r0), abs(bottom - r0)))
    error = [abs(c[i]) * r_error + abs(r0) * e[i] + (r[i] + e[i]) * r_range for i in range(d)]
    moved = [[(c[i] * slope * s_linear[k] + linear[i, k] * r0) for k in range(linear.shape[1])] for i in range(d)]
    gain = stage.gain
    return c * r0 * gain + stage.bias, np.array(moved) * gain[:, None], np.array(error) * np.abs(gain)


@pytest.mark.parametrize("radius", [1e-3, 0.05, 0.3])
def test_a_scale_is_the_form_of_its_formulas(radius: float) -> None:
    """Three classes at once; the errors are those of the docstring, plus a share for this module's arithmetic."""
    rng = np.random.default_rng(8)
    form = LinearForm(rng.standard_normal((3, D)), rng.standard_normal((3, D, M)), rng.uniform(0, 0.02, (3, D)))
    stage = ScaleStage(rng.standard_normal(D), rng.standard_normal(D), 0.2)
    result, (record,) = through((stage,), form, lambda rows: box(rows, radius))
    for k in range(3):
        center, linear, error = slow_scaled(form.center[k], form.error[k], form.linear[k], stage, radius)
        assert np.allclose(result.center[k], center, rtol=1e-9, atol=1e-11)
        assert np.allclose(result.linear[k], linear, rtol=1e-8, atol=1e-10)
        assert np.allclose(result.error[k], error, rtol=1e-8, atol=2e-10)
        assert (result.error[k] >= error).all()
        _, x = values(LinearForm(form.center[k : k + 1], form.linear[k : k + 1], form.error), rng, radius, 0.0)
        roots = 1 / np.sqrt((x * x).mean(axis=1) + stage.epsilon)
        assert record.scale_low is not None
        assert record.scale_high is not None
        assert record.scale_low[k] <= roots.min()
        assert roots.max() <= record.scale_high[k]


def test_a_scale_whose_root_may_vanish_has_no_bound() -> None:
    form = LinearForm(np.zeros((1, D)), np.ones((1, D, M)), np.zeros((1, D)))
    with np.errstate(all="ignore"):
        result, (record,) = through((ScaleStage(np.ones(D), np.zeros(D), 0.0),), form, lambda rows: box(rows, 1.0))
    assert not np.isfinite(result.error).any()
    assert record.scale_high is not None
    assert np.isposinf(record.scale_high).all()


def test_the_root_lies_between_its_chord_and_a_tangent() -> None:
    """At points of wide, narrow and single intervals; the error is attained, and the ends are those of the values."""
    low = np.array([0.5, 1.0, 2.0, 3.0, 1e-4])
    high = np.array([4.0, 1.0 + 1e-12, 2.0, 3.5, 9.0])
    root = _root(low, high)
    points = np.linspace(0, 1, 4001)[:, None] * (high - low) + low
    gap = np.abs(points**-0.5 - root.slope * points - root.offset)
    assert (gap <= root.error).all()
    assert (gap.max(axis=0) >= 0.999 * root.error - 1e-13).all()
    assert (root.least <= high**-0.5).all()
    assert (low**-0.5 <= root.most).all()
    assert np.allclose(root.least, high**-0.5, rtol=1e-14)
    assert np.allclose(root.most, low**-0.5, rtol=1e-14)
    bad = _root(np.array([0.0, -1.0, np.nan, 1.0]), np.array([1.0, 1.0, 1.0, np.inf]))
    assert np.isposinf(bad.error).all()
    assert np.isposinf(bad.most).all()
    assert not bad.least.any()


def test_an_activation_lies_in_its_strip() -> None:
    """At many points of many intervals, up to the distance of the samples; ReLU's strip is attained."""
    rng = np.random.default_rng(4)
    low = np.concatenate([rng.uniform(-4, 4, 40), [0.0, -1.0, 0.5]])
    high = low + np.concatenate([rng.uniform(0, 5, 40), [1.0, 1.0, 0.0]])
    form = LinearForm(low[None], np.ones((1, 43, 1)), np.full((1, 43), 0.25))
    for kind in ACTIVATIONS:
        strip = activated(form, kind, low[None], high[None])
        slope = strip.linear[0, :, 0]
        points = np.linspace(0, 1, 801)[:, None] * (high - low) + low
        rest = run((ActivationStage(kind),), points) - slope * points
        middle, half = strip.center[0] - slope * low, strip.error[0] - np.abs(slope) * 0.25
        assert (np.abs(rest - middle) <= half + 1e-14).all()
        between = 0.0 if kind == "relu" else 1.13 * ((high - low) / 12) ** 2 / 8
        assert (np.abs(rest - middle).max(axis=0) >= half - 2.1 * between - 1e-9).all()
        assert np.allclose(rest.max(axis=0) - middle, middle - rest.min(axis=0), atol=0.01 + 1.1 * np.max(between))
        chord = (run((ActivationStage(kind),), high) - run((ActivationStage(kind),), low))[:40] / (high - low)[:40]
        assert np.allclose(slope[:40], chord, atol=1e-9)
    with np.errstate(invalid="ignore"):
        endless = activated(form, "gelu", np.full((1, 43), -np.inf), high[None])
    assert np.isposinf(endless.error).all()


def test_linear_stages_send_errors_through_absolute_values() -> None:
    """By plain sums; and the sum of two forms has the sum of their errors."""
    rng = np.random.default_rng(6)
    form = LinearForm(rng.standard_normal((2, D)), rng.standard_normal((2, D, M)), rng.uniform(0, 1, (2, D)))
    weight, bias = rng.standard_normal((D, D)), rng.standard_normal(D)
    ends = {
        "linear": (linear(form, weight, bias), weight, bias),
        "center": (centered(form), np.eye(D) - 1 / D, np.zeros(D)),
    }
    for result, matrix, shift in ends.values():
        for k in range(2):
            error = [sum(form.error[k, i] * abs(matrix[i, o]) for i in range(D)) for o in range(D)]
            assert np.allclose(result.error[k], error, rtol=1e-10)
            assert (result.error[k] >= np.array(error)).all()
            assert np.allclose(result.center[k], form.center[k] @ matrix + shift)
            assert np.allclose(result.linear[k], matrix.T @ form.linear[k])
    both = form.plus(form)
    assert np.allclose(both.error, 2 * form.error, rtol=1e-11)
    assert (both.error >= 2 * form.error).all()
    assert np.array_equal(both.center, 2 * form.center)
    assert np.array_equal(both.linear, 2 * form.linear)
    one = centered(LinearForm(np.ones((1, 1)), np.ones((1, 1, M)), np.ones((1, 1))))
    assert np.abs([*one.center.ravel(), *one.linear.ravel(), *one.error.ravel()]).max() < 1e-11
    low, high = spread(form, lambda rows: box(rows, 0.5))
    reach = np.abs(form.linear).sum(axis=2) * 0.5 + form.error
    assert np.allclose(low, form.center - reach)
    assert np.allclose(high, form.center + reach)


def test_the_root_has_room_for_its_own_arithmetic() -> None:
    """Also on one large number, where the product of slope and end is all that there is beside the value."""
    root = _root(np.array([1e8]), np.array([1e8]))
    assert root.error[0] >= 4e-16 * 1e-4 + 1e-15 * 0.5 * 1e-4


def test_the_strip_of_a_smooth_activation_has_the_room_between_its_samples() -> None:
    """Thirteen samples, and above and below them 1.13 times an eighth of the square of their distance."""
    low, high = np.array([[-2.0, 0.1, -1.0]]), np.array([[1.0, 3.0, 5.0]])
    for kind in ("gelu", "gelu-tanh"):
        slope, least, most = _smooth_rest(kind, low, high)
        points = low + np.linspace(0, 1, 13)[:, None] * (high - low)
        rest = run((ActivationStage(kind),), points) - slope * points
        between = 1.13 * ((high - low) / 12) ** 2 / 8
        assert np.allclose(most[0], rest.max(axis=0) + between[0], rtol=1e-10, atol=0.0)
        assert np.allclose(least[0], rest.min(axis=0) - between[0], rtol=1e-10, atol=0.0)


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_a_single_point_is_scaled_with_room_for_arithmetic_alone(size: float) -> None:
    """A share of 1e-12 of what comes out, whether the root is large or small; and a few roundings of float64."""
    center = size * np.array([[1.0, -2.0, 0.5, 3.0]])
    form = LinearForm(center, np.zeros((1, 4, M)), np.zeros((1, 4)))
    stage = ScaleStage(np.array([1.0, -3.0, 0.5, 2.0]), np.zeros(4), 0.0)
    with np.errstate(all="ignore"):
        result, _ = through((stage,), form, lambda rows: box(rows, 1.0))
    out = run((stage,), center)[0]
    assert np.allclose(result.center[0], out, rtol=1e-12)
    assert (result.error[0] >= 1e-12 * (np.abs(out) + 1e-3)).all()
    assert (result.error[0] <= 5e-12 * (np.abs(out) + 1e-3)).all()
