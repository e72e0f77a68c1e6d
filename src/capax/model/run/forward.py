"""One pass of a batch of words of one length through a model."""

from typing import TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.interface import Arithmetic
from capax.model.loop import block_order
from capax.model.model import Model
from capax.model.parts import Affine, AnyMlp, Array, Block, GatedMlp, Mlp, Norm, OracleMap
from capax.model.run.attention import attend, record_for
from capax.model.run.packed import HeadGroup, Packed, Pairing, packed
from capax.model.run.third_order import PairRecord, attend_pairs
from capax.model.run.trace import TracedHeads
from capax.model.validate import require

Trace: TypeAlias = dict[str, Array] | None
"""Where activations are put by name, if anywhere."""


def widest(model: Model) -> int:
    """The number of columns of the widest activation."""
    widths = [model.width, model.readout.map.outputs]
    for mlp in (model.input_mlp, *(block.mlp for block in model.blocks)):
        widths += [m.outputs for m in mlp.maps] if isinstance(mlp, Mlp) else []
        widths += [2 * mlp.up.outputs] if isinstance(mlp, GatedMlp) else []
    widths += [sum(3 * h.query.outputs + 2 * h.output.shape[0] for h in block.heads) for block in model.blocks]
    return max(widths)


def forward(model: Model, a: Arithmetic, ids: Array, trace: Trace = None) -> Array:
    """The logits (batch, n, outputs) of token rows (batch, n), as ordinary numbers."""
    x = embed(model, a, ids, trace)
    if model.input_mlp is not None:
        x = a.add(x, apply_mlp(model.input_mlp, a, x, "input_mlp", trace))
    for name, block in block_order(model, ids.shape[1] - len(model.prefix)):
        x = _run_block(model, block, a, x, name, trace)
    result = a.real(read_out(model, a, x, trace))
    if trace is not None:
        trace["resid_post"] = a.real(x)
        trace["logits"] = result
    return result


def embed(model: Model, a: Arithmetic, ids: Array, trace: Trace = None, start: int = 0) -> Array:
    """The embedded tokens (batch, n, d) of rows whose first token is at position `start`."""
    stop = start + ids.shape[1]
    positions = model.positions
    x = a.weights(model.embedding, "the embedding")[ids]
    added: Array | None = None
    if positions.functions:
        values = a.outside(positions.values(stop, start))
        added = a.affine(values, a.weights(positions.weight, "the positions"), None)
    if positions.table is not None:
        if stop > len(positions.table):
            raise CapaxError(
                "word-length",
                f"the model has rows for {len(positions.table)} positions, and the word asks for {stop}",
                hint="give a shorter word",
            )
        table = a.weights(positions.table, "the positions")[start:stop]
        added = table if added is None else a.add(added, table)
    if trace is not None:
        trace["embed"] = a.real(x)
        trace["pos_embed"] = a.real(np.zeros(x.shape[1:], a.dtype) if added is None else added)
    return a.keep(x) if added is None else a.add(x, added)


def read_out(model: Model, a: Arithmetic, x: Array, trace: Trace = None) -> Array:
    """The logits of streams, as numbers of the system."""
    if model.readout.norm is not None:
        x = a.norm(model.readout.norm, x)
        if trace is not None:
            trace["readout.norm"] = a.real(x)
    return affine(a, model.readout.map, x)


MOST_UNITS = 1 << 24
"""The values of hidden units that are held at once."""


def affine(a: Arithmetic, map: Affine, x: Array) -> Array:
    """The rows after an affine map."""
    return a.affine(x, a.weights(map.weight, "a map's weight"), a.weights(map.bias, "a map's bias"))


