"""Arrays sorted, and numbered by their distinct values, in time that grows with their length alone."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

LONG = 4_000
"""From here on sorting digit by digit is faster than by comparison."""
DIGIT = 16
"""The bits of a digit: numpy sorts arrays of 16 bits by counting."""


def table_pays(span: int, size: int) -> bool:
    """Whether a table over a span of numbers is small beside the arrays that are looked up in it."""
    return span <= 4 * size + 1024


def repeated(values: NDArray[Any], size: int) -> NDArray[Any]:
    """The only value of an array, some times, without taking memory for each; the result is not to be written to."""
    if values.dtype == object:
        return np.broadcast_to(values, size)
    return np.ndarray((size,), values.dtype, values, 0, (0,))  # a tenth of the time of broadcast_to


def is_sorted(values: NDArray[Any]) -> bool:
    """Whether no value is less than the one before."""
    return bool((values[1:] >= values[:-1]).all())


def stable_order(codes: Ints, span: int) -> Ints:
    """The positions in the order of codes from 0 to below `span`, equal ones as they were."""
    if span <= 1 << DIGIT:
        return np.argsort(codes.astype(np.uint8 if span <= 1 << 8 else np.uint16), kind="stable")
    if len(codes) < LONG:
        return np.argsort(codes, kind="stable")
    order = np.argsort(codes.astype(np.uint16), kind="stable")  # the lowest digit: the cast keeps its bits
    for shift in range(DIGIT, (span - 1).bit_length(), DIGIT):
        digit = (codes >> shift).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
    return order


def distinct(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values in order, and for each value its number among them."""
    if not len(values):
        return values, values
    low, high = int(values.min()), int(values.max())
    span = high - low + 1
    if table_pays(span, len(values)):
        shifted = values - low
        seen = np.zeros(span, dtype=np.bool_)
        seen[shifted] = True
        return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[shifted]
    if len(values) < LONG or span > 1 << 63:
        known, inverse = np.unique(values, return_inverse=True)
        return known, inverse.reshape(-1)
    order = stable_order(values - low, span)
    arranged = values[order]
    new = np.empty(len(values), dtype=np.bool_)
    new[0] = True
    np.not_equal(arranged[1:], arranged[:-1], out=new[1:])
    numbers = np.empty(len(values), dtype=np.int64)
    numbers[order] = np.cumsum(new) - 1
    return arranged[new], numbers


def sortable(values: Floats) -> Ints:
    """Integers that compare as floats do, none of which is nan."""
    bits = (values + 0.0).view(np.int64)  # -0.0 becomes 0.0, which it equals
    return bits ^ ((bits >> 63) & np.int64(0x7FFF_FFFF_FFFF_FFFF))
