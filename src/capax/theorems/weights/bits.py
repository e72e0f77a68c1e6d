"""Numbers by their binary digits: as signs +1 and -1, and kinds of brackets as bits 0 and 1."""

from collections.abc import Sequence

from capax.theorems.weights.stream import Terms, family


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


def kind_bits(k: int, name: str = "kind") -> tuple[str, ...]:
    """The directions of the bits of k kinds; none for one kind."""
    return family(f"{name} bit", digits(k) if k > 1 else 0)


def bits_of(kind: int, names: Sequence[str]) -> dict[str, float]:
    """The bits of a kind on named directions."""
    return {name: float(kind >> at & 1) for at, name in enumerate(names)}


def differing(one: Sequence[str], other: Sequence[str], gate: Terms, name: str) -> dict[str, dict[str, float]]:
    """Two ReLU units for each bit that are 1 in all for each difference, where the sum `gate` is 0 and not -1."""
    units: dict[str, dict[str, float]] = {}
    for at, (a, b) in enumerate(zip(one, other, strict=True)):
        units[f"{name} {at} above"] = {a: 1.0, b: -1.0, **gate}
        units[f"{name} {at} below"] = {b: 1.0, a: -1.0, **gate}
    return units
