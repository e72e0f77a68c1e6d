"""Whether numbers of two sets can be equal up to rounding."""

import pytest

from capax.compiler.analysis.value_sets import Finite
from capax.compiler.rounding.near_ties import Rounded, tie
from capax.compiler.rounding.rounding_error import EXACT, Slack


@pytest.mark.parametrize(("apart", "meets"), [(0.0, True), (0.5, True), (0.6, True), (0.7, False), (5.0, False)])
def test_slacks_of_both_sides_add_up(apart: float, meets: bool) -> None:
    """Two numbers may meet in the middle: neither reaches the other by its own slack alone."""
    one = Rounded(Finite((1.0, 20.0)), Slack({1.0: 0.3125}))
    two = Rounded(Finite((1.0 + apart, 40.0)), Slack({1.0 + apart: 0.3125}))
    assert (tie(one, two) is not None) == meets
    assert (tie(two, one) is not None) == meets


def test_exact_numbers_do_not_meet() -> None:
    """Equal floats without slack are equal, and different ones are not."""
    assert tie(Rounded(Finite((1.0, 2.0)), EXACT), Rounded(Finite((1.0, 3.0)), EXACT)) is None
