"""What fixed point and exact integers have in common: int64 arrays, whose sums and products are exact."""

from typing import Any, Generic, TypeVar

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic import exact
from capax.model.arithmetic.exact import UNSEEN
from capax.model.arithmetic.interface import Arithmetic
from capax.model.numbers import Fixed, Integer
from capax.model.parts import Array

S = TypeVar("S", Fixed, Integer)


class Int64Arithmetic(Arithmetic, Generic[S]):
    """Operations on int64 arrays that need no rounding."""

    def __init__(self, system: S) -> None:
        self.system: S = system
        self.name = system.name
        self.dtype: np.dtype[Any] = np.dtype(np.int64)
        self.unseen = UNSEEN

    def weights(self, array: Array, what: str) -> Array:
        """The array itself; it has to hold int64 integers of the system's bits."""
        system = self.system
        if array.dtype != np.int64:
            raise CapaxError(
                "number-system",
                f"{what} holds {array.dtype} numbers, but the model computes in {system.name:.60}",
                hint="Model.to converts a model to a number system",
            )
        if array.size and (array.max() > system.most or array.min() < system.least):
            kind = "numbers" if isinstance(system, Fixed) else "integers"
            raise CapaxError("number-system", f"{what} has {kind} of more than {system.bits} bits")
        return array

    def times(self, x: Array, y: Array) -> Array:
        """The exact product; in fixed point in units of 2^-2F."""
        return x * y

    def total(self, w: Array) -> Array:
        """The exact sum."""
        return np.asarray(w.sum(axis=-1, keepdims=True, dtype=np.int64))

    def combine(self, w: Array, v: Array) -> Array:
        """The exact sum."""
        return exact.matmul(w.astype(np.int64), v)

    def plus(self, x: Array, y: Array) -> Array:
        """The exact sum."""
        return x + y
