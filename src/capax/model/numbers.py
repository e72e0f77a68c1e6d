"""Number systems: what the numbers of a model are, and where a computation rounds.

A model names its system by a string:

- `float64`, `float32`: every operation is numpy's own in that type.
- `float16`, `bfloat16`: every operation (a matrix product, a sum, a product, exp, a quotient, a root) is computed in
  float32 and its result rounded to the system, to nearest, ties to even. Arrays are float32 and hold numbers of the
  system.
- `fixed:P.F`: integers of P bits, sign included, in units of 2^-F. Arrays are int64 and hold the integers. Results
  saturate. See `capax.model.arithmetic.fixed` for what is rounded where.
- `integer:P,PW,PV` and `integer:P,PW,PV;LOW:w,w,...`: integers of P bits, weights from a table in [1, 2^PW], values of
  PV bits, and exact sums, so that a computation split between parties equals the whole. See
  `capax.model.arithmetic.integers`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from capax.errors import CapaxError

FLOATS: Final[dict[str, float]] = {
    "float64": 2.0**-53,
    "float32": 2.0**-24,
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
}
"""The floating-point systems and their unit roundoffs."""

MOST_FIXED_BITS: Final = 30
"""Sums of four products of such numbers still fit; longer sums allow fewer bits, which a run checks."""

MOST_INTEGER_BITS: Final = 30

MOST_BITS: Final = 61
"""The size, sign left out, up to which intermediate integers are kept: twice such a number still fits int64."""


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point system; `roundoff` is its unit roundoff, the largest relative error of one rounding."""

    name: str
    roundoff: float


class _SignedBits:
    """Integers of `bits` bits, sign included."""

    __slots__ = ()
    bits: int

    @property
    def least(self) -> int:
        """The smallest number, in fixed point in units."""
        return -(1 << (self.bits - 1))

    @property
    def most(self) -> int:
        """The greatest number, in fixed point in units."""
        return (1 << (self.bits - 1)) - 1


@dataclass(frozen=True, slots=True)
class Fixed(_SignedBits):
    """Integers of `bits` bits in units of 2^-`fraction`."""

    bits: int
    fraction: int

    @property
    def name(self) -> str:
        """The system as a model writes it."""
        return f"fixed:{self.bits}.{self.fraction}"


@dataclass(frozen=True, slots=True)
class Integer(_SignedBits):
    """Integers of `bits` bits, values of `value_bits` bits, and a table of weights for scores.

    The score `low + i` has weight `table[i]`; lower and higher scores have the first and the last weight. Every weight
    is in [1, 2^`weight_bits`].
    """

    bits: int
    weight_bits: int
    value_bits: int
    low: int
    table: tuple[int, ...]

    @property
    def name(self) -> str:
        """The system as a model writes it; the standard table is left out."""
        sizes = f"integer:{self.bits},{self.weight_bits},{self.value_bits}"
        if (self.low, self.table) == standard_table(self.weight_bits):
            return sizes
        return f"{sizes};{self.low}:{','.join(map(str, self.table))}"


System: TypeAlias = Float | Fixed | Integer


def standard_table(weight_bits: int) -> tuple[int, tuple[int, ...]]:
    """The table of powers of two: the weight of score s is 2^s, at least 1 and at most 2^weight_bits."""
    return 0, tuple(1 << s for s in range(weight_bits + 1))


@lru_cache(maxsize=256)
def parse(text: str) -> System:
    """The number system that a string names; a string that names none is an error."""
    if text in FLOATS:
        return Float(text, FLOATS[text])
    if match := re.fullmatch(r"fixed:(\d{1,4})\.(\d{1,4})", text):
        return _fixed(text, int(match[1]), int(match[2]))
    if match := re.fullmatch(r"integer:(\d{1,4}),(\d{1,4}),(\d{1,4})(?:;(-?\d{1,18}):(\d+(?:,\d+)*))?", text):
        return _integer(text, match)
    raise CapaxError(
        "number-system",
        f"unknown number system {text!r:.60}",
        hint=f"known are {', '.join(FLOATS)}, fixed:P.F as in fixed:16.8, and integer:P,PW,PV as in integer:8,10,8",
    )


def _fixed(text: str, bits: int, fraction: int) -> Fixed:
    if not 2 <= bits <= MOST_FIXED_BITS:
        raise CapaxError(
            "number-system",
            f"{text} asks for {bits} bits; fixed point has 2 to {MOST_FIXED_BITS}, so that exact sums of products fit "
            "64 bits",
            hint="take fewer bits, or float64",
        )
    if fraction >= bits:
        raise CapaxError(
            "number-system",
            f"{text} asks for {fraction} fraction bits of {bits}, but one bit is the sign",
            hint=f"fixed:P.F has F of at most P - 1, here {bits - 1}",
        )
    return Fixed(bits, fraction)


def _integer(text: str, match: re.Match[str]) -> Integer:
    bits, weight_bits, value_bits = (int(match[i]) for i in (1, 2, 3))
    if not (2 <= bits <= MOST_INTEGER_BITS and 1 <= weight_bits <= MOST_INTEGER_BITS and 2 <= value_bits <= bits):
        raise CapaxError(
            "number-system",
            f"{text[:60]} does not fit: P and PW are at most {MOST_INTEGER_BITS}, P and PV at least 2, PV at most P",
            hint="for example integer:8,10,8",
        )
    low, table = standard_table(weight_bits)
    if match[4] is not None:
        low, table = int(match[4]), tuple(int(w) for w in match[5].split(","))
    if not all(1 <= w <= 1 << weight_bits for w in table):
        raise CapaxError(
            "number-system",
            f"a weight of the table is outside 1 ... {1 << weight_bits}",
            hint="weights are positive integers of at most 2^PW",
        )
    return Integer(bits, weight_bits, value_bits, low, table)
