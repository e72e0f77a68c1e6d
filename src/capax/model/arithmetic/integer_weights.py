"""The weights of systems that hold integers."""

import numpy as np

from capax.errors import CapaxError
from capax.model.numbers import Fixed, Integer
from capax.model.parts import Array


def check_integer_weights(array: Array, what: str, system: Fixed | Integer, kind: str) -> Array:
    """The array itself; it has to hold int64 integers of the system's bits."""
    if array.dtype != np.int64:
        raise CapaxError(
            "number-system",
            f"{what} holds {array.dtype} numbers, but the model computes in {system.name:.60}",
            hint="Model.to converts a model to a number system",
        )
    if array.size and (array.max() > system.most or array.min() < system.least):
        raise CapaxError("number-system", f"{what} has {kind} of more than {system.bits} bits")
    return array
