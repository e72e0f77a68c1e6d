"""Positions as a table, an input MLP as a layer, deep MLPs as several layers: the same numbers in a plainer form.

What a stage hands on to the next, and how few directions that takes, is in `capax.model.adapt.carry`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.model.adapt.carry import Handed, handed_on
from capax.model.adapt.widen import widened
from capax.model.arithmetic.select import arithmetic
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Mlp, Origin
from capax.model.positions import Positions
from capax.model.provenance import HeadClaim
from capax.model.run.forward import embed


def with_table(model: Model) -> Model:
    """The model with a row of a table for every place, and no position functions."""
    if not model.positions.functions and model.positions.table is not None:
        return model
    assert model.max_length is not None
    places = model.max_length + len(model.prefix)
    trace: dict[str, Any] = {}
    embed(model, arithmetic(model.numbers), np.zeros((1, places), np.int64), trace)
    table = np.broadcast_to(trace["pos_embed"], (places, model.width)).astype(model.numbers)
    return replace(model, positions=Positions((), np.zeros((0, model.width), model.numbers), table))


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
        blocks.insert(0, Block((), np.zeros(model.width, model.numbers), model.input_mlp))
    for_input = len(blocks) - len(model.blocks)
    claims = _head_claims(model, blocks)
    handed = _most_handed(blocks)
    model = widened(replace(model, input_mlp=None, blocks=tuple(blocks)), _names(handed))
    pools = _pools(model.width, handed)
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


def _most_handed(blocks: Sequence[Block]) -> tuple[int, int]:
    """How many directions the first stages of MLPs, and the second ones, and so on in turn, need to hand on."""
    most = [0, 0]
    for block in blocks:
        if isinstance(block.mlp, Mlp):
            for number, handed in enumerate(handed_on(block.mlp)):
                most[number % 2] = max(most[number % 2], handed.count)
    return most[0], most[1]


def _names(handed: tuple[int, int]) -> list[str]:
    return [f"between stages {i}" for i in range(sum(handed))]


def _pools(width: int, handed: tuple[int, int]) -> tuple[range, range]:
    first = width - sum(handed)
    return range(first, first + handed[0]), range(first + handed[0], width)


def _split(block: Block, pools: tuple[range, range]) -> list[Block]:
    """A block for every stage of the MLP."""
    if not isinstance(block.mlp, Mlp) or block.mlp.depth == 1:
        return [block]
    mlp, none = block.mlp, np.zeros_like(block.bias)
    handed = [None, *handed_on(mlp), None]
    made = []
    for stage in range(mlp.depth):
        before, after = pools[(stage - 1) % 2], pools[stage % 2]
        part = _stage(mlp, stage, (handed[stage], before), (handed[stage + 1], after))
        made.append(Block(block.heads, block.bias, part, block.attention_norm) if stage == 0 else Block((), none, part))
    return made


def _stage(mlp: Mlp, stage: int, before: tuple[Handed | None, range], after: tuple[Handed | None, range]) -> Mlp:
    """One stage as an MLP: reads the stream, or what was handed on to it; writes the stream, or hands on."""
    here, last = mlp.maps[stage], mlp.maps[-1]
    (given, source), (handed, goal) = before, after
    carried = 0 if given is None else given.carriers
    d, units = last.outputs, here.outputs
    reads: Array = np.zeros((d, units + carried), here.weight.dtype)
    bias: Array = np.zeros(units + carried, here.weight.dtype)
    bias[:units] = here.bias
    writes: Array = np.zeros((units + carried, d), here.weight.dtype)
    own: Array = np.zeros(d, here.weight.dtype)
    if given is None:
        reads[:, :units] = here.weight
    else:
        slots = list(source[: given.count])
        reads[slots, :units] = given.read
        for number, (slot, sign) in enumerate((slot, sign) for sign in given.signs for slot in slots):
            reads[slot, units + number], writes[units + number, slot] = sign, -sign
    if handed is None:
        writes[:units] += last.weight
        own[:] = last.bias
    else:
        writes[:units, list(goal[: handed.count])] = handed.write
    names = (*mlp.units[stage], *(Origin("handed on, and cleared") for _ in range(carried))) if mlp.units else ()
    return Mlp((Affine(reads, bias), Affine(writes, own)), mlp.activation, (names,) if names else ())
