"""Named directions of a residual stream, and maps written down by name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from capax.model.parts import Affine, Array


@dataclass(frozen=True, slots=True)
class Stream:
    """The directions of a stream, in order."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        assert len(set(self.names)) == len(self.names), "two directions of one name would be read as one"

    @property
    def width(self) -> int:
        """The number of directions."""
        return len(self.names)

    def at(self, name: str) -> int:
        """The place of a direction."""
        return self.names.index(name)

    def vector(self, weights: Mapping[str, float]) -> Array:
        """The vector (d,) with these weights."""
        found = np.zeros(self.width)
        for name, weight in weights.items():
            found[self.at(name)] = weight
        return found

    def map(self, outputs: Iterable[Mapping[str, float]]) -> Affine:
        """The map (d, outputs) that reads, for each output, a sum of directions; the name "1" is the constant."""
        rows = [dict(output) for output in outputs]
        bias = np.array([row.pop("1", 0.0) for row in rows])
        weight = np.array([self.vector(row) for row in rows]).reshape(len(rows), self.width)
        return Affine(weight.T, bias)

    def writes(self, names: Sequence[str]) -> Array:
        """The matrix (len(names), d) that writes each input to one direction."""
        return np.array([self.vector({name: 1.0}) for name in names]).reshape(len(names), self.width)
