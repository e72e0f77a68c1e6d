"""A model with more directions in its stream, which nothing writes and nothing reads."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp


def widened(model: Model, names: Sequence[str]) -> Model:
    """The same model with further directions of these names, which stay 0; models with norms or pairs are refused."""
    more = len(names)
    if not more:
        return model
    norms = [model.readout.norm, *(n for b in model.blocks for n in (b.attention_norm, b.mlp_norm))]
    if any(n is not None for n in norms):
        raise CapaxError("bad-model", "a norm mixes all directions: a model that has one cannot be widened")
    table = model.positions.table
    positions = replace(
        model.positions,
        weight=_columns(model.positions.weight, more),
        table=None if table is None else _columns(table, more),
    )
    return replace(
        model,
        names=(*model.names, *names),
        embedding=_columns(model.embedding, more),
        positions=positions,
        input_mlp=_mlp(model.input_mlp, more) if isinstance(model.input_mlp, Mlp) else model.input_mlp,
        blocks=tuple(_block(block, more) for block in model.blocks),
        readout=replace(model.readout, map=_reading(model.readout.map, more)),
    )


def _columns(array: Array, more: int) -> Array:
    return np.concatenate([array, np.zeros((len(array), more), array.dtype)], axis=1)


def _reading(map: Affine, more: int) -> Affine:
    """A map that reads the stream."""
    return Affine(np.concatenate([map.weight, np.zeros((more, map.outputs), map.weight.dtype)]), map.bias)


def _writing(map: Affine, more: int) -> Affine:
    """A map that writes the stream."""
    return Affine(_columns(map.weight, more), np.concatenate([map.bias, np.zeros(more, map.bias.dtype)]))


def _mlp(mlp: Mlp, more: int) -> Mlp:
    return replace(mlp, maps=(_reading(mlp.maps[0], more), *mlp.maps[1:-1], _writing(mlp.maps[-1], more)))


def _block(block: Block, more: int) -> Block:
    heads = []
    for head in block.heads:
        if not isinstance(head, Head):
            raise CapaxError("bad-model", "a model with third-order heads is not widened")
        query, key, value = (_reading(map, more) for map in (head.query, head.key, head.value))
        heads.append(replace(head, query=query, key=key, value=value, output=_columns(head.output, more)))
    bias = np.concatenate([block.bias, np.zeros(more, block.bias.dtype)])
    mlp = _mlp(block.mlp, more) if isinstance(block.mlp, Mlp) else block.mlp
    return replace(block, heads=tuple(heads), bias=bias, mlp=mlp)
