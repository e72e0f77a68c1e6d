"""The weights of a model as a number system holds them."""

import numpy as np

from capax.certify.budget import Effort
from capax.certify.intervals.arithmetic import LEAST, ROUNDOFF
from capax.certify.not_certified import Refusal
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array


def converted(model: Model, numbers: str, effort: Effort) -> Model:
    """The model with its weights rounded to a number system; refused if they are no plain numbers of it."""
    same = model.numbers == numbers or ROUNDOFF[numbers] < ROUNDOFF.get(model.numbers, 0.0)
    if ("plain", numbers) in effort.kept:
        return model
    try:
        held = model if same else model.to(numbers)  # finer numbers hold the same weights
    except CapaxError as error:
        raise Refusal(error.what) from None
    for name, array in held.arrays():
        check_plain(array, name, held.numbers if same else numbers, LEAST[numbers])
    if same:
        effort.kept["plain", numbers] = True, 0
    return held


def check_plain(array: Array, name: str, numbers: str, least: float) -> None:
    """Refuses what is no finite number, what a system does not hold, and what may be read as zero."""
    values = np.asarray(array, np.float64)
    if not np.isfinite(values).all():
        raise Refusal(f"{name} holds what is no finite number")
    if numbers in ROUNDOFF and not np.array_equal(cast(values, numbers), values):
        raise Refusal(f"{name} holds numbers that are none of {numbers}")
    size = np.abs(values)
    if ((size > 0) & (size < least)).any():
        raise Refusal(f"{name} holds denormal numbers, which some machines take for zero")


def cast(values: Array, numbers: str) -> Array:
    """Numbers as a number system holds them."""
    if numbers == "bfloat16":
        bits = values.astype(np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        return rounded.astype(np.uint32).view(np.float32).astype(np.float64)
    return values.astype(numbers).astype(np.float64)
