"""The same model in a wider stream: more directions, which what was there neither reads nor writes."""

from dataclasses import replace

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Mlp


def taller(one: Affine, count: int) -> Affine:
    """A map that does not read some more directions."""
    return Affine(np.pad(one.weight, ((0, count), (0, 0))), one.bias)


def wider_mlp(mlp: Mlp, count: int) -> Mlp:
    """An MLP that leaves some more directions alone."""
    first, *between, last = mlp.maps
    end = Affine(np.pad(last.weight, ((0, 0), (0, count))), np.pad(last.bias, (0, count)))
    return replace(mlp, maps=(taller(first, count), *between, end))


def wider_block(block: Block, count: int) -> Block:
    """A layer that leaves some more directions alone."""
    heads = []
    for head in block.heads:
        assert isinstance(head, Head), "these models have heads of two arguments"
        query, key, value = (taller(one, count) for one in (head.query, head.key, head.value))
        output = np.pad(head.output, ((0, 0), (0, count)))
        heads.append(replace(head, query=query, key=key, value=value, output=output))
    assert block.mlp is None or isinstance(block.mlp, Mlp), "these models have ReLU units"
    mlp = None if block.mlp is None else wider_mlp(block.mlp, count)
    return replace(block, heads=tuple(heads), bias=np.pad(block.bias, (0, count)), mlp=mlp)


def wider_model(model: Model, names: tuple[str, ...]) -> Model:
    """A model with some more directions, at the end, in which nothing stands."""
    count = len(names)
    assert model.input_mlp is None or isinstance(model.input_mlp, Mlp), "these models have ReLU units"
    table = model.positions.table
    positions = replace(
        model.positions,
        weight=np.pad(model.positions.weight, ((0, 0), (0, count))),
        table=None if table is None else np.pad(table, ((0, 0), (0, count))),
    )
    return replace(
        model,
        embedding=np.pad(model.embedding, ((0, 0), (0, count))),
        positions=positions,
        blocks=tuple(wider_block(block, count) for block in model.blocks),
        readout=replace(model.readout, map=taller(model.readout.map, count)),
        names=(*model.names, *names),
        input_mlp=None if model.input_mlp is None else wider_mlp(model.input_mlp, count),
    )
