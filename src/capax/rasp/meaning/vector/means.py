"""Exact means: sums of integers without loss, and of floats as integers over a common power of two."""

import math
from dataclasses import dataclass

import numpy as np

from capax.rasp.meaning.vector.column import SAFE, WIDE, Column, Exact
from capax.rasp.meaning.vector.distinct import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Weights:
    """Integers w such that the values are w * 2^exponent."""

    values: Exact
    exponent: int = 0


def integer_weights(column: Column) -> Weights:
    """The weights of a column of integers."""
    data: Exact = column.data if column.kind == "object" else column.data.astype(np.int64, copy=False)
    if column.kind != "object" and column.largest() * max(len(data), 1) > WIDE:
        data = data.astype(object)
    return Weights(data)


def float_weights(values: Floats) -> Weights:
    """The weights of finite floats: their mantissas shifted to the smallest exponent among them."""
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * float(1 << 53)).astype(np.int64)
    power = exponent.astype(np.int64) - 53
    some = whole != 0
    if not some.any():
        return Weights(np.zeros(len(values), dtype=np.int64))
    zeros = np.zeros(len(values), dtype=np.int64)
    lowest_bit = whole[some] & -whole[some]
    zeros[some] = np.frexp(lowest_bit.astype(np.float64))[1] - 1
    whole, power = whole >> zeros, power + zeros
    base = int(power[some].min())
    shift = np.where(some, power - base, 0)
    bits = int((np.frexp(np.abs(whole[some]).astype(np.float64))[1] + shift[some]).max())
    if bits + len(values).bit_length() <= 62:
        return Weights(whole << shift, base)
    pairs = zip(whole.tolist(), shift.tolist(), strict=True)
    boxed = np.empty(len(values), dtype=object)
    boxed[:] = [w << s for w, s in pairs]
    return Weights(boxed, base)


def means(total: Exact, counts: Ints, exponent: int, whole: Bools | bool) -> tuple[Floats, Bools]:
    """The mean of each sum, and where it does not fit a float.

    For words of integers (`whole`) the exact sum is divided once; for words with floats the sum is rounded first.
    """
    if total.dtype != object:
        # int64 to float64 rounds to nearest, as the definition asks; small sums are exact anyway.
        small = bool(total.max(initial=0) <= SAFE and total.min(initial=0) >= -SAFE)
        if small and not exponent:
            return total / np.maximum(counts, 1), np.zeros(len(total), dtype=np.bool_)
        with np.errstate(over="ignore", under="ignore"):
            rounded = np.ldexp(total.astype(np.float64), exponent)
        result = rounded / np.maximum(counts, 1)
        failed = ~np.isfinite(rounded)
        careful = failed if small else failed | (whole & (np.abs(total) > SAFE))
        careful_positions = np.flatnonzero(careful)
    else:
        result, failed = np.zeros(len(total)), np.zeros(len(total), dtype=np.bool_)
        careful_positions = np.arange(len(total))
    words = np.broadcast_to(whole, len(total))
    for i in careful_positions.tolist():
        try:
            result[i] = _mean(int(total[i]), int(counts[i]), exponent, bool(words[i]))
            failed[i] = False
        except OverflowError:
            failed[i] = True
    return result, failed


def _mean(total: int, count: int, exponent: int, whole: bool) -> float:
    if count == 0:
        return 0.0
    if whole:
        return (total << exponent) / count if exponent >= 0 else _exact(total, exponent, count)
    rounded = float(total << exponent) if exponent >= 0 else total / (1 << -exponent)
    if math.isinf(rounded):
        raise OverflowError
    return rounded / count


def _exact(total: int, exponent: int, count: int) -> float:
    return total / (count << -exponent)
