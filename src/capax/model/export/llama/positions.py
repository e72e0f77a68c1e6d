"""A table of positions without a table: from the share of attention that BOS gets to exact rows, in two blocks.

A Llama has no rows for positions. A head whose scores are all 0 gives BOS the weight s = 1 / (a + 1) at position a.

Block 1 makes a of it: its MLP is piecewise linear in s and right to a quarter, and the residual stream does the rest.
The direction that it writes to holds 2^23 before, where neighbouring numbers of float32 are 1 apart: the sum is rounded
to 2^23 + a, exactly. (In bfloat16 it is 2^7 + a.)
Block 2 makes the rows of the table of that: relu(a - k) is an exact integer, and a gate times a linear map is a square,
so that i^2 takes one unit. Sums of such numbers are exact in any order as long as they are small.

The row of BOS itself (a = 0) stays as it is.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.parts import Array

SNAP: Final = {"float32": 2.0**23, "bfloat16": 2.0**7}
"""From here to twice this the numbers of a system are the integers."""
OFF: Final = {"float32": 0.25, "bfloat16": 0.0}
"""How far the piecewise linear function may be from a, before rounding."""
EXACT: Final = 2.0**24
"""Sums of absolute values below this, in units of what all of them are multiples of, are exact in float32."""
LONGEST: Final = {"float32": 2.0**20, "bfloat16": 49}
"""More positions than these are not told apart by their shares of attention."""


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """Units of block 1: unit k holds relu(start[k] - s), and the sum of slope[k] times them is near a."""

    start: Array
    slope: Array


@dataclass(frozen=True, slots=True, eq=False)
class TableUnits:
    """Units of block 2: unit k holds relu(a - knots[k]) times 1, or times a - knots[k] where `square` is set.

    `rows` (units, d) is what they write.
    """

    knots: Array
    square: Array
    rows: Array


def counter(positions: int, numbers: str = "float32") -> Counter:
    """The units that find the position a of 0, ..., positions - 1 in s = 1 / (a + 1).

    Slopes are rounded one by one, each after what the ones before it leave to do.
    """
    knots = [0]
    while knots[-1] < positions - 1:
        at = knots[-1]
        step = 1
        while at + step < positions - 1 and _chord(at, at + step + 1) <= OFF[numbers]:
            step += 1
        knots.append(at + step)
    where = np.array(knots, np.float64)
    s = rounded(1 / (where + 1), numbers)
    slope: Array = np.zeros(len(knots) - 1)
    for number in range(len(slope)):
        end = where[number + 1] - slope[:number] @ (s[:number] - s[number + 1])
        slope[number] = rounded(np.asarray(end / (s[number] - s[number + 1])), numbers)
    return Counter(s[:-1], slope)


def rounded(numbers: Array, system: str) -> Array:
    """Numbers as float32 or bfloat16 has them, nearest and ties to even."""
    single = np.asarray(numbers, np.float32)
    if system == "float32":
        return single.astype(np.float64)
    bits = single.view(np.uint32)
    even = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return even.view(np.float32).astype(np.float64)


def _chord(one: int, two: int) -> float:
    """How far the chord of 1 / s between two positions is above it, at most."""
    low, high = 1 / (two + 1), 1 / (one + 1)
    at = (low * high) ** 0.5
    share = (high - at) / (high - low)
    return float(one + 1 + share * (two - one) - 1 / at)


def shares(table: Array, numbers: str) -> Array:
    """Which columns of a table hold the share of attention of the first token, 1 / (a + 1), at every position."""
    share = rounded(1 / (np.arange(len(table), dtype=np.float64) + 1), numbers)
    return np.asarray((np.asarray(table, np.float64) == share[:, None]).all(axis=0))


def table_units(table: Array, numbers: str = "float32") -> TableUnits | None:
    """The units that write the rows of a table (positions, d), whose first row is zero; None if sums are not exact."""
    rows = np.asarray(table, np.float64)
    if rows[0].any() or len(rows) < 2 or len(rows) > LONGEST[numbers]:
        return None
    squares = _squares(rows) if numbers == "float32" else np.zeros(rows.shape[1])
    left = rows - np.maximum(np.arange(len(rows)) - 1.0, 0)[:, None] ** 2 * squares
    bends = np.diff(left, n=2, axis=0, prepend=np.zeros((1, rows.shape[1])))
    used = np.nonzero(bends.any(axis=1))[0]
    written = np.concatenate([bends[used], squares[None]]) if squares.any() else bends[used]
    knots = np.concatenate([used, [1]]) if squares.any() else used
    square = np.arange(len(knots)) >= len(used)
    units = TableUnits(knots.astype(np.float64), square, written)
    fits = np.array_equal(rounded(written, numbers), written) and np.array_equal(rounded(rows, numbers), rows)
    return units if fits and _is_exact(units, rows) else None


def _squares(rows: Array) -> Array:
    """For each column the factor of i^2: half of what most of its second differences are, and 0 where that is 0."""
    factors = np.zeros(rows.shape[1])
    if len(rows) < 6:
        return factors
    for column, bends in enumerate(np.diff(rows[1:], n=2, axis=0).T):
        values, counts = np.unique(bends, return_counts=True)
        factors[column] = values[counts.argmax()] / 2
    return factors


def unit_values(units: TableUnits, positions: Array) -> Array:
    """What the units hold at some positions, (positions, units)."""
    off = positions[:, None] - units.knots
    return np.asarray(np.maximum(off, 0) * np.where(units.square, off, 1.0))


def _is_exact(units: TableUnits, rows: Array) -> bool:
    """Whether the units give these rows, and any order of adding up gives the same."""
    values = unit_values(units, np.arange(len(rows), dtype=np.float64))
    if not np.array_equal(values @ units.rows, rows):
        return False
    return all(sums_exactly(values, column) for column in units.rows.T)


def sums_exactly(values: Array, weights: Array) -> bool:
    """Whether sums of integers times weights are exact in float32, in any order: rows of values, a weight for each."""
    used = weights[weights != 0]
    if not len(used):
        return True
    mantissa, exponent = np.frexp(used)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    grain = 2.0 ** float((exponent - 53 + np.log2((whole & -whole).astype(np.float64))).min())
    return bool((values @ np.abs(weights)).max(initial=0.0) < EXACT * grain and np.abs(values).max() < EXACT)
