"""A trained transformer as a `Model`, and a `Model` of that shape as a network again."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from capax.errors import CapaxError
from capax.lab.data import BOS, Data
from capax.lab.settings import Settings
from capax.lab.train.from_compiled import CompiledNet
from capax.lab.train.make import Net, make_net
from capax.lab.train.sublayers import Attention, FeedForward, TripleAttention
from capax.lab.train.transformer import TransformerNet, frequencies
from capax.model.model import Model
from capax.model.parts import Affine, AnyHead, Array, Block, Head, Mask, Mlp, Norm, Readout, TensorHead
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary


def refused(settings: Settings) -> str | None:
    """Why a network of these settings cannot be a `Model`, or None."""
    if settings.net != "transformer":
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
    assert isinstance(net, TransformerNet)
    data, width = Data(settings), settings.width
    return Model(
        vocabulary=Vocabulary(data.vocabularies.inputs),
        embedding=_plain(net.embedding.weight),
        positions=_positions(net, settings),
        blocks=_blocks(net, settings),
        readout=Readout(_affine(net.readout), _norm(net.last_norm)),
        decoding=Classes(data.vocabularies.outputs),
        names=tuple(f"d{k}" for k in range(width)),
        numbers="float32",
        max_length=net.shape.positions - settings.has_bos if net.table is not None else None,
        prefix=(BOS,) if settings.has_bos else (),
        norm_place="after" if settings.norm == "post" else "before",
        provenance=Provenance(settings=settings.to_json(), measured=measured),
    )


def _plain(tensor: Any) -> Array:
    return np.array(tensor.detach().cpu().numpy(), dtype=np.float32)


def _positions(net: TransformerNet, settings: Settings) -> Positions:
    width = settings.width
    if net.table is not None:
        return Positions((), np.zeros((0, width), np.float32), _plain(net.table))
    if settings.positions == "none":
        return Positions((), np.zeros((0, width), np.float32))
    names = [f"{wave}(i*{w!r})" for w in frequencies(width) for wave in ("sin", "cos")][:width]
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
            mlp, mlp_norm = Mlp((_affine(part.up), _affine(part.down))), _norm(net.norms[at])
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


def from_model(model: Model, settings: Settings) -> TransformerNet:
    """The network of settings with the weights of a model that has their shape; of another shape it is an error."""
    check_holds(settings)
    net = make_net(settings)
    assert isinstance(net, TransformerNet)
    try:
        with torch.no_grad():
            _fill(net, model, settings)
    except (RuntimeError, ValueError, IndexError, AttributeError) as error:
        what = f"the model does not have the shape of the settings: {error!s:.200}"
        raise CapaxError("bad-model", what, hint="give the settings that the model was trained with") from None
    there = {name: array.shape for name, array in to_model(net, settings).arrays()}
    if there != {name: array.shape for name, array in model.arrays()}:
        what = "the model does not have the shape of the settings: it has other parts"
        raise CapaxError("bad-model", what, hint="give the settings that the model was trained with")
    return net


def _fill(net: TransformerNet, model: Model, settings: Settings) -> None:
    parts = _sublayer_parts(model)
    if [kind for kind, _, _ in parts] != list(settings.sublayers):
        raise ValueError(f"its sublayers are {''.join(kind for kind, _, _ in parts) or 'none'}")
    _set(net.embedding.weight, model.embedding)
    if net.table is not None:
        _set(net.table, model.positions.table)
    for (kind, part, norm), sublayer, own in zip(parts, net.sublayers, net.norms, strict=True):
        if kind == "f":
            assert isinstance(sublayer, FeedForward)
            _set_affine(sublayer.up, part.maps[0])
            _set_affine(sublayer.down, part.maps[1])
        else:
            assert isinstance(sublayer, Attention | TripleAttention)
            _set_heads(sublayer, part)
        _set_norm(own, norm)
    _set_norm(net.last_norm, model.readout.norm)
    _set_affine(net.readout, model.readout.map)


def _sublayer_parts(model: Model) -> list[tuple[str, Any, Norm | None]]:
    parts: list[tuple[str, Any, Norm | None]] = []
    for block in model.blocks:
        if block.heads:
            parts.append(("s", block, block.attention_norm))
        if block.mlp is not None:
            parts.append(("f", block.mlp, block.mlp_norm))
    return parts


def _set_heads(sublayer: Attention | TripleAttention, block: Block) -> None:
    names = (
        ("query", "key1", "key2", "value1", "value2")
        if isinstance(sublayer, TripleAttention)
        else ("query", "key", "value")
    )
    maps = [[getattr(head, name) for head in block.heads] for name in names]
    _set(sublayer.read.weight, np.concatenate([one.weight.T for row in maps for one in row]))
    _set(sublayer.read.bias, np.concatenate([one.bias for row in maps for one in row]))
    _set(sublayer.write.weight, np.concatenate([head.output for head in block.heads]).T)
    _set(sublayer.write.bias, block.bias)


def _set(parameter: Any, value: Any) -> None:
    tensor = torch.from_numpy(np.array(value, dtype=np.float32))
    if tensor.shape != parameter.shape:
        raise ValueError(f"weights of the shape {tuple(tensor.shape)} where {tuple(parameter.shape)} is expected")
    parameter.copy_(tensor)


def _set_affine(linear: Any, value: Affine) -> None:
    _set(linear.weight, value.weight.T)
    _set(linear.bias, value.bias)


def _set_norm(own: nn.Module, norm: Norm | None) -> None:
    if isinstance(own, nn.LayerNorm) != (norm is not None):
        raise ValueError("its norms stand elsewhere")
    if isinstance(own, nn.LayerNorm) and norm is not None:
        _set(own.weight, norm.gain)
        _set(own.bias, norm.bias)
