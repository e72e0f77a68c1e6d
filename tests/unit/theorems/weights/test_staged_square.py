"""Squares by ReLU units."""

import numpy as np
import pytest

from capax.theorems.weights.staged import square
from capax.theorems.weights.stream import Stream


@pytest.mark.parametrize("bits", [1, 2, 5, 12])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squares_are_exact(bits: int, dtype: type) -> None:
    """The square of every integer of so many bits, by ReLU units, without an error in the last place."""
    stages, total = square({"x": 1.0}, bits, "square")
    mlp = Stream(("x", "y")).mlp(stages, {"y": total})
    assert mlp.depth == bits
    x = np.arange(2**bits)
    values = np.stack([x, np.zeros_like(x)], axis=1).astype(dtype)
    for stage in mlp.maps[:-1]:
        values = np.maximum(values @ stage.weight.astype(dtype) + stage.bias.astype(dtype), 0)
    last = mlp.maps[-1]
    assert ((values @ last.weight.astype(dtype) + last.bias.astype(dtype))[:, 1] == x * x).all()
