"""Numbers at the row of a sink token: those that a number system holds, and units that are exact or surely off."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capax.certify.not_certified import NotCertified
from capax.certify.parts.sink_token import _held, _sum, _unit
from capax.certify.systems import SYSTEMS, cast


@given(st.integers(-(2**60), 2**60), st.integers(-60, 30), st.sampled_from(SYSTEMS))
@example(2**24 + 1, 0, "float32")
@example(2**24 - 1, 0, "float32")
@example(257, -4, "bfloat16")
@example(255, 9, "bfloat16")
@example(2**53 + 1, 0, "float64")
@example(-(2**53) + 1, -20, "float64")
@example(0, 0, "float32")
def test_a_number_is_held_if_it_is_not_rounded(digits: int, exponent: int, numbers: str) -> None:
    """As a cast to the system says."""
    x = Fraction(digits) * Fraction(2) ** exponent
    same = Fraction(float(x)) == x and Fraction(float(cast(np.array([float(x)]), numbers)[0])) == x
    assert _held(x, numbers) == same


@pytest.mark.parametrize("numbers", SYSTEMS)
def test_other_numbers_are_not_held(numbers: str) -> None:
    """Fractions, and numbers near the ends of the exponents."""
    for x in (Fraction(1, 3), Fraction(2, 5), Fraction(2) ** 101, Fraction(1, 2**101)):
        assert not _held(x, numbers)
        assert not _held(-x, numbers)
    for x in (Fraction(2) ** 100, Fraction(1, 2**100), Fraction(3, 4)):
        assert _held(x, numbers)
        assert _held(-x, numbers)


def test_sums_of_more_than_two_numbers_depend_on_their_order() -> None:
    """Two numbers have one sum, which must be a number of the system; more must be few multiples of one number."""
    assert _sum([], "float32") == 0
    assert _sum([Fraction(1), Fraction(2)], "float32") == 3
    assert _sum([Fraction(1)] * 3, "float32") == 3
    for terms in ([Fraction(2**24), Fraction(1), Fraction(-(2**24))], [Fraction(2**24), Fraction(1)], [Fraction(1, 3)]):
        with pytest.raises(NotCertified, match="a sum at its row is rounded"):
            _sum(terms, "float32")


small = st.integers(-8, 8)


@given(st.lists(st.tuples(small, small), min_size=1, max_size=2), small, st.sampled_from(["float32", "float64"]))
def test_units_give_the_positive_part_of_what_they_read(pairs: list[tuple[int, int]], bias: int, numbers: str) -> None:
    """Small integers, in any number: no order of adding them up is rounded."""
    weights, row = np.array([float(w) for w, _ in pairs]), [Fraction(x) for _, x in pairs]
    terms = [w * x for w, x in pairs if w * x] + ([bias] if bias else [])
    assert _unit(weights, float(bias), row, numbers, Fraction(0)) == max(sum(terms), 0)


def test_units_whose_sum_some_order_would_round_are_refused() -> None:
    """Three terms of which two have digits that are far apart, and units near zero where a margin is asked for."""
    row = [Fraction(1)] * 2
    with pytest.raises(NotCertified, match="a sum at its row is rounded"):
        _unit(np.array([2.0**20, 2.0**-20]), 1.0, row, "float32", Fraction(0))
    with pytest.raises(NotCertified, match="a sum at its row is rounded"):
        _unit(np.array([100.0, 100.0]), 100.0, row, "bfloat16", Fraction(0))
    assert _unit(np.array([100.0, 100.0]), 100.0, row, "float32", Fraction(0)) == 300
    with pytest.raises(NotCertified, match="near zero"):
        _unit(np.array([-(2.0**-40)]), 0.0, [Fraction(1)], "float32", Fraction(1, 2**30))
