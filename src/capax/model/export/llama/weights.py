"""The weights of a Llama that computes what a plain model with a first token computes, number by number.

Directions of the stream: 0 holds the pinned number B at every token, then s and 2^23 + a (see `positions.py`) where
there is a table of positions, then those of the model; the width is a power of 4, and what is left over is zero.
Heads are as many as the next power of 2, which divides the width; those that no block needs are zeros.

Norms. With B^2 far above what else is in a row, the mean square is B^2 / width, a power of 4, and the norm is a product
with powers of two: the gain takes it back. At direction 0 the gain makes 1 of it: what a map reads there is its bias.
ReLUs. silu(C x) / C is relu(x) up to 0.2785 / C; the other factor of SwiGLU reads the constant 1.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.export.llama.positions import SNAP, TableUnits, counter, shares, table_units
from capax.model.export.uniform import needed
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp

PIN: Final = 2.0**50
"""The pinned number: rows up to 2^37 long change nothing in a norm."""
STEEP: Final = 2.0**40
"""The factor C before SiLU."""
_COUNTING: Final = 3
"""The directions before those of a model whose positions are counted."""


@dataclass(frozen=True, slots=True)
class LlamaSizes:
    """The sizes of a Llama; `shared` heads read the keys and values of one group, each a part of its own."""

    width: int
    heads: int
    groups: int
    dimension: int
    hidden: int
    layers: int

    @property
    def shared(self) -> int:
        """How many heads share keys and values."""
        return self.heads // self.groups


@dataclass(frozen=True, slots=True, eq=False)
class LlamaLayer:
    """The maps of a layer as (inputs, outputs); none has a bias."""

    query: Array
    key: Array
    value: Array
    output: Array
    gate: Array
    up: Array
    down: Array


@dataclass(frozen=True, slots=True, eq=False)
class LlamaWeights:
    """All weights: the embedding, the gain that all norms have, the layers, and the last map (width, outputs)."""

    sizes: LlamaSizes
    embedding: Array
    gain: Array
    layers: tuple[LlamaLayer, ...]
    readout: Array


@dataclass(frozen=True, slots=True, eq=False)
class _LlamaLayout:
    """Where things lie in the stream: the model's directions from `first` on; s and 2^23 + a in 1 and 2, if at all."""

    sizes: LlamaSizes
    first: int
    directions: int

    def read(self, weight: Array, bias: Array) -> Array:
        """A map that reads the model's directions, and its bias from the constant."""
        array: Array = np.zeros((self.sizes.width, weight.shape[1]))
        array[self.first : self.first + self.directions] = weight
        array[0] = bias
        return array

    def written(self, rows: Array) -> Array:
        """What is written to the model's directions."""
        array: Array = np.zeros((*rows.shape[:-1], self.sizes.width))
        array[..., self.first : self.first + self.directions] = rows
        return array

    def nothing(self) -> LlamaLayer:
        """A layer that writes nothing; its up map reads the constant."""
        s = self.sizes
        heads, groups = s.heads * s.dimension, s.groups * s.dimension
        up: Array = np.zeros((s.width, s.hidden))
        up[0] = 1
        return LlamaLayer(
            np.zeros((s.width, heads)),
            np.zeros((s.width, groups)),
            np.zeros((s.width, groups)),
            np.zeros((heads, s.width)),
            np.zeros((s.width, s.hidden)),
            up,
            np.zeros((s.hidden, s.width)),
        )


def rows_of_table(model: Model) -> TableUnits | None:
    """The units for the table of positions of a model; those of a table of zeros write nothing."""
    table = model.positions.table
    assert table is not None
    return table_units(np.where(shares(table, model.numbers), 0, table), model.numbers)


def has_positions(model: Model) -> bool:
    """Whether anything depends on the position but for masks."""
    table = model.positions.table
    return table is not None and bool(table.any())


def first_direction(model: Model) -> int | None:
    """The direction that is 1 at the first token and 0 at all others, if there is one."""
    (row,) = model.vocabulary.rows(model.prefix)
    others = np.delete(model.embedding, row, axis=0)
    return next((i for i in range(model.width) if model.embedding[row, i] == 1 and not others[:, i].any()), None)


def over_width(directions: int) -> int:
    """How many of the directions of a model with positions do not fit the next smaller width; 0 if there is none."""
    width = _width(_COUNTING + directions)
    return _COUNTING + directions - width // 4 if width > 4 else 0


def _width(directions: int) -> int:
    """The least power of 4 that is 4 at least and has room for so many directions."""
    return int(4 ** max(1, math.ceil(math.log(directions, 4) - 1e-9)))


