"""The restricted isometry and orthogonality constant."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.theorems.sparse_averaging.parts.dual import sign_keys
from capax.theorems.sparse_averaging.parts.isometry import (
    IsometryConstant,
    coherence_bound,
    gershgorin_bound,
    isometry_constant,
    pairs_of_supports,
    searched,
)


def slow(signs: np.ndarray, q: int) -> float:
    """The constant by its definition: singular values over all pairs of disjoint supports of all sizes."""
    length, m = signs.shape
    u = signs.T / np.sqrt(m)
    worst = 0.0
    for size in range(1, q + 1):
        for one in combinations(range(length), size):
            values = np.linalg.svd(u[:, one], compute_uv=False) ** 2
            low = 0.0 if len(values) < size else values[-1]
            worst = max(worst, values[0] - 1, 1 - low)
            rest = [j for j in range(length) if j not in one]
            for other in range(1, min(2 * q, len(rest)) + 1):
                for two in combinations(rest, other):
                    worst = max(worst, np.linalg.norm(u[:, one].T @ u[:, two], 2))
    return float(worst)


KEYS = st.builds(sign_keys, st.integers(6, 7), st.integers(1, 40), st.integers(0, 200))


@settings(max_examples=20)
@given(KEYS, st.integers(1, 2))
def test_the_constant_is_that_of_the_definition(signs: np.ndarray, q: int) -> None:
    """Supports of full size are enough, and the supports that are named attain it."""
    constant = isometry_constant(signs, q)
    assert constant.exact
    assert constant.pairs == pairs_of_supports(len(signs), q)
    np.testing.assert_allclose(constant.low, slow(signs, q), atol=1e-9)
    u = signs.T / np.sqrt(signs.shape[1])
    one, *rest = constant.supports
    if rest:
        np.testing.assert_allclose(np.linalg.norm(u[:, one].T @ u[:, rest[0]], 2), constant.low, atol=1e-9)
        assert not set(one) & set(rest[0])


@settings(max_examples=40)
@given(st.builds(sign_keys, st.integers(6, 9), st.integers(2, 60), st.integers(0, 200)), st.integers(1, 2))
def test_the_bounds_hold_the_constant(signs: np.ndarray, q: int) -> None:
    """Search below, coherence and sums of products above."""
    m, gram = signs.shape[1], signs @ signs.T
    value = isometry_constant(signs, q).low
    low, supports = searched(gram.astype(np.int64), m, q)
    assert low <= value + 1e-9
    assert gershgorin_bound(gram, m, q) >= value - 1e-9
    assert coherence_bound(gram, m, q) >= gershgorin_bound(gram, m, q) - 1e-12
    assert len(supports[0]) <= q


def test_a_search_finds_most_of_it() -> None:
    """At a size where all supports can be tried, the search is near."""
    signs = sign_keys(12, 100, 1)
    value = isometry_constant(signs, 2).low
    assert searched((signs @ signs.T).astype(np.int64), 100, 2)[0] > 0.9 * value


def test_orthogonal_columns_have_constant_zero() -> None:
    """Hadamard columns."""
    two = np.array([[1.0, 1.0], [1.0, -1.0]])
    signs = np.kron(np.kron(two, two), two)
    assert isometry_constant(signs, 2).low < 1e-12
    assert gershgorin_bound(signs @ signs.T, 8, 2) == 0


def test_where_a_constant_stands() -> None:
    """Between its bounds nothing is decided."""
    constant = IsometryConstant(0.2, 0.3, False, ((0,),), 9)
    assert [constant.standing(delta) for delta in (0.1, 0.2, 0.25, 0.3)] == ["fails", "undecided", "undecided", "holds"]
