"""Places as signs: the binary digits of a number as +1 and -1."""

from collections.abc import Sequence

from capax.theorems.weights.stream import family


def digits(n: int) -> int:
    """The number of binary digits that tell n numbers apart."""
    return max(1, (n - 1).bit_length())


def signs(number: int, names: Sequence[str]) -> dict[str, float]:
    """The binary digits of a number, the lowest first, as +1 and -1 on named directions.

    The product of the signs of two numbers with B digits is B if they are equal and at most B - 2 if not.
    """
    return {name: 1.0 if number >> b & 1 else -1.0 for b, name in enumerate(names)}


def sign_names(kind: str, n: int) -> tuple[str, ...]:
    """The directions for the signs of n numbers."""
    return family(kind, digits(n))
