"""How the values of an s-op stand in the network, and features of them.

An encoding is a number in the network and, for each value of the s-op, the code that the number then is. A feature is a
function of the value: a column of the embedding or of the positions where the s-op is a function of the token or the
position alone, an affine map where that is enough, and a staircase otherwise.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never

from capax.compiler.analysis.value_sets import Finite
from capax.compiler.domain import Domain
from capax.compiler.encode.mlp_builder import MlpBuilder
from capax.compiler.encode.network_builder import NetworkBuilder
from capax.compiler.encode.relu import (
    MANY_STEPS,
    by_rest,
    exact_staircase,
    from_reciprocal,
    least_period,
    on_grid,
    period_of,
    restored,
    rests,
    stair_period,
    staircase,
    taken_off,
)
from capax.compiler.encode.signals import SignalGroup, SignalSum, add_all
from capax.rasp.ir.types import Atom

ROUGHLY = 1 / 8
"""How far a number may be off that is restored as an integer next: half of what restoring removes."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueEncoding:
    """A number in the MLP of `layer` (or in the stream before it) that tells the value of an s-op.

    `kind`: `plain`, the number is the value; `code`, the number is the code that `codes` has for the value;
    `reciprocal`, the number is 1/(k + 1) for the count k. `exact`: the number has no noise.
    """

    signal: SignalSum
    layer: int
    kind: Literal["plain", "code", "reciprocal"]
    exact: bool
    name: str
    codes: Mapping[Atom, float] | None = None

    def code(self, value: Atom) -> float:
        """The number that stands for a value."""
        match self.kind:
            case "plain":
                return float(value)
            case "reciprocal":
                return 1 / (float(value) + 1)
            case "code":
                assert self.codes is not None
                return self.codes[value]
            case _:
                assert_never(self.kind)


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """A function of a number, by its codes in increasing order and the output at each."""

    codes: list[float]
    outputs: list[float]

    @property
    def jumps(self) -> int:
        """How often the output changes from one code to the next."""
        return sum(a != b for a, b in itertools.pairwise(self.outputs))

    @property
    def in_a_row(self) -> bool:
        """Whether the codes are consecutive integers."""
        return self.codes[0] == int(self.codes[0]) and all(c == self.codes[0] + i for i, c in enumerate(self.codes))


def feature(
    network: NetworkBuilder, encoding: ValueEncoding, values: Finite, outputs: list[float], name: str, *, exact: bool
) -> SignalSum:
    """The number that is outputs[i] where the s-op has values[i]; without noise if `exact`. The cheapest way is taken.

    A line needs no unit but passes noise on. An exact staircase needs one stage of units, and a number without noise. A
    staircase of steps needs two stages, and removes noise at every jump; where the jumps are many it is cheaper to
    remove the noise once, by restoring the integer, and to go on as if the number had none. So it is where the outputs
    repeat themselves.
    """
    if len(set(outputs)) == 1:
        return SignalSum(constant=outputs[0])
    points = _points(encoding, values, outputs)
    if encoding.exact or not exact:
        line = affine_fit(points.codes, points.outputs, network.domain)
        if line is not None:
            return encoding.signal * line[0] + line[1]
    mlp = network.mlp(encoding.layer)
    if encoding.exact:
        stairs = _exact_stairs(mlp, encoding, points, name, network.domain)
        return stairs if stairs is not None else _stairs(mlp, encoding, points, name, network.domain)
    counts = encoding.kind == "reciprocal"
    if counts and not exact:
        line = affine_fit([float(v) for v in values.values], outputs, network.domain)
        if line is not None:
            return _count(mlp, encoding, values) * line[0] + line[1]
    integers = counts or values.integral
    if integers and _period(values, outputs) is not None:
        return _repeating(network, encoding, values, outputs, name, exact=exact)
    if integers and points.jumps > MANY_STEPS:
        return feature(network, _restored(mlp, encoding, values), values, outputs, name, exact=True)
    return _stairs(mlp, encoding, points, name, network.domain)


def _stairs(mlp: MlpBuilder, encoding: ValueEncoding, points: _Points, name: str, domain: Domain) -> SignalSum:
    """The function by steps; the outputs of many steps are taken to a grid on which their sums are not rounded."""
    outputs = on_grid(points.outputs, domain.unit) if points.jumps > MANY_STEPS else points.outputs
    return staircase(mlp, encoding.signal, points.codes, outputs, name)


def jumps_of(encoding: ValueEncoding, values: Finite, outputs: list[float]) -> int:
    """How often a function of a number changes from one code to the next."""
    return _points(encoding, values, outputs).jumps