def translate(model: Model, readout: Affine, rows: int) -> LlamaWeights:
    """The Llama of a plain model with one token before every word; the embedding has this many rows."""
    units = rows_of_table(model) if has_positions(model) else None
    front = _COUNTING if units is not None else 1
    layout = _LlamaLayout(_sizes(model, units, front), front, model.width)
    embedding: Array = np.zeros((rows, layout.sizes.width))
    embedding[: len(model.embedding)] = layout.written(np.asarray(model.embedding, np.float64))
    embedding[:, 0] = PIN
    layers: list[LlamaLayer] = []
    if units is not None:
        embedding[:, 2] = SNAP[model.numbers]
        layers = [_counting(layout, model), _tabulating(layout, units, SNAP[model.numbers])]
    layers += [_layer(layout, block) for block in model.blocks]
    root = 2.0 ** (layout.sizes.width.bit_length() // 2)
    gain: Array = np.full(layout.sizes.width, PIN / root)
    gain[0] = 1 / root
    last = layout.read(readout.weight, readout.bias)
    return LlamaWeights(layout.sizes, embedding, gain, tuple(layers), last)


def _sizes(model: Model, units: TableUnits | None, front: int) -> LlamaSizes:
    used, dimension = needed(model)
    heads = 2 ** (used - 1).bit_length()  # the class has a width that they divide; those that fill up are zeros
    width = max(_width(front + model.width), _width(heads))
    size = 4 ** math.ceil(math.log(dimension, 4) - 1e-9)
    size = max(size, 4)
    shared = max(n for n in range(1, heads + 1) if heads % n == 0 and n * dimension <= size)
    hidden = [_units(block) for block in model.blocks]
    if units is not None:
        assert model.positions.table is not None
        hidden += [len(counter(len(model.positions.table), model.numbers).start), len(units.knots)]
    return LlamaSizes(width, heads, heads // shared, size, max([1, *hidden]), len(model.blocks) + 2 * (front > 1))


def _units(block: Block) -> int:
    units = block.mlp.maps[0].outputs if isinstance(block.mlp, Mlp) else 0
    more = block.bias.any() or (isinstance(block.mlp, Mlp) and block.mlp.maps[1].bias.any())
    return units + int(bool(more))


def _counting(layout: _LlamaLayout, model: Model) -> LlamaLayer:
    """The block that writes 2^23 + a: BOS has the weight 1 / (a + 1) in a head whose scores are 0."""
    layer, at = layout.nothing(), first_direction(model)
    assert at is not None, "it was refused"
    assert model.positions.table is not None
    units = counter(len(model.positions.table), model.numbers)
    layer.value[layout.first + at, 0] = 1
    layer.output[0, 1] = 1
    layer.output[0, layout.first : layout.first + layout.directions] = shares(model.positions.table, model.numbers)
    count = len(units.start)
    layer.gate[0, :count], layer.gate[1, :count] = STEEP * units.start, -STEEP
    layer.down[:count, 2] = units.slope / STEEP
    return layer


def _tabulating(layout: _LlamaLayout, units: TableUnits, snap: float) -> LlamaLayer:
    """The block that writes the rows of the table: it reads a as (2^23 + a) - 2^23."""
    layer, count = layout.nothing(), len(units.knots)
    layer.gate[2, :count], layer.gate[0, :count] = STEEP, -STEEP * (snap + units.knots)
    squares = np.nonzero(units.square)[0]
    layer.up[2, squares], layer.up[0, squares] = 1, -(snap + units.knots[squares])
    layer.down[:count] = layout.written(units.rows) / STEEP
    return layer


def _layer(layout: _LlamaLayout, block: Block) -> LlamaLayer:
    """The layer of a block; a bias beside the heads is read by the MLP and added with it."""
    layer, sizes = layout.nothing(), layout.sizes
    part = sizes.dimension // sizes.shared
    for number, head in enumerate(block.heads):
        assert isinstance(head, Head)
        group, place = divmod(number, sizes.shared)
        query, key = number * sizes.dimension + place * part, group * sizes.dimension + place * part
        k, v = head.query.outputs, head.value.outputs
        scale = head.scale * sizes.dimension**0.5
        layer.query[:, query : query + k] = layout.read(head.query.weight, head.query.bias) * scale
        layer.key[:, key : key + k] = layout.read(head.key.weight, head.key.bias)
        layer.value[:, key : key + v] = layout.read(head.value.weight, head.value.bias)
        layer.output[query : query + v] = layout.written(np.asarray(head.output, np.float64))
    added = np.asarray(block.bias, np.float64)
    count = 0
    if isinstance(block.mlp, Mlp):
        first, second = block.mlp.maps
        count = first.outputs
        bias = first.bias + added @ first.weight
        layer.gate[:, :count] = STEEP * layout.read(first.weight, bias)
        layer.down[:count] = layout.written(np.asarray(second.weight, np.float64)) / STEEP
        added = added + second.bias
    if added.any():
        layer.gate[0, count], layer.down[count] = STEEP, layout.written(added) / STEEP
    return layer
