"""Radon partitions, and the least dimension."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import theorems
from capax.theorems.sparse_averaging.parts.dual import sign_keys
from capax.theorems.sparse_averaging.parts.oracle_free_unit import bits_of
from capax.theorems.sparse_averaging.parts.radon import least_dimension, radon
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.unit import table_unit
from capax.theorems.sparse_averaging.parts.worst_error import measure
from capax.theorems.sparse_averaging.q_sparse_moment import curve_keys, curve_query


@given(st.integers(1, 4), st.integers(0, 99), st.data())
def test_radon_certificates(q: int, seed: int, data: st.DataObject) -> None:
    """Below 2q dimensions there is a subset on which the weights of any query are off by 1/q."""
    m = data.draw(st.integers(1, 2 * q - 1))
    length = 3 * q + data.draw(st.integers(0, 5))
    random = np.random.default_rng(seed)
    keys = random.normal(size=(length, m)) if seed % 2 else sign_keys(length, m, seed)
    found = radon(keys, q, random)
    assert found is not None
    assert len(found.subset) == q
    assert set(found.inside) <= set(found.subset)
    assert not set(found.outside) & set(found.subset)
    assert math.isclose(sum(found.inside.values()), 1)
    assert math.isclose(sum(found.outside.values()), 1)
    assert found.gap < 1e-7
    right = bits_of(length, (found.subset,))[0] / q
    for scale in (0.1, 1, 10, 100):
        scores = keys @ random.normal(size=m) * scale
        weights = np.exp(scores - scores.max())
        assert np.abs(weights / weights.sum() - right).sum() >= 1 / q - 1e-6


@pytest.mark.parametrize(("length", "q"), [(4, 3), (2, 1), (7, 6), (9, 3), (16, 3), (3, 1)])
def test_no_size_that_works_is_below_the_bound(length: int, q: int) -> None:
    """Sizes never contradict the bound; below N = 3q fewer than 2q dimensions can do, and it says nothing."""
    least = least_dimension(length, q)
    assert (least is None) == (length < 3 * q)
    rows = theorems.theorem("q-sparse-random").run(length=length, q=q).rows
    row = next(row for row in rows if "any precision" in row.what)
    assert row.bound == ("" if least is None else 2 * q)
    assert least is None or isinstance(row.built, int)
    assert least is None or row.built >= least
    if (length, q) == (4, 3):
        assert row.built < 2 * q


def test_radon_says_nothing_from_2q_on() -> None:
    """With 2q dimensions there need not be such a subset: the curve without its constant coordinate has none."""
    assert radon(curve_keys("circle", 12, 3)[:, 1:], 3, np.random.default_rng(0)) is None


def test_two_q_dimensions_are_enough() -> None:
    """The constant coordinate of the curve's keys changes no weight, so the unit without it is as good."""
    keys, which = curve_keys("circle", 9, 2), tuple(combinations(range(9), 2))
    queries = np.array([curve_query("circle", 9, s, 0.1) for s in which])
    assert (
        measure(table_unit(keys[:, 1:], queries[:, 1:], which, 1, "float64"), TokenReading(9, 2, 1), which, 0).worst
        < 0.1
    )
