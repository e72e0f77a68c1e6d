"""Kinds of brackets as bits: ceil(log2 k) directions for k kinds."""

from collections.abc import Sequence

from capax.theorems.weights.bits import digits
from capax.theorems.weights.stream import Terms, family


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
