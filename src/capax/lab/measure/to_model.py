"""A trained transformer as a `Model`, and a `Model` of that shape as a network again."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
from torch import nn

from capax.errors import CapaxError
from capax.lab.data import BOS, Data
from capax.lab.settings import INTEGER_LAYER, ONE_ROUND, Settings
from capax.lab.train.from_compiled import CompiledNet
from capax.lab.train.integer_layer import IntegerLayerNet, layout_of
from capax.lab.train.make import Net
from capax.lab.train.network_sublayers import TripleAttention
from capax.lab.train.transformer import TransformerNet, frequencies
from capax.model.loop import ModelLoop
from capax.model.model import Model
from capax.model.parts import Affine, AnyHead, Array, Block, Head, Mask, Mlp, Norm, Readout, TensorHead
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary
from capax.notation.rounds import Rounds


def refused(settings: Settings) -> str | None:
    """Why a network of these settings cannot be a `Model`, or None."""
    if settings.net not in ("transformer", INTEGER_LAYER):
        return f"a model is a transformer, and the net is of kind {settings.net}"
    if settings.training.kind == "vectors":
        return f"a model reads tokens, and the words of {settings.task} are vectors"
    return None


def check_holds(settings: Settings) -> None:
    """Raises an error when a network of these settings cannot be a `Model`."""
    reason = refused(settings)
    if reason is not None:
        raise CapaxError("bad-model", f"this network cannot be saved as a model: {reason}", hint="leave -o out")


def to_model(net: Net, settings: Settings, measured: Mapping[str, float] | None = None) -> Model:
    """The network as a model with the same answers. Shared weights are written out for every layer that has them.

    A BOS token becomes the model's prefix; an EOS token has to be in the words that it reads.
    """
    check_holds(settings)
    if isinstance(net, CompiledNet):
        model = Model.from_torch(net.module)
        return replace(model, provenance=replace(model.provenance, settings=settings.to_json(), measured=measured))
    data, width = Data(settings), settings.width
    if isinstance(net, IntegerLayerNet):
        provenance = Provenance(
            settings=settings.to_json(), measured=measured, read="last", layout=layout_of(settings) or None
        )
        return net.to_model(data.vocabularies.inputs, data.vocabularies.outputs, provenance)
    assert isinstance(net, TransformerNet)
    blocks = _blocks(net, settings)
    return Model(
        vocabulary=Vocabulary(data.vocabularies.inputs),
        embedding=_plain(net.embedding.weight),
        positions=_positions(net, settings),
        blocks=blocks,
        loop=None if settings.rounds == ONE_ROUND else ModelLoop(0, len(blocks), cast(Rounds, settings.rounds)),
        readout=Readout(_affine(net.readout), _norm(net.last_norm)),
        decoding=Classes(data.vocabularies.outputs),
        names=tuple(f"d{k}" for k in range(width)),
        numbers="float32",
        max_length=net.shape.positions - settings.has_bos if net.table is not None else None,
        prefix=(BOS,) if settings.has_bos else (),
        norm_place="after" if settings.norm == "post" else "before",
        provenance=Provenance(settings=settings.to_json(), measured=measured, read=_read(settings)),
    )


def _read(settings: Settings) -> str | None:
    """Where the one answer of a word is read; None where there are several, or where a mark follows the word."""
    return "last" if settings.training.read == "last" and not settings.has_eos else None


def _plain(tensor: Any) -> Array:
    return np.array(tensor.detach().cpu().numpy(), dtype=np.float32)


def _positions(net: TransformerNet, settings: Settings) -> Positions:
    width = settings.width
    if net.table is not None:
        return Positions((), np.zeros((0, width), np.float32), _plain(net.table))
    if settings.positions == "none":
        return Positions((), np.zeros((0, width), np.float32))
    names = [f"{wave}(i*{w!r})" for w in frequencies(width, settings.wave_base) for wave in ("sin", "cos")][:width]
    return Positions(tuple(names), np.eye(width, dtype=np.float32))


def _affine(linear: Any) -> Affine:
    return Affine(_plain(linear.weight).T, _plain(linear.bias))


def _norm(norm: nn.Module) -> Norm | None:
    if not isinstance(norm, nn.LayerNorm):
        return None
    return Norm("layer", _plain(norm.weight), _plain(norm.bias), norm.eps)


def _blocks(net: TransformerNet, settings: Settings) -> tuple[Block, ...]:
    """Each attention sublayer with the feed-forward sublayer that follows it, if one does."""
    order, blocks, at = settings.sublayers, [], 0
    while at < len(order):
        heads: tuple[AnyHead, ...] = ()
        bias = np.zeros(settings.width, np.float32)
        attention_norm = mlp_norm = mlp = None
        if order[at] == "s":
            heads, bias = _heads(net.sublayers[at], settings)
            attention_norm = _norm(net.norms[at])
            at += 1
        if at < len(order) and order[at] == "f":
            part: Any = net.sublayers[at]
            mlp = Mlp((_affine(part.up), _affine(part.down)), activation=part.activation)
            mlp_norm = _norm(net.norms[at])
            at += 1
        blocks.append(Block(heads, bias, mlp, attention_norm, mlp_norm))
    return tuple(blocks)


def _heads(part: Any, settings: Settings) -> tuple[tuple[AnyHead, ...], Array]:
    width, size = settings.width, settings.width // settings.heads
    maps = 5 if isinstance(part, TripleAttention) else 3
    weight = _plain(part.read.weight).reshape(maps, settings.heads, size, width)
    bias = _plain(part.read.bias).reshape(maps, settings.heads, size)
    out = _plain(part.write.weight).T.reshape(settings.heads, size, width)
    mask: Mask = "causal" if settings.mask == "causal" else "none"
    scale = 1 / math.sqrt(size)
    heads: list[AnyHead] = []
    for h in range(settings.heads):
        read = [Affine(weight[m, h].T, bias[m, h]) for m in range(maps)]
        if maps == 5:
            query, key1, key2, value1, value2 = read
            heads.append(TensorHead(query, key1, key2, value1, value2, out[h], mask=mask, scale=scale))
        else:
            query, key, value = read
            heads.append(Head(query, key, value, out[h], mask=mask, scale=scale))
    return tuple(heads), _plain(part.write.bias)
