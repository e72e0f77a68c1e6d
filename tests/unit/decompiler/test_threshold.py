"""Linear thresholds of counts: right on every row, with small weights where small ones will do."""

from itertools import product

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from capax import indices
from capax.decompiler.feature import Feature
from capax.decompiler.naming import program_of
from capax.decompiler.threshold import threshold

ROWS = np.array(list(product(range(7), repeat=2)), np.float64)
A = Feature(indices.node, "int", ROWS[:, 0], 1.0)
B = Feature((indices + 1).node, "int", ROWS[:, 1], 1.0)


@given(st.integers(-3, 3), st.integers(-3, 3), st.integers(-6, 6))
def test_a_threshold_is_found_again(a: int, b: int, shift: int) -> None:
    """A target that is a threshold has one, which is right on every row."""
    target = ROWS @ np.array([a, b]) + shift > 0
    assume(target.any() and not target.all())
    feature = threshold(target, [A, B])
    assert feature is not None
    assert np.array_equal(feature.values > 0, target)


def test_no_threshold_for_equality() -> None:
    """Equal counts lie between unequal ones: there is no threshold."""
    assert threshold(ROWS[:, 0] == ROWS[:, 1], [A, B]) is None
    assert threshold(np.ones(len(ROWS), bool), [A, B]) is None


def test_majority_is_written_as_a_comparison() -> None:
    """Weights 1 and -1 are no products."""
    feature = threshold(ROWS[:, 0] > ROWS[:, 1], [A, B])
    assert feature is not None
    assert program_of(feature.node, {}).to_text() == "s1 = indices > indices + 1;\n"
