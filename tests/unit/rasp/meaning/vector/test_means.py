"""Exact means against sums of fractions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.meaning.vector.column import SAFE, WIDE, Column, StringTable
from capax.rasp.meaning.vector.means import Weights, float_weights, integer_weights, means

LEAST = 5e-324
MOST = float(np.finfo(np.float64).max)
floats = st.floats(allow_nan=False, allow_infinity=False)
near = st.integers(-(2**53), 2**53).map(lambda n: math.ldexp(n, -20))


def held(weights: Weights) -> list[Fraction]:
    """The values that weights stand for."""
    return [Fraction(int(w)) * Fraction(2) ** weights.exponent for w in weights.values]


@given(st.one_of(st.lists(floats, min_size=1, max_size=6), st.lists(near, min_size=1, max_size=6)))
def test_weights_are_the_floats(values: list[float]) -> None:
    """All of them, to the last bit; and their sum stays in the type that they have."""
    weights = float_weights(np.array(values))
    assert held(weights) == [Fraction(v) for v in values]
    assert Fraction(int(weights.values.sum())) * Fraction(2) ** weights.exponent == sum(map(Fraction, values))


@pytest.mark.parametrize("values", [[0.0], [0.0, -0.0], [LEAST], [LEAST, 0.0], [MOST, LEAST, -MOST], [0.0, 3.0, 0.0]])
def test_weights_at_the_ends_of_the_range(values: list[float]) -> None:
    """Zeros, the least number and the greatest."""
    assert held(float_weights(np.array(values))) == [Fraction(v) for v in values]


def test_weights_have_as_few_digits_as_can_be() -> None:
    """Zeros at their ends are dropped, so that 64 bits are enough more often."""
    weights = float_weights(np.array([6.0, 0.0, -20.0]))
    assert (weights.values.tolist(), weights.exponent) == ([3, 0, -10], 1)
    assert float_weights(np.array([0.0, 0.0])).exponent == 0
    assert float_weights(np.zeros(3)).values.dtype == np.int64


def test_weights_leave_64_bits_where_a_sum_could() -> None:
    """A sum of n numbers of b bits has at most b bits and those of n: they are kept in 64 bits up to 62."""
    for low in range(-80, 0):
        values = [1.0, 1.0, 1.0, 1.0, 2.0**low, -(2.0**low)]
        weights = float_weights(np.array(values))
        assert held(weights) == [Fraction(v) for v in values]
        assert Fraction(int(weights.values.sum())) * Fraction(2) ** weights.exponent == 4
        assert (weights.values.dtype == np.int64) == (1 - low + 3 <= 62)


def test_integers_leave_64_bits_where_a_sum_could() -> None:
    """Sums of all of them are at most 2^62, or have no bounds."""
    for size, count, fits in [(WIDE, 1, True), (WIDE // 4, 4, True), (WIDE // 4 + 1, 4, False), (WIDE - 1, 2, False)]:
        for sign in (1, -1):
            column = Column("int", np.full(count, sign * size, np.int64), StringTable())
            weights = integer_weights(column)
            assert (weights.values.dtype == np.int64) == fits
            assert weights.exponent == 0
            assert int(weights.values.sum()) == sign * size * count
    bits = integer_weights(Column("bool", np.array([True, False]), StringTable()))
    assert (bits.values.tolist(), bits.values.dtype) == ([1, 0], np.int64)
    huge = integer_weights(Column("object", np.array([10**30, 1], object), StringTable()))
    assert huge.values.tolist() == [10**30, 1]
    none = integer_weights(Column("int", np.zeros(0, np.int64), StringTable()))
    assert none.values.dtype == np.int64


def wanted(total: int, count: int, exponent: int, whole: bool) -> float | None:
    """The mean by its definition; None where it does not fit a float."""
    exact = Fraction(total) * Fraction(2) ** exponent
    try:
        return float(exact / count) if whole else float(exact) / count
    except OverflowError:
        return None


TOTALS = [0, 1, -1, 7, SAFE - 1, SAFE, SAFE + 1, SAFE + 2, SAFE + 3, 3 * SAFE + 1, -SAFE - 1, -SAFE - 3, 2**62 - 1]
EXPONENTS = [0, 1, 3, -1, -2, -53, -200, -1074, -1130, 900, 970, 971, 1022, 1024]


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("dtype", [np.int64, object])
def test_means_are_those_of_the_definition(dtype: Any, exponent: int) -> None:
    """The exact sum divided once for integers, the rounded sum divided for floats; in 64 bits and without bounds."""
    rows = [(t, c, w) for t in TOTALS for c in (1, 2, 3, 7) for w in (True, False)]
    total = np.array([t for t, _, _ in rows], dtype)
    counts, whole = np.array([c for _, c, _ in rows]), np.array([w for _, _, w in rows])
    found, failed = means(total, counts, exponent, whole)
    for row, value, wrong in zip(rows, found.tolist(), failed.tolist(), strict=True):
        definition = wanted(row[0], row[1], exponent, row[2])
        assert wrong == (definition is None)
        assert wrong or value == definition


@given(st.lists(st.tuples(st.integers(-(2**62), 2**62), st.integers(1, 9), st.booleans()), min_size=1, max_size=5))
def test_means_of_any_sums(rows: list[Any]) -> None:
    """The same in 64 bits and without bounds, and as the definition says."""
    counts, whole = np.array([c for _, c, _ in rows]), np.array([w for _, _, w in rows])
    for exponent in (0, -3):
        for dtype in (np.int64, object):
            found, failed = means(np.array([t for t, _, _ in rows], dtype), counts, exponent, whole)
            assert not failed.any()
            assert found.tolist() == [wanted(t, c, exponent, w) for t, c, w in rows]


def test_one_sum_may_have_two_means() -> None:
    """Which is why words of integers are told apart from words with floats."""
    found, _ = means(np.array([SAFE + 1] * 2), np.array([3, 3]), 0, np.array([True, False]))
    assert found.tolist() == [float(Fraction(SAFE + 1, 3)), float(SAFE + 1) / 3]
    assert found[0] != found[1]


@pytest.mark.parametrize("dtype", [np.int64, object])
def test_a_mean_of_nothing_is_no_error(dtype: Any) -> None:
    """Rows of which no mean is wanted have the count 0."""
    _, failed = means(np.array([5, 2**62], dtype), np.array([0, 0]), 0, np.array([True, False]))
    assert not failed.any()


def test_sums_without_bounds() -> None:
    """A sum may be larger than any float, and its mean may be none for all that: small tokens beside huge ones."""
    total, count = 3 * 2**1500 + 1, 3
    for whole in (True, False):
        found, failed = means(np.array([total], object), np.array([count]), -1400, np.array([whole]))
        assert (found[0], failed[0]) == (2.0**100, False)
        _, failed = means(np.array([total], object), np.array([count]), 0, np.array([whole]))
        assert failed[0]


def test_no_values_have_the_mean_zero() -> None:
    """A count of 0 is that of a query that selects nothing: its mean is not used, and must not fail."""
    result, failed = means(np.array([0, 2**70], object), np.array([0, 1]), 0, np.array([True, True]))
    assert result.tolist() == [0.0, float(2**70)]
    assert not failed.any()
