"""Exact sums of floats, and their rounding to the nearest float64."""

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from capax.model.parts import Array

_BITS: Final = 1074
_UNIT: Final = 1 << _BITS
"""Every finite float64 is an integer times 2^-1074."""


def rounded_sum(numbers: list[float], units: Iterable[int] = ()) -> float:
    """The exact sum of numbers, and of integers in units of 2^-1074, rounded once.

    It is an infinity where it is too large for a float. Numbers that are not finite are summed alone.
    """
    if not all(map(math.isfinite, numbers)):
        return sum(x for x in numbers if not math.isfinite(x))
    more = sum(units)
    try:
        return math.fsum(numbers) if not more else _rounded(more + sum(map(_units, numbers)))
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


class ExactSums:
    """Sums of vectors, one per row, that are added to one vector at a time and never rounded.

    A row is an array of floats for as long as these hold its sum exactly; from then on it is a list of integers.
    """

    def __init__(self, width: int) -> None:
        self._plain: Array = np.zeros((16, width))
        self._large: dict[int, list[int]] = {}
        self._odd: dict[int, Array] = {}

    def add(self, row: int, value: Array) -> None:
        """Add a vector of float64 to a row's sum."""
        if row >= len(self._plain):
            self._plain = np.concatenate([self._plain, np.zeros_like(self._plain)])
        if row in self._large:
            self._add_large(row, value)
            return
        old = self._plain[row]
        with np.errstate(over="ignore", invalid="ignore"):
            new = old + value
            moved = new - old
            error = (old - (new - moved)) + (value - moved)
        if error.any() or not np.isfinite(new).all():  # the two-sum of Knuth: without an error the sum is exact
            self._large[row] = [_units(x) for x in old.tolist()]
            self._add_large(row, value)
        else:
            self._plain[row] = new

    def _add_large(self, row: int, value: Array) -> None:
        finite = np.isfinite(value)
        if not finite.all():
            with np.errstate(invalid="ignore"):
                self._odd[row] = self._odd.get(row, np.zeros_like(value)) + np.where(finite, 0.0, value)
            value = np.where(finite, value, 0.0)
        self._large[row] = [a + _units(b) for a, b in zip(self._large[row], value.tolist(), strict=True)]

    def total(self, rows: Array, more: Array | None = None) -> Array:
        """The sum of some rows, and of a vector more, rounded once."""
        if more is None and len(rows) == 1 and int(rows[0]) not in self._large:
            return np.array(self._plain[rows[0]])
        plain, large = rows, []
        if self._large:
            plain = np.array([row for row in rows.tolist() if row not in self._large], np.int64)
            large = [row for row in rows.tolist() if row in self._large]
        floats = self._plain[plain]
        if more is not None:
            floats = np.concatenate([floats, more[None]])
        odd = [self._odd[row] for row in large if row in self._odd]
        columns = np.concatenate([floats, np.array(odd)]) if odd else floats
        whole = [[self._large[row][c] for row in large] for c in range(floats.shape[1])]
        return np.array([rounded_sum(f, w) for f, w in zip(columns.T.tolist(), whole, strict=True)])
