"""A model as a chain of stages: the stages' values and slopes by plain formulas, and whole models by the runtime."""

from math import erfc, pi, sqrt, tanh

import numpy as np
import pytest

from capax.auditor.bounds.chain import (
    CURVES,
    ActivationStage,
    CenterStage,
    LinearStage,
    ResidualStage,
    ScaleStage,
    ShiftStage,
    after,
    attention_layer,
    before,
    before_heads,
    normal,
    run,
    slope,
)
from capax.model.parts import ACTIVATIONS
from tests.support.audited import Kind, random_model


def distribution(x: float) -> float:
    """The normal distribution function, by the error function."""
    return 0.5 * erfc(-x / sqrt(2))


def points() -> list[float]:
    """Numbers inside the table, at its ends and beyond, on its grid and between."""
    rng = np.random.default_rng(0)
    return [*rng.uniform(-11, 11, 3000).tolist(), *(k / 256 for k in range(-700, 700, 7)), -10.0, 10.0, -60.0, 60.0]


def test_the_normal_distribution_is_within_its_error() -> None:
    x = np.array(points())
    right = np.array([distribution(t) for t in points()])
    assert np.abs(normal(x) - right).max() < 2e-12


def test_activations_and_their_slopes_are_those_of_the_formulas() -> None:
    """The tanh form is differentiated by a complex step, which has no cancellation."""
    x, root = np.array(points()), sqrt(2 / pi)
    z = x + 1e-30j
    curved = 0.5 * z * (1 + np.tanh(np.clip(root * (z.real + 0.044715 * z.real**3), -30, 30) + 0j))
    assert np.abs(CURVES["gelu-tanh"](x) - curved.real).max() < 1e-12
    small = np.abs(x) < 6
    step = 0.5 * z * (1 + np.tanh(root * (z + 0.044715 * z**3)))
    assert np.abs(slope("gelu-tanh", x) - step.imag / 1e-30)[small].max() < 1e-12
    assert np.array_equal(slope("gelu-tanh", np.array([-60.0, 60.0])), [0.0, 1.0])
    right = [distribution(t) + t * np.exp(-t * t / 2) / sqrt(2 * pi) for t in points()]
    assert np.abs(slope("gelu", x) - right).max() < 2e-12
    assert np.abs(CURVES["gelu"](x) - [t * distribution(t) for t in points()]).max() < 1e-10
    assert slope("relu", np.array([-2.0, 0.0, 0.5, 3.0])).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert CURVES["relu"](np.array([-2.0, 0.0, 3.0])).tolist() == [0.0, 0.0, 3.0]
    assert CURVES["gelu-tanh"](np.array([1.0]))[0] == pytest.approx(0.5 * (1 + tanh(root * 1.044715)), abs=1e-13)


@pytest.mark.parametrize("place", ["before", "after"])
@pytest.mark.parametrize("norm", [None, "layer", "rms"])
def test_the_stages_of_a_model_stand_in_the_order_of_its_blocks(place: str, norm: str | None) -> None:
    """The kinds of stages, written out for a block before the heads, their own, and one after."""
    model = random_model(np.random.default_rng(1), Kind(norm=norm, place=place, blocks_around=True, activation="relu"))
    norms: list[type] = {None: [], "layer": [CenterStage, ScaleStage], "rms": [ScaleStage]}[norm]
    mlp: list[type] = [LinearStage, ActivationStage, LinearStage]
    early, late = (norms, []) if place == "before" else ([], norms)
    block = [ShiftStage, *late, ResidualStage, *late]
    assert [type(x) for x in before(model)] == [ResidualStage, *block]
    assert [type(x) for x in before_heads(model)] == early
    assert [type(x) for x in after(model)] == [*block, *block, *norms, LinearStage]
    inner = next(x for x in after(model) if isinstance(x, ResidualStage)).inner
    assert [type(x) for x in inner] == [*early, *mlp]
    assert attention_layer(model) == 1
    assert {x.kind for x in inner if isinstance(x, ActivationStage)} == {"relu"}


def test_a_chain_runs_stage_by_stage() -> None:
    """Each stage by plain sums, and a residual of them."""
    rng = np.random.default_rng(2)
    x, weight, bias, gain = rng.standard_normal(4), rng.standard_normal((4, 4)), rng.standard_normal(4), np.arange(4.0)
    assert np.allclose(run((LinearStage(weight, bias),), x), [sum(x * weight[:, k]) + bias[k] for k in range(4)])
    assert np.allclose(run((ShiftStage(bias),), x), x + bias)
    assert np.allclose(run((CenterStage(),), x), x - sum(x) / 4)
    assert np.allclose(run((ScaleStage(gain, bias, 0.5),), x), x / sqrt(sum(x * x) / 4 + 0.5) * gain + bias)
    for kind in ACTIVATIONS:
        assert np.allclose(run((ResidualStage((ActivationStage(kind),)),), x), x + CURVES[kind](x))
