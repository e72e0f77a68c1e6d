"""The dual vectors of the lemma about restricted isometry."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.theorems.sparse_averaging.parts.dual import sign_keys
from capax.theorems.sparse_averaging.parts.isometry import isometry_constant
from capax.theorems.sparse_averaging.parts.lemma_dual import (
    dual_length,
    grid,
    lemma_dual,
    norm_bound,
    product_bound,
    rounded,
)
from tests.support.outcomes import count_outcome, least_share


@least_share("a vector", 0.3)
@settings(max_examples=60)
@given(
    st.integers(6, 16), st.integers(1, 200), st.integers(0, 100), st.integers(1, 3), st.sampled_from([0.1, 0.25, 0.45])
)
def test_what_is_measured_is_so(length: int, m: int, seed: int, q: int, delta: float) -> None:
    """1 on the set, the length and the largest product outside as they are; or infinite, if none was found."""
    signs, subset = sign_keys(length, m, seed), tuple(range(q))
    vector, dual = lemma_dual(signs, subset, delta).vector, lemma_dual(signs, subset, delta).length
    if math.isinf(dual.norm):
        assert not dual.meets(q, delta)
        count_outcome("none")
        return
    count_outcome("a vector")
    products = signs @ vector / math.sqrt(m)
    np.testing.assert_allclose(products[:q], 1, atol=1e-8)
    assert dual.outside == pytest.approx(np.abs(products[q:]).max())
    assert dual.outside <= product_bound(delta) + 1e-9
    assert dual.norm == pytest.approx(np.linalg.norm(vector))


def test_the_lemma() -> None:
    """Where the matrix has the property, every set has a dual vector within the bounds."""
    signs, delta = sign_keys(9, 300, 3), 0.25
    assert isometry_constant(signs, 2).standing(delta) == "holds"
    for subset in combinations(range(9), 2):
        assert lemma_dual(signs, subset, delta).length.meets(2, delta)
    assert norm_bound(4, 0.25) == 4


@settings(max_examples=60)
@given(st.integers(6, 14), st.integers(20, 200), st.integers(0, 100), st.integers(1, 3), st.sampled_from([0.1, 0.3]))
def test_lengths_from_products_are_those_of_the_vectors(length: int, m: int, seed: int, q: int, delta: float) -> None:
    """The products of the columns are enough to measure a dual vector."""
    signs, subset = sign_keys(length, m, seed), tuple(range(q))
    slow, fast = lemma_dual(signs, subset, delta).length, dual_length(signs @ signs.T / m, subset, delta)
    assert math.isinf(slow.norm) == math.isinf(fast.norm)
    assert fast.norm == pytest.approx(slow.norm)
    assert fast.outside == pytest.approx(slow.outside, abs=1e-9)


@given(st.integers(1, 500), st.floats(1e-3, 0.9), st.integers(2, 60), st.integers(0, 99))
def test_rounding_moves_a_vector_by_no_more_than_is_allowed(m: int, error: float, alpha: int, seed: int) -> None:
    """The length of the difference is at most eps/(4 alpha)."""
    vector = np.random.default_rng(seed).normal(size=m)
    moved = rounded(vector, grid(m, error, alpha)) - vector
    assert np.linalg.norm(moved) <= error / (4 * alpha)
