"""Exact integer arithmetic on int64 arrays: products, quotients, roots and exponentials, each rounded once."""

from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.numbers import MOST_BITS
from capax.model.parts import Array

UNSEEN: Final = -(1 << 62)
"""The score of a key that a query does not see: below every score."""

_EXACT_IN_FLOAT = 1 << 53
_CONTEXT = Context(prec=60)
_DOUBT = 2.0**-16
"""A float64 exponential nearer than this to a half is computed again in decimals."""


def matmul(x: Array, y: Array) -> Array:
    """The matrix product of two integer arrays, exactly.

    When no partial sum can reach 2^53 the product of float64 matrices is exact in every order of summation, and much
    faster. Larger ones are summed in int64; the callers have made sure that those fit.
    """
    if x.size == 0 or y.size == 0:
        return np.asarray(np.matmul(x, y))
    bound = x.shape[-1] * greatest(x) * greatest(y)
    if bound < _EXACT_IN_FLOAT:
        product: Array = np.matmul(x.astype(np.float64), y.astype(np.float64)).astype(np.int64)
        return product
    assert bound < 1 << 63, "checked before"
    return np.asarray(np.matmul(x, y))


def greatest(x: Array) -> int:
    """The greatest absolute value of an integer array."""
    return max(int(x.max()), -int(x.min())) if x.size else 0


def divide(numerator: Array, denominator: Array) -> Array:
    """The quotients by positive integers, rounded to nearest, ties to even."""
    quotient = numerator // denominator
    rest = 2 * (numerator - quotient * denominator)
    up = (rest > denominator) | ((rest == denominator) & (quotient & 1 == 1))
    return np.asarray(quotient + up)


def shift(x: Array, bits: int) -> Array:
    """The integers divided by 2^bits, rounded to nearest, ties to even."""
    if bits == 0:
        return x
    half = (1 << (bits - 1)) - 1
    return np.asarray((x + half + ((x >> bits) & 1)) >> bits)


def root(x: Array) -> Array:
    """The square roots of integers from 0 on, rounded to nearest (a root is never half an integer)."""
    low = np.floor(np.sqrt(x.astype(np.float64))).astype(np.int64)
    low -= low * low > x
    low += (low + 1) * (low + 1) <= x
    return np.asarray(low + (x > low * low + low))


def exponential(x: Array, bits: int) -> Array:
    """The numbers e^x of integers x of at most 0 in units of 2^-bits, in the same units and rounded to nearest."""
    unit = 2.0**-bits
    y = np.exp(np.maximum(x, -(bits + 2) << bits) * unit) / unit
    near = np.rint(y).astype(np.int64)
    doubtful = (np.abs(y - np.floor(y) - 0.5) < _DOUBT) & (x < 0)
    if doubtful.any():
        near[doubtful] = [nearest_exponential(int(d), bits) for d in x[doubtful]]
    return near


def nearest_exponential(x: int, bits: int) -> int:
    """The integer nearest to 2^bits * e^(x / 2^bits), for x of at most 0.

    For x other than 0 the exponential is irrational, so there are no ties, and 60 digits settle the side.
    """
    if x < -(bits + 2) << bits:
        return 0
    exponent = _CONTEXT.divide(Decimal(x), Decimal(1 << bits))
    return round(Fraction(_CONTEXT.exp(exponent)) * (1 << bits))


def refuse_overflow(bits: int, system: str, what: str) -> None:
    """Raises an error when integers of that many bits, sign left out, may leave int64."""
    if bits > MOST_BITS:
        raise CapaxError(
            "number-system",
            f"{what} may need {bits} bits in {system}, but int64 leaves {MOST_BITS}",
            hint="take fewer bits, or shorter words",
        )


def log2_up(n: int) -> int:
    """The smallest e with 2^e >= n."""
    return max(n - 1, 0).bit_length()
