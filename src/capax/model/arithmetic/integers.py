"""Exact integer arithmetic, in which a computation split between parties equals the whole. What is rounded where:

- The stream, queries, keys and hidden units are clipped to P bits, values to PV bits. What a layer adds to the stream
  is exact (heads, bias, MLP), and so are the logits; the stream is clipped after each addition.
- A score is the exact product of query and key, times an integer scale.
- The weight of a score stands in the system's table and does not depend on other scores; numerators and denominators
  are exact sums. So the sums of any split of the keys add up to the sums of the whole.
- The quotient is rounded once, to nearest, ties to even.
- Hard attention takes exact maxima. The scores being integers, sparsemax has its support on the highest ones alone:
  it is average-hard attention.
- There are no norms, no GELU and no oracle maps: they are refused.
"""

from collections.abc import Callable

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic import exact
from capax.model.arithmetic.exact import UNSEEN
from capax.model.arithmetic.int64 import Int64Arithmetic
from capax.model.numbers import Integer
from capax.model.parts import Activation, Array, Norm


class IntegerArithmetic(Int64Arithmetic[Integer]):
    """Operations on int64 arrays of integers."""

    def __init__(self, system: Integer) -> None:
        super().__init__(system)
        self._table = np.array(system.table, np.int64)

    def outside(self, values: Array) -> Array:
        """The numbers as integers of P bits; fractions are refused."""
        whole = np.rint(values)
        if not (whole == values).all():
            raise CapaxError(
                "number-system",
                f"a function of the position is not an integer, but the model computes in {self.name:.60}",
                hint="use functions such as 1, i, i%k or [i%k=r]",
            )
        return self.keep(np.clip(whole, -(2.0**40), 2.0**40).astype(np.int64))

    def real(self, x: Array) -> Array:
        """The integers themselves, or float64 with minus infinity where there are scores that are not seen."""
        return np.where(x == UNSEEN, -np.inf, x.astype(np.float64)) if (x == UNSEEN).any() else x

    def affine(self, x: Array, weight: Array, bias: Array | None) -> Array:
        """The exact sum."""
        sums = exact.matmul(x, weight)
        return sums if bias is None else sums + bias

    def keep(self, x: Array) -> Array:
        """The integers clipped to P bits."""
        return np.clip(x, self.system.least, self.system.most)

    def keep_value(self, x: Array) -> Array:
        """The integers clipped to PV bits."""
        half = 1 << (self.system.value_bits - 1)
        return np.clip(x, -half, half - 1)

    def add(self, x: Array, y: Array) -> Array:
        """The sum, clipped to P bits."""
        return self.keep(x + y)

    def scaled(self, q: Array, scale: float | Array) -> Array:
        """The exact product with an integer scale."""
        return q * np.asarray(scale, np.float64).astype(np.int64)

    def scores(self, q: Array, k: Array) -> Array:
        """The exact products."""
        return exact.matmul(q, k.swapaxes(-1, -2))

    def activate(self, x: Array, kind: Activation) -> Array:
        """ReLU, clipped to P bits."""
        assert kind == "relu", "checked before"
        return np.clip(x, 0, self.system.most)

    def norm(self, norm: Norm, x: Array) -> Array:
        """Never: norms are refused before a run."""
        raise AssertionError("norms are refused before a run")

    def oracle(self, function: Callable[[Array], Array], x: Array) -> Array:
        """Never: oracle maps are refused before a run."""
        raise AssertionError("oracle maps are refused before a run")

    def weigh(self, s: Array, top: Array) -> Array:
        """The table's weights; `top` plays no part."""
        low = self.system.low
        rows = np.clip(s, low, low + len(self._table) - 1) - low
        return np.where(s == UNSEEN, 0, self._table[rows])

    def ratio(self, numerator: Array, denominator: Array) -> Array:
        """The quotient, rounded once."""
        return exact.divide(numerator, np.maximum(denominator, 1))

    def sparse(self, s: Array) -> tuple[Array, Array]:
        """The highest scores with equal weights."""
        w = ((s == s.max(axis=-1, keepdims=True)) & (s > UNSEEN)).astype(np.int64)
        return w, w.sum(axis=-1, keepdims=True)
