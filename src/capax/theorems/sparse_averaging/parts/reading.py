"""How models read the inputs of q-sparse averaging as words of tokens.

A model reads tokens, not real vectors: the vectors of a word are the unit vectors along an axis and their negatives,
named +e1, -e1, +e2, ... Nothing is lost. The answer is linear in the vectors with weights that do not depend on them,
so its worst error is the sum of the weights' deviations, and signs along one axis attain it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from capax.model.parts import Array
from capax.model.vocabulary import Token
from capax.theorems.sparse_averaging.parts.dual import Subset

Shape: TypeAlias = Literal["pairs", "spread"]
"""One token for a position, with its vector and subset; or q + 1 tokens: the q positions one by one, the vector."""


def points(dimension: int) -> list[int]:
    """The vectors: 1, -1, 2, -2, ... for +e1, -e1, +e2, -e2, ..."""
    return [sign * axis for axis in range(1, dimension + 1) for sign in (1, -1)]


def point_name(point: int) -> str:
    """The token of a vector."""
    return f"{'+' if point > 0 else '-'}e{abs(point)}"


def point_vector(point: int, dimension: int) -> tuple[float, ...]:
    """The vector itself."""
    return tuple(float(np.sign(point)) * (axis == abs(point) - 1) for axis in range(dimension))


def pair_name(point: int, subset: Iterable[int]) -> str:
    """The token of a vector and a subset together, such as `+e1 0,3,7`."""
    return f"{point_name(point)} {','.join(map(str, subset))}"


@dataclass(frozen=True, slots=True)
class TokenReading:
    """The sizes of an input, and how it is spelt; `layer` is the layer whose head takes the mean."""

    length: int
    q: int
    dimension: int
    shape: Shape = "pairs"

    @property
    def layer(self) -> int:
        """The number of the layer whose head takes the mean."""
        return 0 if self.shape == "pairs" else 1

    @property
    def rows(self) -> Array:
        """The positions of the word at which the vectors stand, where the answers are read."""
        step = 1 if self.shape == "pairs" else self.q + 1
        return np.arange(self.length) * step + step - 1

    def word(self, vectors: Sequence[int], subsets: Sequence[Subset]) -> list[Token]:
        """The tokens of an input: a vector and a subset for each position."""
        each = zip(vectors, subsets, strict=True)
        if self.shape == "pairs":
            return [pair_name(point, subset) for point, subset in each]
        spelt: list[list[Token]] = [[*subset, point_name(point)] for point, subset in each]
        return [token for group in spelt for token in group]