def _run_block(model: Model, block: Block, a: Arithmetic, x: Array, name: str, trace: Trace) -> Array:
    """The stream after a layer."""
    if trace is not None:
        trace[f"{name}.resid_pre"] = a.real(x)
    before = model.norm_place == "before"
    inside = x
    if block.attention_norm is not None and before:
        inside = normed(a, block.attention_norm, x, f"{name}.attn.norm", trace)
    out = _heads(block, a, inside, f"{name}.attn", trace)
    x = a.add(x, out)
    if block.attention_norm is not None and not before:
        x = normed(a, block.attention_norm, x, f"{name}.attn.norm", trace)
    if trace is not None:
        trace[f"{name}.attn.out"] = a.real(out)
        trace[f"{name}.resid_mid"] = a.real(x)
    x = mlp_sublayer(model, block, a, x, name, trace)
    if trace is not None:
        trace[f"{name}.resid_post"] = a.real(x)
    return x


def mlp_sublayer(model: Model, block: Block, a: Arithmetic, x: Array, name: str = "", trace: Trace = None) -> Array:
    """The stream after a layer's MLP and its norm."""
    inside = x
    if block.mlp_norm is not None and block.mlp is not None and model.norm_place == "before":
        inside = normed(a, block.mlp_norm, x, f"{name}.mlp.norm", trace)
    if block.mlp is not None:
        x = a.add(x, apply_mlp(block.mlp, a, inside, f"{name}.mlp", trace))
    if block.mlp_norm is not None and model.norm_place == "after":
        x = normed(a, block.mlp_norm, x, f"{name}.mlp.norm", trace)
    return x


def normed(a: Arithmetic, norm: Norm, x: Array, name: str = "", trace: Trace = None) -> Array:
    """The streams after a norm."""
    y = a.norm(norm, x)
    if trace is not None:
        trace[name] = a.real(y)
    return y


