"""Finished MLPs over wires: stages of units, what they read, and what each direction gets.

An MLP may be cut into several of fewer stages, which hand on through directions of the stream, and it may be made to
clear directions that nobody reads any more, so that their slots can be used again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from capax.compiler.encode.signals import Direction, Sum, Unit, Wire, one
from capax.model.parts import Affine, Array, Mlp, Origin


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """The units of each stage with what they read, what each direction gets, and what is taken away from a slot."""

    units: tuple[tuple[Unit, ...], ...]
    reads: tuple[tuple[Sum, ...], ...]
    writes: Mapping[Direction, Sum]
    clears: Mapping[Direction, Sum] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """The number of hidden stages."""
        return len(self.units)

    def read(self) -> set[Direction]:
        """The directions that the first stage reads."""
        return {w for s in self.reads[0] for w in s.directions()}


def cut(stages: Stages, most: int) -> list[Stages]:
    """The same as a sequence of MLPs of at most so many stages."""
    pieces: list[Stages] = []
    handed: dict[Wire, Sum] = {}
    for start in range(0, stages.depth, most):
        units = stages.units[start : start + most]
        reads = list(stages.reads[start : start + most])
        reads[0] = tuple(_replaced(s, handed) for s in reads[0])
        last = start + most >= stages.depth
        if last:
            writes: Mapping[Direction, Sum] = stages.writes
        else:
            fresh = {u: Direction(f"{u.name} (between)", u.low, u.high, 0) for u in units[-1]}
            writes = {d: one(u) for u, d in fresh.items()}
            handed = {u: one(d) for u, d in fresh.items()}
        pieces.append(Stages(units, tuple(reads), writes))
    return pieces


def _replaced(value: Sum, by: Mapping[Wire, Sum]) -> Sum:
    result = Sum(constant=value.constant)
    for wire, coefficient in value.terms.items():
        result += by.get(wire, one(wire)) * coefficient
    return result


def clearing(stages: Stages, directions: Iterable[Direction]) -> Stages:
    """The same MLP, which also sets some directions to zero.

    The positive and the negative part of x are carried as they are, so that x minus them is exactly zero.
    """
    units, reads = [list(u) for u in stages.units], [list(r) for r in stages.reads]
    clears: dict[Direction, Sum] = dict(stages.clears)
    for direction in directions:
        taken = Sum()
        for sign in (1.0, -1.0):
            if (direction.low >= 0 and sign < 0) or (direction.high <= 0 and sign > 0):
                continue
            source = one(direction) * sign
            for level in range(stages.depth):
                unit = Unit(
                    f"{direction.name} (cleared)", max(abs(direction.low), abs(direction.high)), level + 1, source
                )
                units[level].append(unit)
                reads[level].append(source)
                source = one(unit)
            taken += source * -sign
        clears[direction] = taken
    return Stages(tuple(map(tuple, units)), tuple(map(tuple, reads)), stages.writes, clears)


def mlp_of(stages: Stages, slots: Mapping[Direction, int], width: int, dtype: str) -> Mlp:
    """The weights of finished stages, with every direction in its slot."""
    maps: list[Affine] = []
    rows: dict[Wire, int] = dict(slots.items())
    count = width
    for units, reads in zip(stages.units, stages.reads, strict=True):
        maps.append(_map(list(reads), rows, count, len(units), dtype))
        rows = {u: i for i, u in enumerate(units)}
        count = len(units)
    last: list[Sum] = [Sum() for _ in range(width)]
    for written in (stages.writes, stages.clears):
        for direction, value in written.items():
            last[slots[direction]] = last[slots[direction]] + value
    maps.append(_map(last, rows, count, width, dtype))
    origins = tuple(tuple(Origin(u.name, u.place) for u in units) for units in stages.units)
    return Mlp(tuple(maps), units=origins)


def _map(sums: list[Sum], rows: Mapping[Wire, int], inputs: int, outputs: int, dtype: str) -> Affine:
    weight: Array = np.zeros((inputs, outputs), dtype)
    bias: Array = np.zeros(outputs, dtype)
    for column, value in enumerate(sums):
        bias[column] = value.constant
        for wire, coefficient in value.terms.items():
            weight[rows[wire], column] = coefficient
    return Affine(weight, bias)
