"""Vectors that single out windows."""

import numpy as np
import pytest

from capax.theorems.matching.match3_local import duals, smallest, windows


@pytest.mark.parametrize(("length", "reach_", "dimension"), [(20, 1, 20), (40, 3, 45)])
def test_vectors_for_windows(length: int, reach_: int, dimension: int) -> None:
    """The product is 1 on the window and at most 1/2 elsewhere."""
    found = duals(length, reach_, dimension)
    assert found is not None
    u, w = found
    for i, window in enumerate(windows(length, reach_)):
        products = u @ w[i]
        np.testing.assert_allclose(products[window], 1, atol=1e-9)
        assert np.delete(products, window).max() <= 0.5
    assert duals(length, reach_, 2 * reach_) is None or smallest(length, reach_) <= dimension
