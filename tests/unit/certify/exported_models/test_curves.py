"""Units that read one number: the least and the greatest of what they write together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.exported_models.curves import curves_of, span

small = st.integers(-6, 6).map(float)


def test_units_that_read_multiples_of_one_column() -> None:
    """Are one curve, with their factors; a unit alone, and one that reads nothing, are none."""
    weight = np.array(
        [[1.0, -2.0, 0.0, 1.0, 0.0, 5.0], [3.0, -6.0, 0.0, 2.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    )
    (found,) = curves_of(weight)
    assert found.column.tolist() == [1.0, 3.0, 0.0]
    assert found.units.tolist() == [0, 1]
    assert found.factors.tolist() == [1.0, -2.0]
    assert np.array_equal(np.outer(found.column, found.factors), weight[:, found.units])
    assert curves_of(weight[:, 2:]) == []


def test_factors_are_exact_or_none() -> None:
    """A column that is no exact multiple of what its first number divides it to stands for itself."""
    column = np.array([3.0, 1.0])  # a third of it is rounded; and three times that is exact again only by luck
    weight = np.stack([column, column, np.array([0.1, 0.3]), np.array([0.1, 0.3])], 1)
    for found in curves_of(weight):
        assert np.array_equal(np.outer(found.column, found.factors), weight[:, found.units])
    assert sorted(u for c in curves_of(weight) for u in c.units.tolist()) == [0, 1, 2, 3]


@given(
    st.lists(st.tuples(small.filter(bool), small, small), min_size=1, max_size=5),
    st.lists(st.tuples(small, small), min_size=1, max_size=3),
)
def test_spans_are_those_of_a_fine_search(
    units: list[tuple[float, float, float]], ends: list[tuple[float, float]]
) -> None:
    """Piecewise linear: its extremes are at the ends and at the kinks, and the bounds are no wider."""
    factors, biases, written = (np.array(c) for c in zip(*units, strict=True))
    low, high = np.array([min(e) for e in ends]), np.array([max(e) for e in ends])
    least, most = span(low, high, factors, biases, written)
    for k in range(len(ends)):
        points = np.unique([low[k], high[k], *np.clip(-biases / factors, low[k], high[k])])
        values = (np.maximum(points[:, None] * factors + biases, 0.0) * written).sum(axis=1)
        size = np.abs(written * factors).sum() * max(abs(low[k]), abs(high[k])) + np.abs(written * biases).sum()
        assert least[k] <= values.min() <= values.max() <= most[k]
        slack = (4 * len(units) + 20) * 2.0**-52 * size
        assert least[k] >= values.min() - slack
        assert most[k] <= values.max() + slack


@pytest.mark.parametrize("terms", [1, 8])
def test_spans_cover_their_own_rounding(terms: int) -> None:
    """Two units in the last place for each term, and some, of the sum of absolute values."""
    ones = np.ones(terms)
    least, most = span(np.array([-2.0]), np.array([-1.0]), ones, -ones, ones)  # all zero, though the terms are not
    assert most[0] == -least[0] == (2 * terms + 8) * 2.0**-52 * 3 * terms
