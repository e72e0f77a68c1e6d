"""Intervals over axes, and the powers of two of which numbers are multiples."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.intervals.tensor import are_whole, between, exactly, grain_of, grains_of

dyadic = st.builds(lambda n, k: n * 2.0**k, st.integers(-(2**20), 2**20), st.integers(-75, 30))


def largest_power(values: list[float]) -> float:
    """By its definition: the largest power of two, 1 at most and 2^-60 at least, of which all are multiples; or 0."""
    for power in range(61):
        if all((Fraction(v) * 2**power).denominator == 1 for v in values):
            return 2.0**-power
    return 0.0


@given(st.lists(dyadic, max_size=4))
def test_grains(values: list[float]) -> None:
    """Of all numbers together, and of each."""
    assert grain_of(np.array(values)) == largest_power(values)
    assert grains_of(np.array(values)).tolist() == [largest_power([v]) for v in values]


@pytest.mark.parametrize("power", [0, 1, 59, 60, 61, 1074])
def test_grains_at_the_end_of_what_is_looked_at(power: int) -> None:
    """2^-60 is the least."""
    number = 2.0**-power
    assert grain_of(np.array([number, 0.0, 3.0])) == (number if power <= 60 else 0.0)
    assert grains_of(np.array([number, 0.0, 3.5])).tolist() == [number if power <= 60 else 0.0, 1.0, 0.5]


@pytest.mark.parametrize("wrong", [np.inf, -np.inf, np.nan])
def test_what_is_no_number_has_no_grain(wrong: float) -> None:
    """Nor is it an integer."""
    assert grain_of(np.array([1.0, wrong])) == 0.0
    assert grains_of(np.array([1.0, wrong, 0.25])).tolist() == [1.0, 0.0, 0.25]
    assert not are_whole(np.array([1.0, wrong]))
    assert are_whole(np.array([1.0, -3.0, 2.0**60]))
    assert not are_whole(np.array([1.0, 0.5]))


def test_bounds_and_errors() -> None:
    """The size is the greatest absolute bound, the error half of the greatest width."""
    x = between((), np.array([-3.0, 1.0]), np.array([-2.0, 1.5]))
    assert (x.size, x.error, x.known, x.grain) == (3.0, 0.5, False, 1.0)
    y = between((), np.array([-1.0, 0.25]), np.array([4.0, 0.25]))
    assert (y.size, y.error, y.known, y.grain) == (4.0, 2.5, False, 0.25)
    z = exactly((), np.array([0.5, -8.0]))
    assert (z.size, z.error, z.known, z.grain) == (8.0, 0.0, True, 0.5)
    same = between((), np.array([0.5]), np.array([0.5]))
    assert (same.known, same.error) == (True, 0.0)
    nothing = exactly((), np.zeros(0))
    assert (nothing.size, nothing.error) == (0.0, 0.0)
    empty = between((), np.zeros(0), np.ones(0))
    assert empty.size == 0.0
