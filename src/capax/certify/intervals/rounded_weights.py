"""The weights of a model as a number system holds them."""

import numpy as np

from capax.certify.cache import ProofCache
from capax.certify.not_certified import NotCertified
from capax.certify.systems import LEAST, ROUNDOFF
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Array


def rounded_model(model: Model, numbers: str, cache: ProofCache) -> Model:
    """The model with its weights rounded to a number system; refused if they are not plain numbers of it."""
    same = model.numbers == numbers or ROUNDOFF[numbers] < ROUNDOFF.get(model.numbers, 0.0)
    if numbers in cache.plain:
        return model
    try:
        rounded = model if same else model.to(numbers)  # finer numbers hold the same weights
    except CapaxError as error:
        raise NotCertified(error.what) from None
    for name, array in rounded.arrays():
        check_plain(array, name, rounded.numbers if same else numbers, LEAST[numbers])
    if same:
        cache.plain.add(numbers)
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
    """Numbers as a number system holds them."""
    if numbers == "bfloat16":
        bits = values.astype(np.float32).view(np.uint32)
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
        return rounded.astype(np.uint32).view(np.float32).astype(np.float64)
    return values.astype(numbers).astype(np.float64)
