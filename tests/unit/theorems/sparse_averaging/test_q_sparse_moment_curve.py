"""Keys on a moment curve."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.theorems.sparse_averaging.q_sparse_moment import curve_keys, curve_query


@given(st.sampled_from(["circle", "line"]), st.integers(4, 16), st.data())
def test_a_curve_singles_out_a_subset(curve: str, length: int, data: st.DataObject) -> None:
    """The scores are 0 on the subset and low elsewhere; on the line exactly 0."""
    q = data.draw(st.integers(1, 3))
    subset = sorted(data.draw(st.sets(st.integers(0, length - 1), min_size=q, max_size=q)))
    keys = curve_keys(curve, length, q)  # type: ignore[arg-type]
    query = curve_query(curve, length, subset, 0.1)  # type: ignore[arg-type]
    scores = keys @ query
    assert keys.shape == (length, 2 * q + 1)
    np.testing.assert_allclose(scores[subset], 0, atol=0 if curve == "line" else 1e-4)
    assert (np.delete(scores, subset) <= -math.log(40 * length) + 1e-4).all()
