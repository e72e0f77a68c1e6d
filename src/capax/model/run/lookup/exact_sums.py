"""Exact sums of vectors, and their rounding."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from capax.model.parts import Array

_BITS: Final = 1074
_UNIT: Final = 1 << _BITS
"""Every finite float64 is an integer times 2^-1074."""


def rounded_sum(numbers: list[float], units: Iterable[int] = ()) -> float:
    """The exact sum of numbers, and of integers in units of 2^-1074, rounded once.

    It is an infinity where it is too large for a float. Numbers that are not finite are summed alone. A
    sum of zeros is 0.0, whatever their signs.
    """
    if not all(map(math.isfinite, numbers)):
        return sum(x for x in numbers if not math.isfinite(x))
    more = sum(units)
    try:
        return math.fsum(numbers) + 0.0 if not more else _rounded(more + sum(map(_units, numbers)))
    except OverflowError:
        return _rounded(sum(map(_units, numbers)))


def _units(x: float) -> int:
    above, below = x.as_integer_ratio()
    return above << (_BITS + 1 - below.bit_length())


def _rounded(units: int) -> float:
    try:
        return units / _UNIT
    except OverflowError:
        return math.inf if units > 0 else -math.inf


class FloatSums:
    """Sums of vectors of floats, one per row, that are added to one vector at a time and never rounded.

    A row is a list of floats for as long as these hold its sum exactly; from then on it is a list of integers.
    """

    def __init__(self) -> None:
        self._plain: dict[int, list[float]] = {}
        self._large: dict[int, list[int]] = {}
        self._odd: dict[int, list[list[float]]] = {}

    def add(self, row: int, value: Array) -> None:
        """Add a vector to a row's sum."""
        more: list[float] = value.tolist()
        if row not in self._large:
            old = self._plain.setdefault(row, [0.0] * len(more))
            new = [a + b for a, b in zip(old, more, strict=True)]
            if all(map(_is_sum, new, old, more)):
                self._plain[row] = new
                return
            self._large[row] = [_units(x) for x in old]
        if not all(map(math.isfinite, more)):
            self._odd.setdefault(row, []).append([0.0 if math.isfinite(x) else x for x in more])
            more = [x if math.isfinite(x) else 0.0 for x in more]
        self._large[row] = [a + _units(b) for a, b in zip(self._large[row], more, strict=True)]

    def total(self, rows: list[int], more: Sequence[Array] = ()) -> list[float]:
        """The sum of some rows, and of some vectors more, rounded once."""
        if not more and len(rows) == 1 and rows[0] not in self._large:
            return self._plain[rows[0]]
        floats = [self._plain[row] for row in rows if row not in self._large]
        floats += [vector.tolist() for vector in more]
        large = [self._large[row] for row in rows if row in self._large]
        for row in rows:
            floats += self._odd.get(row, [])
        width = len((floats or large)[0])
        return [rounded_sum([f[c] for f in floats], [u[c] for u in large]) for c in range(width)]


def _is_sum(total: float, a: float, b: float) -> bool:
    """Whether a float is the sum of two others exactly, given that it is their rounded sum: the two-sum of Knuth."""
    moved = total - a
    return (a - (total - moved)) + (b - moved) == 0


class IntegerSums:
    """Sums of vectors of integers, one per row."""

    def __init__(self) -> None:
        self._rows: dict[int, list[int]] = {}

    def add(self, row: int, value: Array) -> None:
        """Add a vector to a row's sum."""
        more: list[int] = value.tolist()
        old = self._rows.get(row)
        self._rows[row] = more if old is None else [a + b for a, b in zip(old, more, strict=True)]

    def total(self, rows: list[int], more: Sequence[Array] = ()) -> list[int]:
        """The sum of some rows, and of some vectors more."""
        every = [self._rows[row] for row in rows] + [vector.tolist() for vector in more]
        return [sum(column) for column in zip(*every, strict=True)]


def rounded_mean(total: list[float] | list[int], count: int, dtype: np.dtype[Any]) -> Array:
    """The quotients of sums and a count: of floats in float64, then in their type; of integers to nearest, or even."""
    if dtype.kind == "i":
        return np.array([round(Fraction(int(x), count)) for x in total], dtype)
    means = np.array([x / count for x in total], np.float64)
    if dtype == means.dtype:
        return means
    with np.errstate(over="ignore"):
        return means.astype(dtype)
