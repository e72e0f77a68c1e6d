"""Numbers of any size: whole numbers as parameters, and logarithms to many digits."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import Any, Final

from capax.errors import CapaxError
from capax.tasks.base.parameter import Parameter, Value

_CONTEXT: Final = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[DivisionByZero, InvalidOperation, Overflow])
_KEPT: Final = 256
"""Of a larger number this many leading bits are looked at; that is more than 60 digits."""


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


MOST_BITS: Final = 1_000_000
"""A parameter is at most about 2 to this power."""
MOST_DIGITS: Final = 4_000
"""A number that is written out has at most this many decimal digits."""

_POWER = re.compile(r"(\d{1,20})(?:\^|\*\*)(\d{1,20})")
_SCIENTIFIC = re.compile(r"(\d{1,300})(?:\.(\d{1,300}))?[eE]\+?(\d{1,20})")


@dataclass(frozen=True, slots=True)
class Count(Parameter):
    """A whole number from `least` on, as large as one likes: written out, as 1e300, or as 2^1000."""

    def read(self, text: str) -> Value:
        """The number that a text stands for."""
        plain = text.strip().replace("_", "").replace(",", "")
        if len(plain) > MOST_DIGITS:
            raise self._refuse(f"a text of {len(plain):,} characters")
        number = _whole(plain)
        if number is None:
            raise self._refuse(repr(text))
        return self.check(number)

    def check(self, value: Any) -> Value:
        """The number itself; what is not a whole number, or outside the range, is refused."""
        if type(value) is not int:
            raise self._refuse(f"{value!r:.60}")
        if value.bit_length() > MOST_BITS + 1:
            raise self._refuse(f"a number of {value.bit_length():,} bits")
        least, most = self.least, self.most
        if (least is not None and value < least) or (most is not None and value > most):
            raise self._refuse(shown(value))
        return value

    @property
    def range(self) -> str:
        """The values it may have, in words."""
        least, most = int(self.least or 0), self.most
        return f"a whole number from {least}" + (f" to {most:,g}" if most is not None else ", such as 10000 or 2^1000")

    def _refuse(self, what: str) -> CapaxError:
        hint = f"{self.what}: {self.range}"
        return CapaxError("bad-option", f"the parameter {self.name} cannot be {what:.60}", hint=hint)


def _whole(text: str) -> int | None:
    """The whole number of a text; None for a text that is none, or that stands for one that is far too large."""
    if re.fullmatch(r"-?\d+", text, re.ASCII):
        return int(text)
    if found := _POWER.fullmatch(text):
        base, exponent = int(found[1]), int(found[2])
        return None if exponent * max(1, base.bit_length() - 1) > MOST_BITS else int(base**exponent)
    if found := _SCIENTIFIC.fullmatch(text):
        digits, after, exponent = found[1] + (found[2] or ""), len(found[2] or ""), int(found[3])
        if exponent > MOST_BITS * 0.3:
            return None
        if exponent >= after:
            return int(digits) * int(10 ** (exponent - after))
        whole, rest = divmod(int(digits), 10 ** (after - exponent))
        return whole if rest == 0 else None
    return None


def shown(value: int) -> str:
    """A whole number as people read it: written out below 10^15, else as a power."""
    if abs(value) < 10**15:
        return f"{value:,}"
    sign, size = ("-" if value < 0 else ""), abs(value)
    if size & (size - 1) == 0:
        return f"{sign}2^{size.bit_length() - 1}"
    tens = round((size.bit_length() - 1) * 0.30102999566)
    for exponent in (tens, tens + 1):
        if size == 10**exponent:
            return f"{sign}10^{exponent}"
    from math import log2

    return f"about {sign}2^{log2(size):.1f}".removesuffix(".0")


def is_short(value: int) -> bool:
    """Whether a whole number has at most 4,000 decimal digits, so that it is written out."""
    return bool(abs(value) < 10**MOST_DIGITS)


def exact(value: int) -> str:
    """A whole number as a text that stands for it exactly: its digits, and of longer ones a power or 0x..."""
    if is_short(value):
        return str(value)
    text = shown(value)
    return text if not text.startswith("about") else hex(value)
