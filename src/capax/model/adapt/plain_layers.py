"""Positions as a table, an input MLP as a layer, deep MLPs as several layers: the same numbers in a plainer form.

A stage of a deep MLP passes numbers to the next one through directions of the stream.

Lemma (clearing). The directions are 0 before a stage writes to them, so the numbers arrive as they were computed. The
next stage carries each number x by units of their own, relu(x) and, where x may be negative, relu(-x), and takes it
away: x - relu(x) + relu(-x) is exactly 0, so the directions are 0 again.

The units themselves can be passed on: nothing is rounded then that was not before. But the units of the next stage are
often relu(y - k) for many k and one y. Where there are fewer such sums than units, the sums are passed on: each is
rounded once more than before, as if it were added up in another order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.model.adapt.cleared_slots import without_clears
from capax.model.adapt.widen import widened
from capax.model.arithmetic.select import arithmetic
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Mlp, Origin
from capax.model.positions import Positions
from capax.model.provenance import HeadClaim
from capax.model.run.forward import embed


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


def with_layers(model: Model) -> Layered:
    """The model with the input MLP as a first layer, and a layer more for each further stage of an MLP."""
    blocks = list(model.blocks)
    if model.input_mlp is not None:
        blocks.insert(0, Block((), np.zeros(model.width, model.embedding.dtype), model.input_mlp))
    for_input = len(blocks) - len(model.blocks)
    claims = _head_claims(model, blocks)
    odd, even = _link_sizes(blocks)
    names = [f"between stages {i}" for i in range(odd + even)]
    model = widened(replace(model, input_mlp=None, blocks=tuple(blocks)), names)
    start = model.width - odd - even
    pools = range(start, start + odd), range(start + odd, model.width)
    new: list[Block] = []
    hints: list[tuple[HeadClaim, ...]] = []
    for block, hint in zip(model.blocks, claims, strict=True):
        parts = _split(block, pools)
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


def _link_sizes(blocks: Sequence[Block]) -> tuple[int, int]:
    """How many directions the links need: those from first, third, ... stages, and those from the others."""
    most = [0, 0]
    for block in blocks:
        if isinstance(block.mlp, Mlp):
            for number, link in enumerate(stage_links(without_clears(block.mlp).mlp)):
                most[number % 2] = max(most[number % 2], link.count)
    return most[0], most[1]


def _split(block: Block, pools: tuple[range, range]) -> list[Block]:
    """A block for every stage of the MLP."""
    if not isinstance(block.mlp, Mlp) or block.mlp.depth == 1:
        return [block]
    cleared, none = without_clears(block.mlp), np.zeros_like(block.bias)
    mlp = cleared.mlp
    links = [None, *stage_links(mlp), None]
    layers = []
    for stage in range(mlp.depth):
        before, after = pools[(stage - 1) % 2], pools[stage % 2]
        part = _stage(mlp, stage, (links[stage], before), (links[stage + 1], after))
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


def _stage(mlp: Mlp, stage: int, before: tuple[StageLink | None, range], after: tuple[StageLink | None, range]) -> Mlp:
    """One stage as an MLP: reads the stream or the link before it; writes the stream or the link after it."""
    here, last = mlp.maps[stage], mlp.maps[-1]
    (incoming, source), (outgoing, goal) = before, after
    carriers = 0 if incoming is None else incoming.carriers
    d, units = last.outputs, here.outputs
    reads: Array = np.zeros((d, units + carriers), here.weight.dtype)
    bias: Array = np.zeros(units + carriers, here.weight.dtype)
    bias[:units] = here.bias
    writes: Array = np.zeros((units + carriers, d), here.weight.dtype)
    own: Array = np.zeros(d, here.weight.dtype)
    if incoming is None:
        reads[:, :units] = here.weight
    else:
        slots = list(source[: incoming.count])
        reads[slots, :units] = incoming.read
        for number, (slot, sign) in enumerate((slot, sign) for sign in incoming.signs for slot in slots):
            reads[slot, units + number], writes[units + number, slot] = sign, -sign
    if outgoing is None:
        writes[:units] += last.weight
        own[:] = last.bias
    else:
        writes[:units, list(goal[: outgoing.count])] = outgoing.write
    names = (*mlp.units[stage], *(Origin("handed on, and cleared") for _ in range(carriers))) if mlp.units else ()
    return Mlp((Affine(reads, bias), Affine(writes, own)), mlp.activation, (names,) if names else ())
