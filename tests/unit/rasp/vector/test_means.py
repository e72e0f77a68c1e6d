"""Exact means against sums of fractions."""

from fractions import Fraction

import numpy as np

from capax.rasp.vector.means import float_weights


def test_weights_are_the_values_whatever_their_exponents() -> None:
    """Mantissas that do not fit 64 bits once they are shifted are kept as integers without bounds."""
    for low in range(-80, 0):
        values = [1.0, 1.0, 1.0, 1.0, 2.0**low, -(2.0**low)]
        weights = float_weights(np.array(values))
        total = sum(int(w) for w in weights.values)
        assert Fraction(total) * Fraction(2) ** weights.exponent == 4
        summed = int(weights.values.sum())  # in the type that they have: no sum may leave it
        assert summed == total
