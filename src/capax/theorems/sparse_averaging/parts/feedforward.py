"""A feedforward network for q-sparse averaging, and why none has a narrower first layer.

The input is the whole word: the N d' coordinates of the vectors, then the N bits of the subset of the last position.
The answer is the mean for the last position.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.model.parts import Affine, Array
from capax.tasks.q_sparse_averaging import SparseToken
from capax.theorems.sparse_averaging.parts.dual import Subset


@dataclass(frozen=True, slots=True, eq=False)
class FeedforwardNet:
    """Affine maps with a ReLU between each two."""

    maps: tuple[Affine, ...]

    def __call__(self, x: Array) -> Array:
        """The answers (..., d') to inputs (..., N d' + N)."""
        for stage in self.maps[:-1]:
            x = np.maximum(x @ stage.weight + stage.bias, 0)
        return np.asarray(x @ self.maps[-1].weight + self.maps[-1].bias)

    @property
    def widths(self) -> tuple[int, ...]:
        """The numbers of units of the hidden layers."""
        return tuple(stage.outputs for stage in self.maps[:-1])


def flattened(word: Sequence[SparseToken], length: int) -> Array:
    """The input of the network for a word: its vectors, and the bits of the subset of its last position."""
    bits = np.zeros(length)
    bits[list(word[-1][1])] = 1
    return np.concatenate([np.array([z for z, _ in word], float).reshape(-1), bits])


def feedforward(length: int, q: int, dimension: int) -> FeedforwardNet:
    """The network with one hidden layer of N d' units, which is exact for vectors with coordinates from -1 to 1.

    The unit of a coordinate z and a bit b is relu((z + 1)/2 + b - 1), which is b (z + 1)/2. As q bits are 1, the mean
    is 2/q times the sum of the units, less 1.
    """
    bits = np.repeat(np.eye(length), dimension, axis=1)
    weight = np.concatenate([np.eye(length * dimension) / 2, bits])
    out = np.tile(np.eye(dimension), (length, 1)) * (2 / q)
    return FeedforwardNet((Affine(weight, np.full(length * dimension, -0.5)), Affine(out, -np.ones(dimension))))


@dataclass(frozen=True, slots=True)
class SameLayer:
    """Two words that a first layer does not tell apart: the vectors z and -z with one subset, whose answers differ.

    Whatever follows the first layer errs by at least `error` on one of them. `gap` is how far apart the inputs to the
    layer's units are (rounding).
    """

    subset: Subset
    z: tuple[float, ...]
    error: float
    gap: float

    def to_json(self) -> dict[str, Any]:
        """The witness as plain data."""
        return {"subset": list(self.subset), "z": list(self.z), "error": self.error, "gap": self.gap}


def same_layer(first: Affine, length: int, q: int, dimension: int) -> SameLayer | None:
    """Two words that the first layer does not tell apart, or None where it has N d' units or more.

    A layer of fewer units has a direction of vectors that it does not see. Let its largest coordinate be 1, at position
    j, and let it be 0 or less at position k. Of two subsets that differ in j and k only, one has a sum of at least 1/2
    along this axis. (If there is no such k, any subset with j has.) So the answers to z and -z differ by 1/q or more,
    and no function of the layer is within less than 1/(2q) of both. For d' > 1 the vectors have to be scaled into the
    unit ball, and it is 1/(2q sqrt(d')).
    """
    seen = first.weight[: length * dimension]
    if first.outputs >= length * dimension:
        return None
    null = np.linalg.svd(seen.T)[2][-1].reshape(length, dimension)
    null = null / np.linalg.norm(null, axis=1).max()
    position, axis = (int(k) for k in np.unravel_index(np.abs(null).argmax(), null.shape))
    if dimension == 1:
        null = null / null[position, axis]
    order = np.argsort(null[:, axis], kind="stable").tolist()
    candidates = [tuple(sorted(order[:q])), tuple(sorted(order[-q:]))]
    subset = max(candidates, key=lambda s: abs(float(null[list(s), axis].sum())))
    error = float(np.linalg.norm(null[list(subset)].sum(axis=0))) / q
    gap = float(np.abs(2 * null.reshape(-1) @ seen).max())
    return SameLayer(subset, tuple(null.reshape(-1).tolist()), error, gap)
