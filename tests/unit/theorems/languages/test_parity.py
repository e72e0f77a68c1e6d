"""The margin of PARITY."""

import math

import pytest

from capax.theorems.languages import parity


@pytest.mark.parametrize("numbers", ["float64", "float32"])
@pytest.mark.parametrize("length", [1, 2, 3, 10, 101, 1_000])
def test_the_margin_of_parity(numbers: str, length: int) -> None:
    """What the model computes is what the formula says, and that is about 2 tanh(1) / n^2."""
    model = parity.THEOREM.build(length=length, dtype=numbers)
    right = parity.margin(length + 1)
    noise = {"float64": 1e-14, "float32": 3e-7}[numbers]
    assert parity.measured(model, length) == pytest.approx(right, abs=noise)
    if length >= 10:
        assert right == pytest.approx(2 * math.tanh(1) / (length + 1) ** 2, rel=3 / length)
