"""Fixed-point arithmetic: integers of P bits in units of 2^-F, kept as int64. What is rounded where:

Every rounding is to nearest, ties to even, and then saturates to P bits.

- An affine map: the products and the bias are summed exactly, then rounded once. The heads of a layer write through
  one such map (their outputs stacked), with the layer's bias.
- A sum of two streams is exact and saturates.
- A score: scale times query, rounded (a scale of 1 is left out), then the product with the key summed exactly and
  rounded once. Of a third-order head: the triple products are summed exactly and rounded once.
- Softmax: the numerators are e^(s - max) rounded to F fraction bits, without saturation; their sum, and the sum of
  numerators times values, are exact; the quotient is rounded once.
- Hard attention: the sum is exact, the quotient rounded once. Sparsemax: the weights are exact rational numbers; the
  quotient is rounded once. The value of a pair of keys is the exact product; the quotient is rounded once.
- A norm: the mean is rounded; the differences are exact; the mean of their squares, plus epsilon, is rounded to 2F
  fraction bits without saturation; its root is rounded to F fraction bits and is at least one unit; the quotient by it
  is rounded; the product with the gain plus the bias is rounded once.
- GELU and oracle maps are computed in float64 and rounded once, and so are the functions of the position.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from capax.model.arithmetic import exact
from capax.model.arithmetic.exact import UNSEEN
from capax.model.arithmetic.int64 import Int64Arithmetic
from capax.model.arithmetic.scalars import scalar_gelu
from capax.model.numbers import Fixed
from capax.model.parts import Activation, Array, Norm


class FixedArithmetic(Int64Arithmetic[Fixed]):
    """Operations on int64 arrays in units of 2^-F."""

    def saturated(self, x: Array) -> Array:
        """The integers moved into P bits."""
        return np.clip(x, self.system.least, self.system.most)

    def outside(self, values: Array) -> Array:
        """The nearest numbers of the system; what is not a number becomes 0."""
        units = np.nan_to_num(np.rint(np.ldexp(values.astype(np.float64), self.system.fraction)))
        return np.asarray(np.clip(units, self.system.least, self.system.most).astype(np.int64))

    def real(self, x: Array) -> Array:
        """The numbers as float64, exactly; a score that is not seen is minus infinity."""
        return np.where(x == UNSEEN, -np.inf, np.ldexp(x.astype(np.float64), -self.system.fraction))

    def _fit(self, x: Array) -> Array:
        """Numbers in units of 2^-2F as numbers of the system."""
        return self.saturated(exact.shift(x, self.system.fraction))

    def affine(self, x: Array, weight: Array, bias: Array | None) -> Array:
        """An exact sum, rounded once."""
        sums = exact.matmul(x, weight)
        if bias is not None:
            sums += bias << self.system.fraction
        return self._fit(sums)

    def add(self, x: Array, y: Array) -> Array:
        """The sum, saturated."""
        return self.saturated(x + y)

    def scaled(self, q: Array, scale: float | Array) -> Array:
        """The product with the scale, rounded; a scale of 1 is exact."""
        factor = np.asarray(scale, np.float64)
        return np.where(factor == 1, q, self._fit(q * self.outside(factor)))

    def scores(self, q: Array, k: Array) -> Array:
        """An exact sum, rounded once."""
        return self._fit(exact.matmul(q, k.swapaxes(-1, -2)))

    def pair_scores(self, q: Array, k: Array) -> Array:
        """The scores of a third-order head from queries in units of 2^-2F: an exact sum, rounded once."""
        return self.saturated(exact.shift(exact.matmul(q, k.swapaxes(-1, -2)), 2 * self.system.fraction))

    def activate(self, x: Array, kind: Activation) -> Array:
        """ReLU, or GELU of the float64 number, rounded once."""
        if kind == "relu":
            return np.maximum(x, 0)
        return self.outside(np.asarray(np.frompyfunc(scalar_gelu(kind), 1, 1)(self.real(x)), np.float64))

    def norm(self, norm: Norm, x: Array) -> Array:
        """(x - mean) / sqrt(variance + epsilon) * gain + bias, rounded as this file's text says."""
        f, d = self.system.fraction, x.shape[-1]
        if norm.kind == "layer":
            mean = exact.divide(x.sum(axis=-1, keepdims=True), np.array(d, np.int64))
            x = x - mean
        # The mean square plus epsilon is (squares * q + p * d * 4^F) / (d * q) with epsilon = p / q: its integer part
        # and rest are kept apart, since epsilon may have a large denominator.
        squares = (x * x).sum(axis=-1, keepdims=True)
        variance = _mean_plus(squares, d, Fraction(norm.epsilon) * 4**f)
        root = np.maximum(exact.root(variance), 1)
        scaled = self.saturated(exact.divide(x << f, root))
        gain, bias = self.weights(norm.gain, "a norm's gain"), self.weights(norm.bias, "a norm's bias")
        return self._fit(scaled * gain + (bias << f))

    def oracle(self, function: Callable[[Array], Array], x: Array) -> Array:
        """The function's result on the float64 numbers, rounded."""
        return self.outside(np.asarray(function(self.real(x)), np.float64))

    def weigh(self, s: Array, top: Array) -> Array:
        """e^(s - top), rounded to F fraction bits."""
        return np.where(s == UNSEEN, 0, exact.exponential(np.minimum(s - top, 0), self.system.fraction))

    def ratio(self, numerator: Array, denominator: Array) -> Array:
        """The quotient, rounded once."""
        return self.saturated(exact.divide(numerator, np.maximum(denominator, 1)))

    def sparse(self, s: Array) -> tuple[Array, Array]:
        """The exact weights of sparsemax as integers over one denominator.

        With c keys in the support, S the sum of their scores and U = 2^F, the weight of s is (c s - S + U) / (c U).
        """
        unit = 1 << self.system.fraction
        high = -np.sort(-s, axis=-1)
        seen = high > UNSEEN
        high = np.where(seen, high, 0)
        sums = np.cumsum(high, axis=-1)
        count = np.arange(1, s.shape[-1] + 1)
        size = np.maximum((seen & (unit + count * high > sums)).sum(axis=-1, keepdims=True), 1)
        excess = size * np.where(s == UNSEEN, 0, s) - np.take_along_axis(sums, size - 1, axis=-1) + unit
        return np.where(s == UNSEEN, 0, np.maximum(excess, 0)), size * unit

    def pair_values(self, numerator: Array, denominator: Array) -> Array:
        """The quotient of sums of weighted products of two values, rounded once."""
        return self.ratio(numerator, denominator << self.system.fraction)


def _mean_plus(squares: Array, d: int, epsilon: Fraction) -> Array:
    """The integers nearest to squares / d + epsilon, ties to even."""
    whole = math.floor(epsilon)
    part = epsilon - whole
    low, rest = squares // d, squares % d
    # rest / d + part lies in [0, 2): compared with 1/2 and 3/2 exactly, for each of the d possible rests.
    exact_rest = [Fraction(r, d) + part for r in range(d)]
    floors = np.array([math.floor(e) for e in exact_rest], np.int64)
    above = np.array([(e % 1 > Fraction(1, 2)) - (e % 1 < Fraction(1, 2)) for e in exact_rest], np.int64)
    floor = low + whole + floors[rest]
    side = above[rest]
    return np.asarray(floor + ((side > 0) | ((side == 0) & (floor & 1 == 1))))
