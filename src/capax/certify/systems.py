"""The number systems in which models are certified, and the weights of a model as a system holds them."""

from typing import Final

import numpy as np

from capax.certify.not_certified import NotCertified
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array

SYSTEMS: Final = ("float64", "float32", "bfloat16")

ROUNDOFF: Final = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8}
"""The unit roundoff: a bound on the relative error of one operation."""

LEAST_EXPONENT: Final = {"float64": -745.2, "float32": -104.0, "bfloat16": -104.0}
"""exp of anything smaller is zero, whether denormal numbers are flushed or not."""

LEAST: Final = {"float64": 2.0**-1022, "float32": 2.0**-126, "bfloat16": 2.0**-126}
"""A product that is smaller may lose digits, or become zero."""

LARGEST: Final = {"float64": 2.0**1000, "float32": 2.0**120, "bfloat16": 2.0**120}
"""Nothing beyond is certified: partial sums could overflow."""


def rounded_model(model: Model, numbers: str, plain: set[str]) -> Model:
    """The model with its weights rounded to a number system; refused if they are not plain numbers of it.

    `plain` are the systems that hold the weights as they are; what is learned of them is added.
    """
    same = model.numbers == numbers or ROUNDOFF[numbers] < ROUNDOFF.get(model.numbers, 0.0)
    if numbers in plain:
        return model
    try:
        rounded = model if same else model.to(numbers)  # finer numbers hold the same weights
    except CapaxError as error:
        raise NotCertified(error.what) from None
    arrays, held = list(rounded.arrays()), rounded.numbers if same else numbers
    try:
        check_plain(np.concatenate([array.reshape(-1) for _, array in arrays]), "the model", held, LEAST[numbers])
    except NotCertified:
        for name, array in arrays:  # which one
            check_plain(array, name, held, LEAST[numbers])
        raise
    if same:
        plain.add(numbers)
    return rounded


def check_plain(array: Array, name: str, numbers: str, least: float) -> None:
    """Refuses what is no finite number, what a system does not hold, and what may be read as zero."""
    values = np.asarray(array, np.float64)
    if not np.isfinite(values).all():
        raise NotCertified(f"{name} has a number that is not finite")
    if numbers in ROUNDOFF and not np.array_equal(cast(values, numbers), values):
        raise NotCertified(f"{name} has numbers that {numbers} cannot represent")
    size = np.abs(values)
    if ((size > 0) & (size < least)).any():
        raise NotCertified(f"{name} has denormal numbers, which some machines read as zero")


def cast(values: Array, numbers: str) -> Array:
    """Numbers as a number system holds them; those that are too large for it are infinite."""
    with np.errstate(over="ignore"):
        nearest = values.astype(np.float32 if numbers == "bfloat16" else numbers)
    if numbers == "bfloat16":
        bits = nearest.view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        return rounded.astype(np.uint32).view(np.float32).astype(np.float64)
    return nearest.astype(np.float64)
