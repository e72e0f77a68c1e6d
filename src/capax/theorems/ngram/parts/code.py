"""Symbols as vectors of -1 and 1, as few as tell them apart."""

import numpy as np

from capax.model.parts import Array


def bits_for(count: int) -> int:
    """How many bits tell `count` symbols apart."""
    return max(1, (count - 1).bit_length())


def code(count: int) -> Array:
    """The code words (count, bits) of symbols 0, 1, ...: their binary digits, -1 for 0."""
    digits = np.arange(count)[:, None] >> np.arange(bits_for(count)) & 1
    return 2.0 * digits - 1.0


def bit_names(kind: str, bits: int) -> tuple[str, ...]:
    """The names of the directions that hold a symbol."""
    return tuple(f"{kind}.{bit}" for bit in range(bits))
