"""Logarithms and products of numbers of any size, in 60 decimal digits."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import Final

_CONTEXT: Final = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[DivisionByZero, InvalidOperation, Overflow])
_KEPT: Final = 256
"""Of a larger number so many leading bits are looked at; that is more than 60 digits."""


@contextmanager
def precise() -> Iterator[None]:
    """A stretch of code whose decimal numbers have 60 digits and any exponent."""
    with localcontext(_CONTEXT):
        yield


def whole(value: int) -> Decimal:
    """A whole number as a decimal one, rounded to 60 digits; its size does not matter."""
    with precise():
        spare = max(0, abs(value).bit_length() - _KEPT)
        return Decimal(value >> spare) * Decimal(2) ** spare


def log2(value: int | Decimal) -> Decimal:
    """The logarithm to base 2 of a positive number; exact for powers of two."""
    assert value > 0
    with precise():
        if isinstance(value, Decimal):
            return value.ln() / Decimal(2).ln()
        if value & (value - 1) == 0:
            return Decimal(value.bit_length() - 1)
        spare = max(0, value.bit_length() - _KEPT)
        return spare + Decimal(value >> spare).ln() / Decimal(2).ln()


def ceil_log2(value: int) -> int:
    """The smallest k with 2^k at least a positive whole number."""
    assert value > 0
    return (value - 1).bit_length()


def n_log_n(n: int) -> Decimal:
    """The bits n log2 n of a function on n values."""
    with precise():
        return whole(n) * log2(n)
