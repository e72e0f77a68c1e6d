"""Positions as a table, an input MLP as a layer, deep MLPs as several layers: the same numbers in a plainer form.

A stage of a deep MLP passes numbers to the next one through directions of the stream.

Lemma (clearing). The directions are 0 before a stage writes to them, so the numbers arrive as they were computed. The
next stage carries each number x by units of their own, relu(x) and, where x may be negative, relu(-x), and takes it
away: x - relu(x) + relu(-x) is exactly 0, so the directions are 0 again. Separate directions are not cleared: nothing
else writes to them, or reads them.

The units themselves can be passed on: nothing is rounded then that was not before. But the units of the next stage are
often relu(y - k) for many k and one y. Where there are fewer such sums than units, the sums are passed on: each is
rounded once more than before, as if it were added up in another order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from capax.model.adapt.cleared_slots import without_clears
from capax.model.adapt.widen import widened
from capax.model.arithmetic.select import arithmetic
from capax.model.model import REUSED, Model
from capax.model.parts import Affine, Array, Block, Mlp, Origin
from capax.model.positions import Positions
from capax.model.provenance import HeadClaim
from capax.model.run.forward import embed

BETWEEN: Final = "between stages"
"""What the names of directions begin with that pass numbers from one stage of a deep MLP to the next."""


def with_table(model: Model) -> Model:
    """The model with a row of a table for every position, and no position functions."""
    if not model.positions.functions and model.positions.table is not None:
        return model
    assert model.max_length is not None
    rows = model.max_length + len(model.prefix)
    trace: dict[str, Array] = {}
    embed(model, arithmetic(model.numbers), np.zeros((1, rows), np.int64), trace)
    table = np.broadcast_to(trace["pos_embed"], (rows, model.width)).astype(model.embedding.dtype)
    return replace(model, positions=Positions((), np.zeros((0, model.width), model.embedding.dtype), table))


@dataclass(frozen=True, slots=True, eq=False)
class StageLink:
    """Numbers that a stage passes on: `write` (units, count) makes them, `read` (count, next units) takes them.

    `signs` are those that the numbers may have.
    """

    write: Array
    read: Array
    signs: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return len(self.read)

    @property
    def carriers(self) -> int:
        """How many units of the next stage it takes to clear their directions."""
        return self.count * len(self.signs)


def stage_links(mlp: Mlp) -> list[StageLink]:
    """The links from each stage of an MLP, but for the last, to the next one."""
    return [_link(map.weight) for map in mlp.maps[1:-1]]


def _link(weight: Array) -> StageLink:
    """The sums that the columns of a map are multiples of, or else the units themselves."""
    sums, read = _sums(weight)
    if sums.shape[1] < len(weight):
        return StageLink(sums, read, (1, -1) if (sums < 0).any() else (1,))
    return StageLink(np.eye(len(weight), dtype=weight.dtype), weight, (1,))


def _sums(weight: Array) -> tuple[Array, Array]:
    """Columns of which all columns are multiples, and by how much: their product is the map, exactly."""
    known: dict[bytes, int] = {}
    first: list[int] = []
    read: Array = np.zeros((weight.shape[1], weight.shape[1]), weight.dtype)
    fine = np.asarray(weight, np.float64)
    for column in range(weight.shape[1]):
        (rows,) = np.nonzero(fine[:, column])
        if not len(rows):
            continue
        shape = (fine[:, column] / fine[rows[0], column]).tobytes()
        number = known.get(shape)
        if number is not None:
            ratio = fine[rows[0], column] / fine[rows[0], first[number]]
            if weight.dtype.type(ratio) == ratio and np.array_equal(fine[:, first[number]] * ratio, fine[:, column]):
                read[number, column] = ratio
                continue
        known.setdefault(shape, len(first))
        read[len(first), column] = 1
        first.append(column)
    return weight[:, first], read[: len(first)]


@dataclass(frozen=True, slots=True)
class Layered:
    """A model with shallow MLPs only, and how many layers that took."""

    model: Model
    for_input: int
    for_stages: int


def with_layers(model: Model, *, separate: bool = False) -> Layered:
    """The model with the input MLP as a first layer, and a layer more for each further stage of an MLP.

    The numbers between two stages have directions that are cleared and used again, or `separate` ones of their own.
    """
    blocks = list(model.blocks)
    if model.input_mlp is not None:
        blocks.insert(0, Block((), np.zeros(model.width, model.embedding.dtype), model.input_mlp))
    for_input = len(blocks) - len(model.blocks)
    claims = _head_claims(model, blocks)
    places, names = _link_places(blocks, separate=separate)
    model = widened(replace(model, input_mlp=None, blocks=tuple(blocks)), names)
    start = model.width - len(names)
    new: list[Block] = []
    hints: list[tuple[HeadClaim, ...]] = []
    for block, hint, own in zip(model.blocks, claims, places, strict=True):
        parts = _split(block, [range(start + place.start, start + place.stop) for place in own], clear=not separate)
        new += parts
        hints += [hint, *(() for _ in parts[1:])]
    origin = model.provenance
    if origin.heads is not None:
        origin = replace(origin, heads=tuple(hints))
    return Layered(replace(model, blocks=tuple(new), provenance=origin), for_input, len(new) - len(blocks))


def _head_claims(model: Model, blocks: Sequence[Block]) -> list[tuple[HeadClaim, ...]]:
    """What the file says of the heads of each block; of a block that was put before them, nothing."""
    known = model.provenance.heads
    if known is None or len(known) != len(model.blocks):
        return [()] * len(blocks)
    return [*[()] * (len(blocks) - len(known)), *known]


def _link_places(blocks: Sequence[Block], *, separate: bool) -> tuple[list[list[range]], list[str]]:
    """For each block the new directions that its links take, and the names of these, as of directions that are reused.

    Those that are not separate are taken in turns by the first, third, ... link of every block, and by the others.
    """
    counts = [_link_counts(block) for block in blocks]
    if separate:
        ends = np.cumsum([0, *(count for own in counts for count in own)]).tolist()
        ranges = iter([range(a, b) for a, b in pairwise(ends)])
        return [[next(ranges) for _ in own] for own in counts], [f"{BETWEEN} {i}" for i in range(ends[-1])]
    odd, even = (max((count for own in counts for count in own[first::2]), default=0) for first in (0, 1))
    starts = (0, odd)
    places = [[range(starts[n % 2], starts[n % 2] + count) for n, count in enumerate(own)] for own in counts]
    used = [sum(i in place for own in places for place in own) for i in range(odd + even)]
    return places, [REUSED.join([f"{BETWEEN} {i}"] * times) for i, times in enumerate(used)]


def _link_counts(block: Block) -> list[int]:
    """How many numbers each link of a block passes on."""
    if not isinstance(block.mlp, Mlp) or block.mlp.depth == 1:
        return []
    return [link.count for link in stage_links(without_clears(block.mlp).mlp)]


def _split(block: Block, places: Sequence[range], *, clear: bool) -> list[Block]:
    """A block for every stage of the MLP, with the places of its links, which the next stage clears if asked."""
    if not isinstance(block.mlp, Mlp) or block.mlp.depth == 1:
        return [block]
    cleared, none = without_clears(block.mlp), np.zeros_like(block.bias)
    mlp = cleared.mlp
    links = [None, *zip(stage_links(mlp), places, strict=True), None]
    layers = []
    for stage in range(mlp.depth):
        part = _stage(mlp, stage, links[stage], links[stage + 1], clear=clear)
        part = part if stage else _clearing(part, cleared.parts)
        first = Block(block.heads, block.bias, part, block.attention_norm)
        layers.append(first if stage == 0 else Block((), none, part))
    return layers


def _clearing(mlp: Mlp, parts: Sequence[tuple[int, int]]) -> Mlp:
    """An MLP of one stage that also takes parts of slots away: relu(x) for the sign 1, relu(-x) for the sign -1."""
    if not parts:
        return mlp
    first, last = mlp.maps
    reads: Array = np.zeros((first.inputs, len(parts)), first.weight.dtype)
    writes: Array = np.zeros((len(parts), last.outputs), last.weight.dtype)
    for number, (slot, sign) in enumerate(parts):
        reads[slot, number], writes[number, slot] = sign, -sign
    bias = np.concatenate([first.bias, np.zeros(len(parts), first.bias.dtype)])
    maps = Affine(np.hstack([first.weight, reads]), bias), Affine(np.vstack([last.weight, writes]), last.bias)
    names = ((*mlp.units[0], *(Origin("cleared") for _ in parts)),) if mlp.units else ()
    return Mlp(maps, mlp.activation, names)


PlacedLink = tuple[StageLink, range]
"""A link, and the directions of the stream that its numbers have."""


def _stage(mlp: Mlp, stage: int, before: PlacedLink | None, after: PlacedLink | None, *, clear: bool) -> Mlp:
    """One stage as an MLP: reads the stream or the link before it; writes the stream or the link after it."""
    here, last = mlp.maps[stage], mlp.maps[-1]
    carriers = before[0].carriers if before is not None and clear else 0
    d, units = last.outputs, here.outputs
    reads: Array = np.zeros((d, units + carriers), here.weight.dtype)
    bias: Array = np.zeros(units + carriers, here.weight.dtype)
    bias[:units] = here.bias
    writes: Array = np.zeros((units + carriers, d), here.weight.dtype)
    own: Array = np.zeros(d, here.weight.dtype)
    if before is None:
        reads[:, :units] = here.weight
    else:
        incoming, slots = before[0], list(before[1])
        reads[slots, :units] = incoming.read
        parts = [(slot, sign) for sign in incoming.signs for slot in slots] if clear else []
        for number, (slot, sign) in enumerate(parts):
            reads[slot, units + number], writes[units + number, slot] = sign, -sign
    if after is None:
        writes[:units] += last.weight
        own[:] = last.bias
    else:
        writes[:units, list(after[1])] = after[0].write
    names = (*mlp.units[stage], *(Origin("handed on, and cleared") for _ in range(carriers))) if mlp.units else ()
    return Mlp((Affine(reads, bias), Affine(writes, own)), mlp.activation, (names,) if names else ())
