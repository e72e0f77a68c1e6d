"""A model whose norms are neutralised, as the model without norms over half as many directions that it stands for.

Every part is checked: pairs of coordinates are read with weights that are halves and opposite, and written with
weights that are opposite; pinned coordinates are what the embedding of positions makes them, never read or written; and
norms have the gain and the bias under which they do almost nothing. Any other model is refused.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.certify.not_certified import NotCertified
from capax.model.export.hugging_face.norms import EPSILON
from capax.model.export.hugging_face.sizes import HuggingFaceSizes
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Norm, Readout
from capax.model.positions import Positions


@dataclass(frozen=True, slots=True, eq=False)
class CoordinatePairs:
    """Where the pairs of a model lie: after `first` pinned coordinates, up to `used`; each pin is a power of two."""

    sizes: HuggingFaceSizes
    pin: float
    first: int
    used: int

    def pinned(self) -> Array:
        """B and -B in turn."""
        coordinates: Array = np.zeros(self.sizes.width)
        coordinates[0 : self.first : 2], coordinates[1 : self.first : 2] = self.pin, -self.pin
        return coordinates

    def is_norm(self, norm: Norm | None, bias: Array) -> bool:
        """Whether a norm is one that does almost nothing, and has this bias."""
        gain: Array = np.zeros(self.sizes.width)
        gain[self.first : self.used] = self.pin / 2**self.sizes.root
        return (
            norm is not None
            and norm.kind == "layer"
            and 0 <= norm.epsilon <= EPSILON
            and np.array_equal(norm.gain, gain)
            and np.array_equal(norm.bias, bias)
        )

    def written(self, rows: Array) -> Array:
        """What is written to the directions, (..., directions)."""
        one, two = rows[..., self.first : self.used : 2], rows[..., self.first + 1 : self.used : 2]
        free: Sequence[Array] = (rows[..., : self.first], rows[..., self.used :])
        _need(bool((one == -two).all()) and not any(f.any() for f in free), "a pair is not written as one")
        return np.array(one)

    def read(self, map: Affine) -> Affine:
        """The map that reads directions."""
        one, two = map.weight[self.first : self.used : 2], map.weight[self.first + 1 : self.used : 2]
        free = (map.weight[: self.first], map.weight[self.used :])
        _need(bool((one == -two).all()) and not any(f.any() for f in free), "a pair is not read as one")
        return Affine(one * 2, map.bias)


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise NotCertified(f"the norms are not neutralised: {why}", "the norms")


def pairs_of(model: Model) -> CoordinatePairs:
    """Where the pairs of a model must lie, from its first norm and the first row of its positions."""
    norm = model.blocks[0].attention_norm if model.blocks else model.readout.norm
    table = model.positions.table
    _need(norm is not None and table is not None and len(table) > 0, "there are none, or its positions are not a table")
    assert norm is not None
    assert table is not None
    (scaled,) = np.nonzero(norm.gain)
    _need(len(scaled) > 0 and scaled[0] > 0, "no coordinate is pinned")
    first, used = int(scaled[0]), int(scaled[-1]) + 1
    pin = float(table[0, 0])
    width, root = model.width, (model.width // first).bit_length() // 2
    _need(first % 2 == used % 2 == 0 and width == first * 4**root, "the number of pinned coordinates is wrong")
    mantissa, exponent = math.frexp(pin)
    _need(mantissa == 0.5 and exponent >= 1, "the pinned number is not a power of two from 1 on")
    return CoordinatePairs(HuggingFaceSizes(width, 1, width, first // 2, root), pin, first, used)


def unpaired(model: Model, pairs: CoordinatePairs) -> Model:
    """The model without norms that a neutralised one stands for; its positions are those of the table."""
    after, none, pinned = model.norm_place == "after", np.zeros(model.width), pairs.pinned()
    bias = pinned if after else none
    _need(model.input_mlp is None and not model.positions.functions, "there is more before its blocks")
    table = model.positions.table
    assert table is not None
    _need(bool((table[:, : pairs.first] == pinned[: pairs.first]).all()), "its positions are not pinned")
    positions = pairs.written(np.where(np.arange(model.width) < pairs.first, table.dtype.type(0), table))
    blocks = model.blocks
    if after:
        opens = blocks[0]
        _need(not opens.heads and opens.mlp is None and not opens.bias.any(), "its first block does something")
        _need(pairs.is_norm(opens.attention_norm, bias) and opens.mlp_norm is None, "its first norm does something")
        blocks = blocks[1:]
    for block in blocks:
        _need(all(pairs.is_norm(n, bias) for n in (block.attention_norm, block.mlp_norm)), "a norm does something")
    map, last = model.readout.map, np.eye(1, model.width)[0]
    if after:
        _need(model.readout.norm is None, "there is one before its last map")
    else:  # the last norm has a constant, which the last map reads as its bias
        _need(pairs.is_norm(model.readout.norm, last), "its last one does something")
        map = _with_bias(map)
    width = (pairs.used - pairs.first) // 2
    return replace(
        model,
        embedding=pairs.written(model.embedding),
        positions=Positions((), np.zeros((0, width), table.dtype), positions),
        blocks=tuple(_block(b, pairs) for b in blocks),
        readout=Readout(pairs.read(map)),
        names=tuple(f"direction {i}" for i in range(width)),
    )


def _with_bias(map: Affine) -> Affine:
    """The last map of a text generator, whose bias is read from the first coordinate."""
    if not map.weight[0].any():
        return map
    _need(not map.bias.any(), "its last map has two biases")
    weight = np.array(map.weight)
    bias, weight[0] = map.weight[0].copy(), 0
    return Affine(weight, bias)


def _block(block: Block, pairs: CoordinatePairs) -> Block:
    heads = []
    for head in block.heads:
        if not isinstance(head, Head) or head.sink is not None:
            raise NotCertified("a head is not an ordinary head, or has a sink of its own")
        query, key, value = (pairs.read(map) for map in (head.query, head.key, head.value))
        query, key = _without_empty(query, key)
        heads.append(replace(head, query=query, key=key, value=value, output=pairs.written(head.output)))
    mlp = block.mlp
    if mlp is not None:
        if not isinstance(mlp, Mlp) or mlp.depth != 1:
            raise NotCertified("an MLP is not of one stage")
        first, second = mlp.maps
        mlp = Mlp((pairs.read(first), Affine(pairs.written(second.weight), pairs.written(second.bias))), mlp.activation)
    return Block(tuple(heads), pairs.written(block.bias), mlp, None, None)


def _without_empty(query: Affine, key: Affine) -> tuple[Affine, Affine]:
    """Queries and keys without dimensions at which one of both is zero everywhere: they add nothing to scores."""
    used = np.nonzero((query.weight.any(axis=0) | (query.bias != 0)) & (key.weight.any(axis=0) | (key.bias != 0)))[0]
    used = used if len(used) else np.array([0])
    return tuple(Affine(m.weight[:, used], m.bias[used]) for m in (query, key))  # type: ignore[return-value]