def apply_mlp(mlp: AnyMlp | OracleMap, a: Arithmetic, x: Array, name: str = "", trace: Trace = None) -> Array:
    """What an MLP adds to the stream; some positions at a time where all at once would take much memory."""
    if isinstance(mlp, Mlp) and trace is None:
        widest = max(stage.outputs for stage in mlp.maps) * x.shape[0]
        step = max(1, MOST_UNITS // widest)
        if step < x.shape[1]:
            parts = [x[:, start : start + step] for start in range(0, x.shape[1], step)]
            return np.concatenate([apply_mlp(mlp, a, part) for part in parts], axis=1)
    if isinstance(mlp, OracleMap):
        shape = x.shape
        x = a.oracle(mlp.function, x)
        require(x.shape == shape, f"the map {mlp.name!r:.60} makes {x.shape} of an array of shape {shape}")
    elif isinstance(mlp, GatedMlp):
        gate, up = affine(a, mlp.gate, x), affine(a, mlp.up, x)
        hidden = a.outside(silu(a.real(gate)) * a.real(up))
        if trace is not None:
            trace[f"{name}.gate"], trace[f"{name}.pre.0"] = a.real(gate), a.real(up)
            trace[f"{name}.post.0"] = a.real(hidden)
        x = affine(a, mlp.down, hidden)
    else:
        for number, stage in enumerate(mlp.maps[:-1]):
            x = affine(a, stage, x)
            if trace is not None:
                trace[f"{name}.pre.{number}"] = a.real(x.copy())
            x = a.activate(x, mlp.activation)
            if trace is not None:
                trace[f"{name}.post.{number}"] = a.real(x)
        x = affine(a, mlp.maps[-1], x)
    if trace is not None:
        trace[f"{name}.out"] = a.real(x)
    return x


def _heads(block: Block, a: Arithmetic, x: Array, name: str, trace: Trace) -> Array:
    """What the heads of a layer and its bias add to the stream."""
    heads = packed(block, a)
    z = np.empty((*x.shape[:-1], heads.output.shape[0]), a.dtype)
    notes = None if trace is None or not block.heads else TracedHeads(a, len(block.heads))
    if block.heads:
        projected = a.affine(x, heads.weight, heads.bias)
        for group in heads.groups:
            _group(group, a, projected, z, notes)
        _pairings(heads, a, projected, z, name, trace, notes)
    if notes is not None and trace is not None:
        notes.write(name, trace)
    return a.affine(z, heads.output, heads.own_bias)


def _split(columns: Array, start: int, heads: int, size: int) -> Array:
    """Columns of (batch, n, columns) as (batch, head, n, size), without a copy."""
    part = columns[..., start : start + heads * size]
    return part.reshape(*part.shape[:2], heads, size).transpose(0, 2, 1, 3)


def silu(x: Array) -> Array:
    """x / (1 + exp(-x)), in float64."""
    fine = x.astype(np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(fine / (1 + np.exp(-fine)))


def turned(a: Arithmetic, frequencies: Array, x: Array, start: int) -> Array:
    """Queries or keys (..., n, k) of rotary heads, the first of them at position `start`."""
    half = x.shape[-1] // 2
    angles = np.arange(start, start + x.shape[-2])[:, None] * frequencies.astype(np.float64)
    cos, sin, fine = np.cos(angles), np.sin(angles), a.real(x).astype(np.float64)
    one, two = fine[..., :half], fine[..., half:]
    return a.outside(np.concatenate([one * cos - two * sin, two * cos + one * sin], axis=-1))


def group_parts(group: HeadGroup, a: Arithmetic, projected: Array, start: int = 0) -> tuple[Array, Array, Array]:
    """The scaled queries, the keys and the values (batch, head, n, feature) of a group of heads.

    `start` is the position of the first row.
    """
    count, k = len(group.heads), group.k
    q = a.scaled(a.keep(_split(projected, group.start, count, k)), group.scale)
    keys = a.keep(_split(projected, group.start + count * k, count, k))
    if group.frequencies is not None:
        q, keys = (turned(a, group.frequencies, part, start) for part in (q, keys))
    return q, keys, a.keep_value(_split(projected, group.start + 2 * count * k, count, group.v))


def _group(group: HeadGroup, a: Arithmetic, projected: Array, z: Array, notes: TracedHeads | None) -> None:
    """Writes the means of a group of heads to its columns of z."""
    q, k, v = group_parts(group, a, projected)
    out = _split(z, group.offset, len(group.heads), group.v)
    record = None if notes is None else record_for(a, q.shape[:3], group.sink is not None)
    attend(a, group.kind, group.mask, q, k, v, group.sink, out, record, one_query=group.one_query)
    if notes is not None and record is not None:
        notes.put(group.heads, record, q=q, k=k, v=v, z=out)


def pairing_parts(pairing: Pairing, a: Arithmetic, projected: Array) -> tuple[Array, ...]:
    """The scaled queries, both keys and both values (batch, n, feature) of a third-order head."""
    k, v, at = pairing.k, pairing.v, pairing.start
    q, k1, k2 = (a.keep(projected[..., at + i * k : at + (i + 1) * k]) for i in range(3))
    at += 3 * k
    v1, v2 = (a.keep_value(projected[..., at + i * v : at + (i + 1) * v]) for i in range(2))
    return a.scaled(q, pairing.scale), k1, k2, v1, v2


def _pairings(
    heads: Packed,
    a: Arithmetic,
    projected: Array,
    z: Array,
    name: str,
    trace: Trace,
    notes: TracedHeads | None,
) -> None:
    """Writes the means of the third-order heads to their columns of z."""
    for pairing in heads.pairings:
        parts = pairing_parts(pairing, a, projected)
        out = z[..., pairing.offset : pairing.offset + pairing.v]
        batch, n, _ = projected.shape
        whole = None if notes is None else PairRecord(np.zeros((batch, n, n, n)), np.zeros((batch, n)))
        for b in range(batch):
            one = None if whole is None else PairRecord(whole.pairs[b], whole.sink[b])
            attend_pairs(a, pairing.mask, tuple(part[b] for part in parts), out[b], pairing.sink, one)
        if notes is not None and trace is not None and whole is not None:
            trace[f"{name}.pairs.{pairing.head}"] = whole.pairs
            notes.put_pairs(pairing.head, whole, parts, out, sink=pairing.sink is not None)