def sorted_points(encoding: ValueEncoding, values: Finite, outputs: list[float]) -> tuple[list[float], list[float]]:
    """The codes in increasing order, and the output at each."""
    points = _points(encoding, values, outputs)
    return points.codes, points.outputs


def _points(encoding: ValueEncoding, values: Finite, outputs: list[float]) -> _Points:
    codes = [encoding.code(value) for value in values.values]
    order = sorted(range(len(outputs)), key=codes.__getitem__)
    return _Points([codes[i] for i in order], [outputs[i] for i in order])


def _period(values: Finite, outputs: list[float]) -> int | None:
    """The period of a function of consecutive integers, where one pays."""
    return period_of([float(v) for v in values.values], outputs)


def _repeating(
    network: NetworkBuilder, encoding: ValueEncoding, values: Finite, outputs: list[float], name: str, *, exact: bool
) -> SignalSum:
    """A function of noisy integers that repeats itself: the same function of what divisions leave of them.

    And, where it rises with each period, as often that rise as the divisions find.
    """
    mlp, least = network.mlp(encoding.layer), least_period([float(v) for v in values.values], outputs)
    assert least is not None
    noisy = _count(mlp, encoding, values, ROUGHLY) if encoding.kind == "reciprocal" else encoding.signal
    divisors = rests(len(outputs), least)
    digits, rest = taken_off(mlp, noisy - float(values.values[0]), len(outputs) - 1, divisors, encoding.name)
    below, rise = divisors[-1], outputs[least] - outputs[0]
    of_rest = ValueEncoding(rest, encoding.layer, "plain", False, f"{encoding.name} % {below}")
    value = feature(network, of_rest, Finite(tuple(range(below))), outputs[:below], name, exact=exact)
    if not rise:
        return value
    parts = [digit * (rise * (by // least)) for digit, by in zip(digits, divisors, strict=True)]
    has_noise = any(isinstance(signal, SignalGroup) and signal.noisy for signal in value.terms)
    return mlp.group(add_all([value, *parts]), name, min(outputs), max(outputs), noisy=has_noise)


def _exact_stairs(
    mlp: MlpBuilder, encoding: ValueEncoding, points: _Points, name: str, domain: Domain
) -> SignalSum | None:
    """The function by one stage of units over the codes as integers, or by a quotient and a rest.

    None where it would not be exact.
    """
    period = period_of(points.codes, points.outputs)
    rises = period is None or points.outputs[period] != points.outputs[0]
    if points.in_a_row and rises:
        period = stair_period(points.outputs)
    if period is not None:
        repeating = by_rest(
            mlp, encoding.signal, int(points.codes[0]), points.outputs, period, encoding.name, domain.exact_below
        )
        if repeating is not None:
            return repeating
    scale = float(max(code.as_integer_ratio()[1] for code in points.codes))  # a power of two
    if max(abs(code) for code in points.codes) * scale >= domain.exact_below:
        return None
    integers = [int(code * scale) for code in points.codes]
    return exact_staircase(mlp, encoding.signal * scale, integers, points.outputs, name, domain.exact_below)


def _count(mlp: MlpBuilder, encoding: ValueEncoding, values: Finite, off: float = 0.0) -> SignalSum:
    """The count itself, with noise."""
    return from_reciprocal(mlp, encoding.signal, int(values.values[-1]), encoding.name, off)


def _restored(mlp: MlpBuilder, encoding: ValueEncoding, values: Finite) -> ValueEncoding:
    """The encoding of integers without its noise."""
    noisy = _count(mlp, encoding, values, ROUGHLY) if encoding.kind == "reciprocal" else encoding.signal
    low, high = int(values.values[0]), int(values.values[-1])
    return ValueEncoding(restored(mlp, noisy, low, high, encoding.name), encoding.layer, "plain", True, encoding.name)


def affine_fit(codes: list[float], outputs: list[float], domain: Domain) -> tuple[float, float] | None:
    """Slope and offset of the line through all points, if there is one that the number system computes exactly."""
    if len(codes) == 1:
        return 0.0, outputs[0]
    number = int if all(map(float.is_integer, map(float, (*codes, *outputs)))) else Fraction  # fractions are slow
    first, start = number(codes[0]), number(outputs[0])
    run, rise = number(codes[-1]) - first, number(outputs[-1]) - start
    # the second point usually shows that there is none
    if not all((number(y) - start) * run == rise * (number(x) - first) for x, y in zip(codes, outputs, strict=True)):
        return None
    slope = Fraction(rise) / run
    offset = start - slope * first
    exact = all(x.denominator & (x.denominator - 1) == 0 and x.denominator < 2**20 for x in (slope, offset))
    small = all(abs(x) < domain.exact_below for x in (slope, offset))
    return (float(slope), float(offset)) if exact and small else None
