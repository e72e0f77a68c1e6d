"""Numbers as intervals over axes."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from capax.model.parts import Array


@dataclass(frozen=True, eq=False)
class IntervalTensor:
    """A number for each combination of values of some axes: between low and high."""

    axes: tuple[Any, ...]
    low: Array
    high: Array

    @cached_property
    def grain(self) -> float:
        """The largest power of two of which all numbers that are known exactly are multiples; 0 for a tiny one."""
        return grain_of(self.low if self.known else self.low[self.low == self.high])

    @cached_property
    def known(self) -> bool:
        """Whether all numbers are known exactly."""
        return self.low is self.high or np.array_equal(self.low, self.high)

    @property
    def size(self) -> float:
        """A bound on the absolute value."""
        return float(max(np.abs(self.low).max(initial=0.0), np.abs(self.high).max(initial=0.0)))

    @property
    def error(self) -> float:
        """The greatest width of an interval, halved."""
        return 0.0 if self.known else float((self.high - self.low).max(initial=0.0) / 2)


def exactly(axes: tuple[Any, ...], array: Array) -> IntervalTensor:
    """Numbers that are known."""
    known = np.asarray(array, np.float64)
    return IntervalTensor(axes, known, known)


def between(axes: tuple[Any, ...], low: Array, high: Array) -> IntervalTensor:
    """Numbers that lie between bounds."""
    return IntervalTensor(axes, np.asarray(low), np.asarray(high))


def grain_of(array: Array) -> float:
    """The largest power of two of which all numbers are multiples; 1 at most, and 0 for what is beyond 2^-60."""
    values = np.asarray(array, np.float64)
    values = values[values != 0]
    if not values.size:
        return 1.0
    if not np.isfinite(values).all():
        return 0.0
    if (values == np.rint(values)).all():
        return 1.0
    mantissa, exponent = np.frexp(values)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(np.float64))
    power = float((exponent - 53 + lowest).min())
    return 2.0**power if power >= -60 else 0.0


def are_whole(numbers: Array) -> bool:
    """Whether all numbers are integers, so that each has the grain 1."""
    return bool((numbers == np.rint(numbers)).all() and math.isfinite(numbers.sum()))


def grains_of(numbers: Array) -> Array:
    """The grain of each number by itself."""
    if are_whole(numbers):
        return np.ones(numbers.shape)
    finite = np.isfinite(numbers)
    mantissa, exponent = np.frexp(np.where((numbers == 0) | ~finite, 1.0, numbers))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    power = np.minimum(exponent - 53 + np.log2((whole & -whole).astype(np.float64)), 0.0)
    return np.where(finite & (power >= -60), 2.0**power, 0.0)


ZERO = exactly((), np.zeros(()))
