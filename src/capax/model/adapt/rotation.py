"""A model whose stream is rotated and whose names are gone: the same answers, and nothing to read off."""

from dataclasses import replace

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, AnyHead, AnyMlp, Array, Block, GatedMlp, Mlp, OracleMap, TensorHead
from capax.model.provenance import Provenance


def anonymous(model: Model, seed: int = 0) -> Model:
    """The same function with a stream turned by a random rotation, and no names, origins or provenance.

    A LayerNorm is no norm of a rotated stream, so a model that has norms is refused.
    """
    norms = [model.readout.norm, *(n for b in model.blocks for n in (b.attention_norm, b.mlp_norm))]
    if any(n is not None for n in norms):
        raise CapaxError("bad-model", "a norm does not turn with the stream: a model that has one is not rotated")
    turn = _rotation(model.width, seed)
    table = model.positions.table
    positions = replace(
        model.positions,
        weight=_turned(model.positions.weight, turn),
        table=None if table is None else _turned(table, turn),
    )
    return replace(
        model,
        names=tuple(f"d{k}" for k in range(model.width)),
        embedding=_turned(model.embedding, turn),
        positions=positions,
        input_mlp=_mlp(model.input_mlp, turn) if isinstance(model.input_mlp, Mlp) else model.input_mlp,
        blocks=tuple(_block(block, turn) for block in model.blocks),
        readout=replace(model.readout, map=_reading(model.readout.map, turn), names=()),
        provenance=Provenance(),
    )


def _rotation(width: int, seed: int) -> Array:
    """A random orthogonal matrix, drawn uniformly."""
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))
    return np.asarray(q * np.sign(np.diag(r)))


def _turned(rows: Array, turn: Array) -> Array:
    """Rows of the stream after the rotation, in the numbers of the model."""
    return np.asarray(rows @ turn, rows.dtype)


def _reading(map: Affine, turn: Array) -> Affine:
    """A map that reads the rotated stream."""
    return Affine((turn.T @ map.weight).astype(map.weight.dtype), map.bias)


def _mlp(mlp: Mlp, turn: Array) -> Mlp:
    last = mlp.maps[-1]
    writing = Affine(_turned(last.weight, turn), _turned(last.bias, turn))
    return replace(mlp, maps=(_reading(mlp.maps[0], turn), *mlp.maps[1:-1], writing), units=())


def _head(head: AnyHead, turn: Array) -> AnyHead:
    bare = {"output": _turned(head.output, turn), "name": "", "origin": None}
    names = (
        ("query", "key", "value") if not isinstance(head, TensorHead) else ("query", "key1", "key2", "value1", "value2")
    )
    maps = {name: _reading(getattr(head, name), turn) for name in names}
    return replace(head, **maps, **bare)  # type: ignore[arg-type]


def _block(block: Block, turn: Array) -> Block:
    mlp: AnyMlp | OracleMap | None = block.mlp
    if isinstance(mlp, Mlp):
        mlp = _mlp(mlp, turn)
    elif isinstance(mlp, GatedMlp):
        down = Affine(_turned(mlp.down.weight, turn), _turned(mlp.down.bias, turn))
        mlp = GatedMlp(_reading(mlp.gate, turn), _reading(mlp.up, turn), down)
    return replace(block, heads=tuple(_head(h, turn) for h in block.heads), bias=_turned(block.bias, turn), mlp=mlp)
