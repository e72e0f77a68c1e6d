"""How the values of an s-op stand in the network, and features of them.

A reading is a number in the network and, for each value of the s-op, the place at which the number then is. A feature
is a function of the value: a column of the embedding or of the positions where the s-op is a function of the token or
the place alone, an affine map where that is enough, and a staircase otherwise.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from capax.compiler.analysis.values import Finite
from capax.compiler.domain import Domain
from capax.compiler.encode.relu import MANY_STEPS, exact_staircase, from_reciprocal, restored, staircase
from capax.compiler.encode.signals import Sum, total
from capax.compiler.layout.network import Network
from capax.rasp.ir.types import Atom


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A number in the MLP of `layer` (or in the stream before it) that tells the value of an s-op.

    `form`: `plain`, the number is the value; `code`, the place of a value is its rank or else as `places` says;
    `reciprocal`, the number is 1/(k + 1) for the count k. `exact`: the number has no noise.
    """

    sum: Sum
    layer: int
    form: Literal["plain", "code", "reciprocal"]
    exact: bool
    name: str
    places: Mapping[Atom, float] | None = None

    def place(self, value: Atom) -> float:
        """Where the number is for a value."""
        if self.form == "plain":
            return float(value)
        if self.form == "reciprocal":
            return 1 / (float(value) + 1)
        assert self.places is not None
        return self.places[value]


def feature(network: Network, reading: Reading, values: Finite, outputs: list[float], name: str, *, exact: bool) -> Sum:
    """The number that has the given output for each value; without noise where `exact` is asked."""
    if len(set(outputs)) == 1:
        return Sum(constant=outputs[0])
    order = sorted(range(len(outputs)), key=lambda i: reading.place(values.values[i]))
    places = [reading.place(values.values[i]) for i in order]
    wanted = [outputs[i] for i in order]
    if reading.exact or not exact:
        folded = affine_fit(places, wanted, network.domain)
        if folded is not None:
            slope, offset = folded
            return reading.sum * slope + offset
    circuit = network.circuit(reading.layer)
    if reading.exact:
        scale = _to_integers(places, network.domain)
        if scale is not None:
            whole = [int(p * scale) for p in places]
            found = exact_staircase(circuit, reading.sum * scale, whole, wanted, name, network.domain.exact_below)
            if found is not None:
                return found
        return staircase(circuit, reading.sum, places, wanted, name)
    jumps = sum(a != b for a, b in itertools.pairwise(wanted))
    counting = reading.form == "reciprocal"
    if counting and not exact and affine_fit([float(v) for v in values.values], outputs, network.domain):
        fit = affine_fit([float(v) for v in values.values], outputs, network.domain)
        assert fit is not None
        return _count(network, reading, values) * fit[0] + fit[1]
    if jumps > MANY_STEPS and (counting or values.integral):
        return _on_integers(network, reading, values, outputs, name)
    return staircase(circuit, reading.sum, places, wanted, name)


def _count(network: Network, reading: Reading, values: Finite) -> Sum:
    """The count itself, with noise."""
    return from_reciprocal(network.circuit(reading.layer), reading.sum, int(values.values[-1]), reading.name)


def _on_integers(network: Network, reading: Reading, values: Finite, outputs: list[float], name: str) -> Sum:
    """The feature computed from the restored integer."""
    circuit = network.circuit(reading.layer)
    noisy = _count(network, reading, values) if reading.form == "reciprocal" else reading.sum
    low, high = int(values.values[0]), int(values.values[-1])
    whole = Reading(restored(circuit, noisy, low, high, reading.name), reading.layer, "plain", True, reading.name)
    return feature(network, whole, values, outputs, name, exact=True)


def affine_fit(places: list[float], outputs: list[float], domain: Domain) -> tuple[float, float] | None:
    """Slope and offset of the line through all points, if there is one that the number system computes exactly."""
    if len(places) == 1:
        return 0.0, outputs[0]
    first, start = Fraction(places[0]), Fraction(outputs[0])
    slope = (Fraction(outputs[-1]) - start) / (Fraction(places[-1]) - first)
    offset = start - slope * first
    # most outputs are no line, and the second point says so: fractions are slow
    if not all(slope * Fraction(x) + offset == y for x, y in zip(places, outputs, strict=True)):
        return None
    exact = all(x.denominator & (x.denominator - 1) == 0 and x.denominator < 2**20 for x in (slope, offset))
    small = all(abs(x) < domain.exact_below for x in (slope, offset))
    return (float(slope), float(offset)) if exact and small else None


def _to_integers(places: list[float], domain: Domain) -> float | None:
    """The power of two that makes all places integers of a size that is exact, or None."""
    scale = max(p.as_integer_ratio()[1] for p in places)
    if max(abs(p) for p in places) * scale >= domain.exact_below:
        return None
    return float(scale)


def cells(network: Network, layer: int, parts: list[list[Sum]], name: str) -> dict[tuple[int, ...], Sum]:
    """For each combination of one indicator from each part, the number that is 1 where all hold and 0 elsewhere."""
    circuit = network.circuit(layer)
    found: dict[tuple[int, ...], Sum] = {(): Sum(constant=1.0)}
    for _ in parts:
        found = {(*key, i): Sum() for key in found for i in range(len(parts[len(key)]))}
    for key in found:
        joined = total(parts[place][i] for place, i in enumerate(key)) - (len(parts) - 1.0)
        found[key] = circuit.relu(joined, f"{name} {key}")
    return found
