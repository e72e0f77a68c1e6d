"""Examples that are enough for models of a shape."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.theorems.turing.parts.meaningful import examples_enough


@given(st.integers(0, 5_000), st.floats(1e-3, 0.5), st.floats(1e-3, 0.5))
def test_occam(bits: int, error: float, failure: float) -> None:
    """All 2^bits models together fit by chance with probability at most `failure`; one example fewer is not enough."""

    def chance(examples: int) -> float:
        return bits * math.log(2) - error * examples

    enough = examples_enough(bits, error, failure)
    assert chance(enough) <= math.log(failure) + 1e-6
    assert chance(enough - 1) > math.log(failure) - 1e-6


def test_a_small_class_by_trial() -> None:
    """Thresholds on 0 ... 15: with so many examples, every one that fits errs on at most a quarter; almost always."""
    import numpy as np

    random, n = np.random.default_rng(0), examples_enough(4, 0.25, 0.05)
    bad = 0
    for _ in range(400):
        right = int(random.integers(16))
        seen = random.integers(0, 16, n)
        fits = [t for t in range(16) if ((seen >= t) == (seen >= right)).all()]
        bad += any(abs(t - right) / 16 > 0.25 for t in fits)
    assert bad / 400 <= 0.05
    assert n == 24 == pytest.approx((4 * math.log(2) + math.log(20)) / 0.25, abs=1)
