"""Norms that do nothing: a model without norms as one with a LayerNorm at every place where a stock class has one.

Every direction x of the stream becomes a pair of coordinates (x, -x), and a few pairs are pinned to (B, -B) with B a
power of two far above the stream. A row then has mean 0, and its standard deviation is B / 2^root up to rounding, a
power of two; the gain of the norm is that number. So the norm gives each coordinate back, times a factor near 1, plus a
shift that is common to all; a map that reads x as (first - second) / 2 does not see the shift. The bounds are told in
`capax.model.export.hugging_face.norm_bounds`.
"""

import math
from dataclasses import replace
from typing import Final

import numpy as np

from capax.model.export.hugging_face.sizes import HuggingFaceSizes
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Norm, Readout
from capax.model.positions import Positions

EPSILON: Final = 1e-5
"""What the norms add to the variance, which is next to nothing beside it; some classes have no setting for another."""
ABOVE: Final = {"float32": 14, "float64": 30}
"""The pinned number is this many powers of two above the longest row of the stream that was seen."""


class PairedCoordinates:
    """Writes the parts of a model over pairs of coordinates, in a floating-point type."""

    def __init__(self, model: Model, sizes: HuggingFaceSizes, dtype: str, pin: float) -> None:
        self.sizes, self.dtype, self.pin = sizes, dtype, pin
        self.first = 2 * sizes.pins
        self.used = self.first + 2 * model.width

    def write(self, rows: Array) -> Array:
        """What is written to the stream, (..., directions), over the coordinates."""
        coordinates: Array = np.zeros((*rows.shape[:-1], self.sizes.width), self.dtype)
        coordinates[..., self.first : self.used : 2] = rows
        coordinates[..., self.first + 1 : self.used : 2] = -rows.astype(self.dtype)
        return coordinates

    def read(self, map: Affine) -> Affine:
        """A map that reads the stream."""
        weight: Array = np.zeros((self.sizes.width, map.outputs), self.dtype)
        half = map.weight.astype(self.dtype) / 2
        weight[self.first : self.used : 2] = half
        weight[self.first + 1 : self.used : 2] = -half
        return Affine(weight, map.bias.astype(self.dtype))

    def pinned(self) -> Array:
        """The pinned numbers (width,): B and -B in turn."""
        row: Array = np.zeros(self.sizes.width, self.dtype)
        row[0 : self.first : 2] = self.pin
        row[1 : self.first : 2] = -self.pin
        return row

    def norm(self, bias: Array) -> Norm:
        """The norm that gives the stream back; what stands at the pinned coordinates is its bias."""
        gain: Array = np.zeros(self.sizes.width, self.dtype)
        gain[self.first : self.used] = self.pin / 2**self.sizes.root
        return Norm("layer", gain, bias.astype(self.dtype), EPSILON)

    def names(self, model: Model) -> tuple[str, ...]:
        """The names of the coordinates."""
        pins = [f"pin {i // 2}{'-' if i % 2 else '+'}" for i in range(self.first)]
        pairs = [f"{name}{sign}" for name in model.names for sign in "+-"]
        return (*pins, *pairs, *(f"free {i}" for i in range(self.used, self.sizes.width)))


def pin_for(longest: float, dtype: str) -> float:
    """The pinned number for a stream whose rows are no longer than this."""
    return 2.0 ** (math.ceil(math.log2(max(longest, 1.0))) + ABOVE[dtype])


def with_norms(
    model: Model, sizes: HuggingFaceSizes, dtype: str, pin: float, *, after: bool, soften: float = 1.0
) -> Model:
    """A model without norms, as one with norms at all places; they stand after the sublayers, or before them.

    `soften` multiplies the scale of every head. With norms after the sublayers, a first block without heads holds the
    norm of the embedding.
    """
    pairs = PairedCoordinates(model, sizes, dtype, pin)
    pins, none = pairs.pinned(), np.zeros(sizes.width, dtype)
    norm = pairs.norm(pins if after else none)
    blocks = [_block(block, pairs, norm, soften) for block in model.blocks]
    if after:
        blocks.insert(0, Block((), none, None, norm, None))
    last = None
    if not after:
        constant = none.copy()
        constant[0] = 1  # a class without a bias in its last map reads the bias from here
        last = pairs.norm(constant)
    table = position_rows(model, dtype)
    return replace(
        model,
        embedding=pairs.write(model.embedding.astype(dtype)),
        positions=Positions((), np.zeros((0, sizes.width), dtype), pairs.write(table) + pins),
        blocks=tuple(blocks),
        readout=Readout(pairs.read(model.readout.map), last, model.readout.names),
        names=pairs.names(model),
        numbers=dtype,
        norm_place="after" if after else "before",
        max_length=len(table) - len(model.prefix),
    )


UNBOUNDED: Final = 512
"""The positions of a model that reads words of any length."""


def position_rows(model: Model, dtype: str) -> Array:
    """What the positions add at each position (positions, d), the prefix included."""
    positions = model.positions
    n = UNBOUNDED if model.max_length is None else model.max_length + len(model.prefix)
    if positions.table is not None:
        n = min(n, len(positions.table)) if model.max_length is None else n
    rows: Array = positions.values(n).astype(dtype) @ positions.weight.astype(dtype)
    return rows if positions.table is None else rows + positions.table[:n].astype(dtype)


def _block(block: Block, pairs: PairedCoordinates, norm: Norm, soften: float) -> Block:
    mlp = block.mlp
    if mlp is not None:
        assert isinstance(mlp, Mlp)
        first, second = mlp.maps
        written = Affine(pairs.write(second.weight), pairs.write(second.bias))
        mlp = Mlp((pairs.read(first), written), mlp.activation, mlp.units)
    heads = [_head(head, pairs, soften) for head in block.heads if isinstance(head, Head)]
    return Block(tuple(heads), pairs.write(block.bias), mlp, norm, norm)


def _head(head: Head, pairs: PairedCoordinates, soften: float) -> Head:
    return replace(
        head,
        query=pairs.read(head.query),
        key=pairs.read(head.key),
        value=pairs.read(head.value),
        output=pairs.write(head.output),
        scale=head.scale * soften,
    )
