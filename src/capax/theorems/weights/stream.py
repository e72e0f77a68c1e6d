"""A residual stream whose maps are written by the names of its directions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from capax.model.parts import Affine, Array, AttentionKind, Block, Head, Mask, Mlp, OracleMap, Sink, TensorHead
from capax.model.positions import Positions

Terms: TypeAlias = Mapping[str, float]
"""A sum: a coefficient for each direction (or unit) by name; that of the empty name is the constant."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The directions of a residual stream, and maps from and to them."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        assert len(set(self.names)) == len(self.names), "two directions of one name would be read as one"

    @property
    def width(self) -> int:
        """The number of directions."""
        return len(self.names)

    def affine(self, sums: Sequence[Terms]) -> Affine:
        """The map to one number for each sum."""
        return _affine(self.names, sums)

    def onto(self, names: Sequence[str]) -> Array:
        """The matrix (names, d) that adds each number to the direction of its name."""
        matrix = np.zeros((len(names), self.width))
        for row, name in enumerate(names):
            matrix[row, self.names.index(name)] = 1
        return matrix

    def rows(self, vectors: Sequence[Terms]) -> Array:
        """The vectors (len, d) with the given coordinates, such as an embedding."""
        matrix = np.zeros((len(vectors), self.width))
        place = {name: column for column, name in enumerate(self.names)}
        for row, vector in enumerate(vectors):
            for name, value in vector.items():
                matrix[row, place[name]] = value
        return matrix

    def positions(self, functions: Mapping[str, str], table: Array | None = None) -> Positions:
        """Positions that put a function of the position on each of some directions, and a table if there is one."""
        return Positions(tuple(functions), self.onto(tuple(functions.values())), table)

    def head(
        self,
        *,
        query: Sequence[Terms],
        key: Sequence[Terms],
        value: Sequence[Terms],
        into: Sequence[str],
        sink: tuple[Sequence[float], Sequence[float]] | None = None,
        attention: AttentionKind = "softmax",
        mask: Mask = "none",
        scale: float = 1.0,
        name: str = "",
    ) -> Head:
        """A head whose values go to the directions `into`."""
        return Head(
            self.affine(query),
            self.affine(key),
            self.affine(value),
            self.onto(into),
            attention,
            mask,
            None if sink is None else Sink(np.array(sink[0], np.float64), np.array(sink[1], np.float64)),
            scale,
            name,
        )

    def tensor_head(
        self,
        *,
        query: Sequence[Terms],
        keys: tuple[Sequence[Terms], Sequence[Terms]],
        values: tuple[Sequence[Terms], Sequence[Terms]],
        into: Sequence[str],
        scale: float = 1.0,
        name: str = "",
    ) -> TensorHead:
        """A third-order head whose products of values go to the directions `into`."""
        key1, key2 = map(self.affine, keys)
        value1, value2 = map(self.affine, values)
        return TensorHead(self.affine(query), key1, key2, value1, value2, self.onto(into), scale=scale, name=name)

    def mlp(self, stages: Sequence[Mapping[str, Terms]], writes: Mapping[str, Terms]) -> Mlp:
        """An MLP of ReLU units by name.

        The units of the first stage read directions, those of a later one the units of the stage before; `writes` says
        what is added to directions, as sums of the last stage's units.
        """
        names, maps = self.names, []
        for stage in stages:
            maps.append(_affine(names, list(stage.values())))
            names = tuple(stage)
        maps.append(_affine(names, [writes.get(name, {}) for name in self.names]))
        assert writes.keys() <= set(self.names), "an MLP writes directions"
        return Mlp(tuple(maps))

    def block(self, *heads: Head | TensorHead, mlp: Mlp | OracleMap | None = None) -> Block:
        """A layer of these heads and this MLP."""
        return Block(heads, np.zeros(self.width), mlp)


def _affine(names: Sequence[str], sums: Sequence[Terms]) -> Affine:
    place = {name: row for row, name in enumerate(names)}
    weight, bias = np.zeros((len(names), len(sums))), np.zeros(len(sums))
    for column, terms in enumerate(sums):
        for name, coefficient in terms.items():
            if name:
                weight[place[name], column] = coefficient
            else:
                bias[column] = coefficient
    return Affine(weight, bias)


def family(name: str, count: int) -> tuple[str, ...]:
    """The names of several directions of one kind: `bit 0`, `bit 1`, ..."""
    return tuple(f"{name} {i}" for i in range(count))


def each(names: Sequence[str], coefficient: float = 1.0) -> list[dict[str, float]]:
    """One sum for each name: the coefficient times it."""
    return [{name: coefficient} for name in names]


def constants(count: int, value: float = 1.0) -> list[dict[str, float]]:
    """So many times the same constant."""
    return [{"": value} for _ in range(count)]
