"""Finished MLPs over signals: stages of units, what they read, and what each direction gets.

An MLP may be split into several of fewer stages, which pass values on through directions of the stream. It may also
clear directions that are not read any more, so that their slots can be reused.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from capax.compiler.encode.signals import Direction, Signal, SignalSum, Unit
from capax.model.parts import Affine, Array, Mlp, Origin

MOST_WAYS = 10_000
"""So many ways of cutting an MLP are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class LayeredMlp:
    """The units of each stage with what they read, what each direction gets, and what is taken away from a slot."""

    units: tuple[tuple[Unit, ...], ...]
    reads: tuple[tuple[SignalSum, ...], ...]
    writes: Mapping[Direction, SignalSum]
    clears: Mapping[Direction, SignalSum] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """The number of hidden layers."""
        return len(self.units)

    def read(self) -> set[Direction]:
        """The directions that the first stage reads."""
        return {w for s in self.reads[0] for w in s.directions()}


def split_by_depth(mlp: LayeredMlp, most: int) -> list[LayeredMlp]:
    """The same as a sequence of MLPs of at most `most` hidden layers each, as few as there can be."""
    pieces: list[LayeredMlp] = []
    renamed: dict[Signal, SignalSum] = {}
    ends = [*cheapest_cuts([len(units) for units in mlp.units], most), mlp.depth]
    for start, end in pairwise([0, *ends]):
        units = mlp.units[start:end]
        reads = list(mlp.reads[start:end])
        reads[0] = tuple(_substituted(s, renamed) for s in reads[0])
        if end == mlp.depth:
            writes: Mapping[Direction, SignalSum] = mlp.writes
        else:
            fresh = {
                u: Direction(name, u.low, u.high, 0) for u, name in zip(units[-1], _between(units[-1]), strict=True)
            }
            writes = {d: SignalSum.of(u) for u, d in fresh.items()}
            renamed = {u: SignalSum.of(d) for u, d in fresh.items()}
        pieces.append(LayeredMlp(units, tuple(reads), writes))
    return pieces


def cheapest_cuts(units: Sequence[int], most: int) -> tuple[int, ...]:
    """After how many stages, of so many units each, to cut, so that no piece has more than `most`; no more than needed.

    What passes a cut are the units of the stage before it, each in a direction of the stream, which all maps pay for:
    of all ways it is the one whose widest cut is narrowest, then the one with the fewest units in all.
    """
    count, depth = -(-len(units) // most) - 1, len(units)
    ways = combinations(range(1, depth), count) if math.comb(max(depth - 1, 0), count) <= MOST_WAYS else ()
    fitting = [c for c in ways if all(b - a <= most for a, b in pairwise([0, *c, depth]))]
    if not fitting:
        return tuple(range(most, depth, most))
    return min(
        fitting, key=lambda cuts: (max((units[c - 1] for c in cuts), default=0), sum(units[c - 1] for c in cuts))
    )


def _between(units: Iterable[Unit]) -> list[str]:
    """Names for what passes from one MLP to the next; equal ones are numbered."""
    counts: Counter[str] = Counter()
    names: list[str] = []
    for unit in units:
        counts[unit.name] += 1
        number = f" {counts[unit.name]}" if counts[unit.name] > 1 else ""
        names.append(f"{unit.name} (between{number})")
    return names


def _substituted(value: SignalSum, by: Mapping[Signal, SignalSum]) -> SignalSum:
    result = SignalSum(constant=value.constant)
    for signal, coefficient in value.terms.items():
        result += by.get(signal, SignalSum.of(signal)) * coefficient
    return result


def with_cleared(mlp: LayeredMlp, directions: Iterable[Direction]) -> LayeredMlp:
    """The same MLP, which also sets some directions to zero.

    The positive and the negative part of x are carried as they are, so that x minus them is exactly zero.
    """
    units, reads = [list(u) for u in mlp.units], [list(r) for r in mlp.reads]
    clears: dict[Direction, SignalSum] = dict(mlp.clears)
    for direction in directions:
        taken = SignalSum()
        for sign in (1.0, -1.0):
            if (direction.least >= 0 and sign < 0) or (direction.most <= 0 and sign > 0):
                continue
            source = SignalSum.of(direction) * sign
            for level in range(mlp.depth):
                unit = Unit(
                    f"{direction.name} (cleared)", max(abs(direction.low), abs(direction.high)), level + 1, source
                )
                units[level].append(unit)
                reads[level].append(source)
                source = SignalSum.of(unit)
            taken += source * -sign
        clears[direction] = taken
    return LayeredMlp(tuple(map(tuple, units)), tuple(map(tuple, reads)), mlp.writes, clears)


def mlp_of(mlp: LayeredMlp, slots: Mapping[Direction, int], width: int, dtype: str) -> Mlp:
    """The weights of finished stages, with every direction in its slot."""
    maps: list[Affine] = []
    rows: dict[Signal, int] = dict(slots.items())
    count = width
    for units, reads in zip(mlp.units, mlp.reads, strict=True):
        maps.append(map_of(reads, rows, count, dtype))
        rows = {u: i for i, u in enumerate(units)}
        count = len(units)
    last: list[SignalSum] = [SignalSum() for _ in range(width)]
    for written in (mlp.writes, mlp.clears):
        for direction, value in written.items():
            last[slots[direction]] = last[slots[direction]] + value
    maps.append(map_of(last, rows, count, dtype))
    origins = tuple(tuple(Origin(u.name, u.location) for u in units) for units in mlp.units)
    return Mlp(tuple(maps), units=origins)


def map_of(sums: Sequence[SignalSum], rows: Mapping[Any, int], inputs: int, dtype: str) -> Affine:
    """The affine map of one sum for each output; `rows` has the input that each signal is.

    A number beyond the range of the system is infinite: the check and the certificate see what that does.
    """
    weight: Array = np.zeros((inputs, len(sums)), dtype)
    bias: Array = np.zeros(len(sums), dtype)
    with np.errstate(over="ignore"):
        for column, value in enumerate(sums):
            bias[column] = value.constant
            for signal, coefficient in value.terms.items():
                weight[rows[signal], column] = coefficient
    return Affine(weight, bias)
