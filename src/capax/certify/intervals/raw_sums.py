"""Sums before they are rounded."""

from typing import NamedTuple

import numpy as np

from capax.certify.intervals.tensor import grains_of
from capax.model.parts import Array

LEAST_GRAIN = 2.0**-60
"""Smaller grains count as none."""


class RawSums(NamedTuple):
    """Sums before they are rounded, in rows: bounds, sums of absolute values, whether a term is not known exactly.

    Both bounds are one array, and no term is in doubt, where all are known exactly.
    """

    low: Array
    high: Array
    size: Array
    noisy: Array | None
    grain: Array
    terms: Array

    def at(self, rows: list[int]) -> "RawSums":
        """Some of the rows; one that is asked for alone, however often, stands for all."""
        if rows == list(range(len(self.low))):
            return self
        used = rows[:1] if len(set(rows)) == 1 else rows
        low, noisy = self.low[used], None if self.noisy is None else self.noisy[used]
        high = low if self.high is self.low else self.high[used]
        return RawSums(low, high, self.size[used], noisy, self.grain[used], self.terms[used])

    def times(self, factors: Array) -> "RawSums":
        """The rows (or one for all) multiplied by positive factors, which are numbers of float32.

        Lemma. Sums of terms t that are exact in float64 after the multiplication, by the grain of the products, are
        exact before it, and their products with the factor are: no number of L1 has more digits than a product.
        """
        if (factors == 1).all():
            return self
        wide = factors.reshape((-1,) + (1,) * (self.low.ndim - 1))
        low = self.low * wide
        high = low if self.high is self.low else self.high * wide
        grain = self.grain * grains_of(factors)
        return RawSums(low, high, self.size * wide, self.noisy, np.where(grain >= LEAST_GRAIN, grain, 0.0), self.terms)
