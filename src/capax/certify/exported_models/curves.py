"""Units that read one number: what they write together is a function of it.

Steps and tables are sums of many units that read one number, and most of what the units have in common cancels. Bounds
for each unit by itself lose that.

Lemma. Let units read f T + b + e, with factors f and biases b, one T in [low, high] and errors e of their own. What
they write, sum v relu(f T + b + e), is within sum |v| |e| of the piecewise linear function sum v relu(f T + b) of T,
whose least and greatest values are found at low, high, and the points between them where f T + b is zero.
"""

from dataclasses import dataclass

import numpy as np

from capax.certify.intervals.arithmetic import OWN
from capax.model.parts import Array

FEWEST = 2
"""A unit alone is monotone: its bounds are as good."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Units whose weights are multiples of one column: which they are, and the factors."""

    column: Array
    units: Array
    factors: Array


def curves_of(weight: Array) -> list[Curve]:
    """The units (inputs, units) that read one number, where there are several."""
    members_of: dict[bytes, list[tuple[int, float]]] = {}
    for unit in range(weight.shape[1]):
        column = weight[:, unit]
        read = np.nonzero(column)[0]
        if not len(read):
            continue
        factor = float(column[read[0]])
        base = column / factor
        if not np.array_equal(base * factor, column):
            base, factor = column, 1.0
        members_of.setdefault((base + 0.0).tobytes(), []).append((unit, factor))
    return [
        Curve(np.frombuffer(key), np.array([u for u, _ in members]), np.array([f for _, f in members]))
        for key, members in members_of.items()
        if len(members) >= FEWEST
    ]


def span(low: Array, high: Array, factors: Array, biases: Array, written: Array) -> tuple[Array, Array]:
    """The least and the greatest value of sum v relu(f T + b) for T between low and high, elementwise."""

    def at(x: Array) -> Array:
        total: Array = np.zeros(np.shape(x))
        for f, b, v in zip(factors, biases, written, strict=True):
            total = total + v * np.maximum(f * x + b, 0.0)
        return total

    one, two = at(low), at(high)
    least, most = np.minimum(one, two), np.maximum(one, two)
    for f, b in zip(factors, biases, strict=True):
        kink = -b / f
        inside = (low < kink) & (kink < high)
        if inside.any():
            value = float(at(np.asarray(kink)))
            least = np.where(inside, np.minimum(least, value), least)
            most = np.where(inside, np.maximum(most, value), most)
    size = np.maximum(np.abs(low), np.abs(high))
    reach = np.abs(written * factors).sum() * size + np.abs(written * biases).sum()
    off = (2 * len(factors) + 8) * OWN * reach
    return least - off, most + off
