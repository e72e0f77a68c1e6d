"""What a runtime asks of a number system: the operations on arrays, with their rounding."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from capax.model.parts import Activation, Array, Norm


class Arithmetic(Protocol):
    """The operations of one number system on arrays whose last axis is features.

    Scores that a query does not see hold `unseen`. Attention computes weights as w / den with `weigh` or `sparse`,
    the sum of w * v with `combine`, and one quotient with `ratio`. A method with a body here holds for every
    system that does not say otherwise.
    """

    name: str
    dtype: np.dtype[Any]
    unseen: Any

    def weights(self, array: Array, what: str) -> Array:
        """A model's array, checked to hold numbers of the system."""
        ...

    def outside(self, values: Array) -> Array:
        """Float64 numbers, such as functions of the position, as numbers of the system."""
        ...

    def real(self, x: Array) -> Array:
        """Numbers of the system as ordinary numbers."""
        ...

    def affine(self, x: Array, weight: Array, bias: Array | None) -> Array:
        """The rows x @ weight + bias."""
        ...

    def keep(self, x: Array) -> Array:
        """A query, a key or a stream as it is stored."""
        return x

    def keep_value(self, x: Array) -> Array:
        """A value as it is stored."""
        return x

    def add(self, x: Array, y: Array) -> Array:
        """The sum of a stream and what is added to it."""
        ...

    def times(self, x: Array, y: Array) -> Array:
        """The product, coordinate by coordinate, before it is summed."""
        ...

    def scaled(self, q: Array, scale: float | Array) -> Array:
        """Queries times the scale of the scores; a scale per head has axes that fit the queries."""
        ...

    def scores(self, q: Array, k: Array) -> Array:
        """The scores (..., query, key); the array is new and may be written to."""
        ...

    def hard_scores(self, q: Array, k: Array) -> Array:
        """The scores of hard attention, which depend on the query and the key alone, not on how many there are."""
        return self.scores(q, k)

    def pair_scores(self, q: Array, k: Array) -> Array:
        """The scores of a third-order head, from queries times first keys and second keys."""
        return self.scores(q, k)

    def activate(self, x: Array, kind: Activation) -> Array:
        """A hidden stage, which may be overwritten, after its activation."""
        ...

    def norm(self, norm: Norm, x: Array) -> Array:
        """The rows after a norm."""
        ...

    def oracle(self, function: Callable[[Array], Array], x: Array) -> Array:
        """What an oracle map adds to the stream."""
        ...

    def weigh(self, s: Array, top: Array) -> Array:
        """Softmax numerators of scores (which may be overwritten), given the highest score of each query."""
        ...

    def total(self, w: Array) -> Array:
        """The sum of numerators over keys, with a last axis of length 1."""
        ...

    def combine(self, w: Array, v: Array) -> Array:
        """The sums over keys of w * v."""
        ...

    def plus(self, x: Array, y: Array) -> Array:
        """The sum of two numerators or denominators."""
        ...

    def ratio(self, numerator: Array, denominator: Array) -> Array:
        """The quotient as a number of the system; a denominator of 0 stands for 1."""
        ...

    def sparse(self, s: Array) -> tuple[Array, Array]:
        """Sparsemax numerators and the denominator of each query."""
        ...

    def pair_values(self, numerator: Array, denominator: Array) -> Array:
        """The quotient of a third-order head, whose numerator holds products of two values."""
        return self.ratio(numerator, denominator)
