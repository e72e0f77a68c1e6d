"""The activations of a run by name.

Names follow TransformerLens where it has one. Axes are batch, head, position (or query, key), feature:

- `embed`, `pos_embed` (batch, n, d); `input_mlp.pre.0`, `input_mlp.post.0`, ..., `input_mlp.out`
- `blocks.L.resid_pre`, `blocks.L.resid_mid`, `blocks.L.resid_post` (batch, n, d): the stream before the layer, after
  its attention and after its MLP; `resid_post` is the last of all
- `blocks.L.attn.norm`, `blocks.L.mlp.norm`, `readout.norm` (batch, n, d), where there is a norm
- `blocks.L.attn.q`, `.k`, `.v`, `.z` (batch, head, n, feature); a list with (batch, n, feature) for each head where
  the heads' sizes differ. A third-order head has a tuple of both keys, and of both values. Queries hold the scale.
- `blocks.L.attn.scores`, `blocks.L.attn.pattern` (batch, head, query, key). If some head of the layer has a sink there
  is one more column, the last, for the sinks. A score that is not seen is minus infinity; a pattern's rows sum to 1, or
  to 0 for a query that sees nothing. A third-order head's row is the sum over its second keys, and its scores are
  not kept; `blocks.L.attn.pairs.H` (batch, query, key, key) has all its weights.
- `blocks.L.attn.out` (batch, n, d): what the heads and the bias add
- `blocks.L.mlp.pre.S`, `blocks.L.mlp.post.S` (batch, n, units) before and after each activation, `blocks.L.mlp.out`
- in a loop, `rounds.R.blocks.L...` in place of `blocks.L...`: the block in round R, from 0
- `logits` (batch, n, outputs), the positions of the prefix included

In fixed point they are real numbers (float64), not integers in units.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from capax.model.arithmetic.interface import Arithmetic
from capax.model.parts import Array
from capax.model.run.attention import Record
from capax.model.run.third_order import PairRecord


@dataclass(slots=True)
class TracedHeads:
    """What the heads of one layer leave in a trace: by head, then put together by `write`."""

    arithmetic: Arithmetic
    count: int
    parts: dict[str, list[Any]] = field(init=False)
    scores: list[Array | None] = field(init=False)
    patterns: list[Array | None] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = {name: [None] * self.count for name in "qkvz"}
        self.scores = [None] * self.count
        self.patterns = [None] * self.count

    def put(self, heads: tuple[int, ...], record: Record, **parts: Array) -> None:
        """Keeps what a group of like heads computed; the arrays have axes batch, head, ..."""
        for at, head in enumerate(heads):
            for name, array in parts.items():
                self.parts[name][head] = self.arithmetic.real(array[:, at])
            self.scores[head] = self.arithmetic.real(record.scores[:, at])
            self.patterns[head] = record.pattern[:, at]

    def put_pairs(self, head: int, record: PairRecord, parts: tuple[Array, ...], z: Array, *, sink: bool) -> None:
        """Keeps what a third-order head computed."""
        real = [self.arithmetic.real(part) for part in (*parts, z)]
        self.parts["q"][head], self.parts["z"][head] = real[0], real[5]
        self.parts["k"][head], self.parts["v"][head] = (real[1], real[2]), (real[3], real[4])
        pattern = record.pairs.sum(axis=-1)
        self.patterns[head] = np.concatenate([pattern, record.sink[..., None]], axis=-1) if sink else pattern

    def write(self, name: str, trace: dict[str, Array]) -> None:
        """Puts the arrays of all heads into the trace, under names that begin with `name`."""
        for part, arrays in self.parts.items():
            trace[f"{name}.{part}"] = _stacked(arrays)
        columns = max(p.shape[-1] for p in self.patterns if p is not None)
        empty = next(p for p in self.patterns if p is not None)
        trace[f"{name}.scores"] = np.stack([_wide(s, columns, -np.inf, empty) for s in self.scores], axis=1)
        trace[f"{name}.pattern"] = np.stack([_wide(p, columns, 0, empty) for p in self.patterns], axis=1)


def _stacked(arrays: list[Any]) -> Any:
    """The arrays as one with the heads on axis 1, or the list itself if they differ in shape."""
    if all(isinstance(a, np.ndarray) and a.shape == arrays[0].shape for a in arrays):
        return np.stack(arrays, axis=1)
    return arrays


def _wide(array: Array | None, columns: int, filling: float, like: Array) -> Array:
    """An array (batch, query, keys) with as many columns as asked for: a sink's column is the last."""
    if array is None:
        return np.full((*like.shape[:-1], columns), filling)
    missing = columns - array.shape[-1]
    assert missing in (0, 1)
    if not missing:
        return array
    floats = array if array.dtype.kind == "f" else array.astype(np.float64)
    return np.concatenate([floats, np.full((*array.shape[:-1], 1), filling, floats.dtype)], axis=-1)
