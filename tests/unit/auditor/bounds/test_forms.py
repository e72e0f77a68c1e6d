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
from capax.auditor.bounds.forms import LinearForm, through
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
