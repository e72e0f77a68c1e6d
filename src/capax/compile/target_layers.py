"""Positions as a table, an input MLP as a layer, deep MLPs as several layers: the same numbers in a plainer form.

Lemma (handing on). A hidden unit is at least 0. A stage that hands its units on writes them into directions that are 0,
so they arrive as they are; the next stage carries them by units of their own, relu(x) = x, and takes them away, so the
directions are exactly 0 again. So nothing is rounded that was not before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.model.arithmetic.select import arithmetic
from capax.model.forward import embed
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Mlp, Origin
from capax.model.positions import Positions
from capax.model.widen import widened


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
    said = _said(model, blocks)
    handed = _most_handed(blocks)
    model = widened(replace(model, input_mlp=None, blocks=tuple(blocks)), _names(handed))
    pools = _pools(model.width, handed)
    new: list[Block] = []
    hints: list[Any] = []
    for block, hint in zip(model.blocks, said, strict=True):
        parts = _split(block, pools)
        new += parts
        hints += [hint, *([] for _ in parts[1:])]
    facts = {**model.facts, "heads": hints} if "heads" in model.facts else model.facts
    return Layered(replace(model, blocks=tuple(new), facts=facts), for_input, len(new) - len(blocks))


def _said(model: Model, blocks: Sequence[Block]) -> list[Any]:
    """What the file says of the heads of each block; of a block that was put before them, nothing."""
    found = model.facts.get("heads")
    known = list(found) if isinstance(found, (list, tuple)) and len(found) == len(model.blocks) else None
    return [[] for _ in blocks] if known is None else [*([] for _ in range(len(blocks) - len(known))), *known]


def _most_handed(blocks: Sequence[Block]) -> tuple[int, int]:
    """How many directions the first stages of MLPs, and the second ones, and so on in turn, need to hand on."""
    most = [0, 0]
    for block in blocks:
        if isinstance(block.mlp, Mlp):
            for number, stage in enumerate(block.mlp.maps[:-2]):
                most[number % 2] = max(most[number % 2], stage.outputs)
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
    made = []
    for stage in range(mlp.depth):
        before = None if stage == 0 else pools[(stage - 1) % 2][: mlp.maps[stage].inputs]
        after = None if stage == mlp.depth - 1 else pools[stage % 2][: mlp.maps[stage].outputs]
        part = _stage(mlp, stage, before, after)
        made.append(Block(block.heads, block.bias, part, block.attention_norm) if stage == 0 else Block((), none, part))
    return made


def _stage(mlp: Mlp, stage: int, before: range | None, after: range | None) -> Mlp:
    """One stage as an MLP: reads the stream or the directions `before`, writes the stream or those `after`."""
    here, last = mlp.maps[stage], mlp.maps[-1]
    d, units, carried = last.outputs, here.outputs, len(before or ())
    reads: Array = np.zeros((d, units + carried), here.weight.dtype)
    bias: Array = np.zeros(units + carried, here.weight.dtype)
    bias[:units] = here.bias
    writes: Array = np.zeros((units + carried, d), here.weight.dtype)
    own: Array = np.zeros(d, here.weight.dtype)
    if before is None:
        reads[:, :units] = here.weight
    else:
        reads[list(before), :units] = here.weight
        reads[list(before), range(units, units + carried)] = 1
        writes[range(units, units + carried), list(before)] = -1
    if after is None:
        writes[:units] += last.weight
        own[:] = last.bias
    else:
        writes[range(units), list(after)] = 1
    names = (*mlp.units[stage], *(Origin("handed on, and cleared") for _ in range(carried))) if mlp.units else ()
    return Mlp((Affine(reads, bias), Affine(writes, own)), mlp.activation, (names,) if names else ())
