"""A model without directions of the position that are sums of others: (i - 1)^2 is i^2 - 2 i + 1.

Such a direction is 0 in every token's row and written by no block, so that at every position p of a word it holds what
the table of positions has there. If that is a_1 x_1 + ... + a_k x_k + b in every row, where the x are directions of the
same kind, then each map reads the sum instead. At a first token that stands before every word all of them are 0, the
sum too: b is taken away again by the direction that is 1 there alone.
"""

from dataclasses import replace

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp

FINEST = 4
"""Factors are multiples of a quarter."""
EXACT = 2.0**22
"""Sums of quarters below this are exact in float32, in any order."""


def without_summed_positions(model: Model, most: int, first: int) -> Model:
    """The model without directions of the position that are sums of others, at most so many.

    It has a table of positions, whose first row is that of the one token before every word, no norms and no input MLP;
    `first` is the direction that is 1 at that token and 0 elsewhere.
    """
    for _ in range(most):
        found = _sum(model)
        if found is None:
            return model
        direction, factors, constant = found
        reads = factors.copy()
        reads[first] -= constant
        model = _without(model, direction, reads, constant)
        first -= direction < first
    return model


def _sum(model: Model) -> tuple[int, Array, float] | None:
    """A direction that is a sum: its number, the factors of all others, and what is added; None if there is none."""
    table = model.positions.table
    assert table is not None
    rows = np.asarray(table, np.float64)
    free = [c for c in range(model.width) if not model.embedding[:, c].any() and not _written(model, c)]
    used = [c for c in free if rows[1:, c].any()]
    if rows[0].any() or len(rows) < 3:
        return None
    for direction in reversed(used):
        others = [c for c in used if c != direction]
        known = np.concatenate([rows[1:, others], np.ones((len(rows) - 1, 1))], axis=1)
        solved = np.linalg.lstsq(known, rows[1:, direction], rcond=None)[0]
        factors = np.round(solved * FINEST) / FINEST
        small = float((np.abs(known) @ np.abs(factors)).max()) < EXACT
        if small and np.array_equal(known @ factors, rows[1:, direction]):
            whole: Array = np.zeros(model.width)
            whole[others] = factors[:-1]
            return direction, whole, float(factors[-1])
    return None


def _written(model: Model, direction: int) -> bool:
    """Whether a block writes a direction."""
    for block in model.blocks:
        outputs = [head.output for head in block.heads if isinstance(head, Head)]
        if isinstance(block.mlp, Mlp):
            outputs += [block.mlp.maps[-1].weight, block.mlp.maps[-1].bias[None]]
        if block.bias[direction] or any(output[:, direction].any() for output in outputs):
            return True
    return False


def _without(model: Model, direction: int, factors: Array, constant: float) -> Model:
    """The model without a direction: what read it reads others with these factors, and a constant."""

    def reading(map: Affine) -> Affine:
        own = np.asarray(map.weight[direction], np.float64)
        weight = np.asarray(map.weight, np.float64) + np.outer(factors, own)
        bias = np.asarray(map.bias, np.float64) + constant * own
        return Affine(np.delete(weight, direction, 0).astype(map.weight.dtype), bias.astype(map.bias.dtype))

    def writing(map: Affine) -> Affine:
        return Affine(np.delete(map.weight, direction, 1), np.delete(map.bias, direction))

    def head_of(head: Head) -> Head:
        query, key, value = (reading(map) for map in (head.query, head.key, head.value))
        return replace(head, query=query, key=key, value=value, output=np.delete(head.output, direction, 1))

    def block_of(block: Block) -> Block:
        heads = tuple(head_of(head) for head in block.heads if isinstance(head, Head))
        mlp = block.mlp
        if isinstance(mlp, Mlp):
            mlp = replace(mlp, maps=(reading(mlp.maps[0]), *mlp.maps[1:-1], writing(mlp.maps[-1])))
        return replace(block, heads=heads, mlp=mlp, bias=np.delete(block.bias, direction))

    table, weight = model.positions.table, model.positions.weight
    assert table is not None
    return replace(
        model,
        names=tuple(name for number, name in enumerate(model.names) if number != direction),
        embedding=np.delete(model.embedding, direction, 1),
        positions=replace(
            model.positions, weight=np.delete(weight, direction, 1), table=np.delete(table, direction, 1)
        ),
        blocks=tuple(block_of(block) for block in model.blocks),
        readout=replace(model.readout, map=reading(model.readout.map)),
    )
