"""Dual vectors of subsets."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from capax.theorems.sparse_averaging.parts.dual import BELOW, least_norm_dual, sign_keys


@st.composite
def subset_of_keys(draw: st.DrawFn) -> tuple[np.ndarray, tuple[int, ...]]:
    """Random sign keys and a subset of their places."""
    length = draw(st.integers(3, 20))
    q = draw(st.integers(1, min(4, length - 1)))
    keys = sign_keys(length, draw(st.integers(1, 24)), draw(st.integers(0, 50)))
    return keys, tuple(sorted(draw(st.sets(st.integers(0, length - 1), min_size=q, max_size=q))))


@given(subset_of_keys())
def test_a_dual_vector_is_feasible_and_shortest(case: tuple[np.ndarray, tuple[int, ...]]) -> None:
    """1 on the subset, at most 1/2 elsewhere, and the conditions of the least norm: no active row pulls upwards."""
    keys, subset = case
    v = least_norm_dual(keys, subset)
    assume(v is not None)
    assert v is not None
    products = keys @ v
    inside = list(subset)
    outside = np.delete(np.arange(len(keys)), inside)
    np.testing.assert_allclose(products[inside], 1, atol=1e-8)
    assert (products[outside] <= BELOW + 1e-8).all()
    # Random feasible moves do not shorten it: along a direction that keeps 1 and lowers no slack, the norm grows.
    active = [j for j in outside.tolist() if products[j] > BELOW - 1e-8]
    held = keys[inside + active]
    multipliers = np.linalg.lstsq(held.T, v, rcond=None)[0]
    np.testing.assert_allclose(held.T @ multipliers, v, atol=1e-7)
    if np.linalg.matrix_rank(held) == len(held):
        assert (multipliers[len(inside) :] <= 1e-7).all()


@given(st.integers(0, 30), st.integers(2, 12))
def test_more_columns_keep_a_dual(seed: int, m: int) -> None:
    """Keys for a smaller m are the first columns, so a dual vector with a zero added is one for m + 1."""
    small, large = sign_keys(9, m, seed), sign_keys(9, m + 1, seed)
    np.testing.assert_array_equal(large[:, :m], small)
    v = least_norm_dual(small, (1, 4))
    if v is not None:
        assert least_norm_dual(large, (1, 4)) is not None
