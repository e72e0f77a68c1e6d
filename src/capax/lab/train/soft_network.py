"""The soft form of discrete networks: every choice is a distribution, so that gradients reach it.

A variable is a distribution over codes. A head's selection is the probability that a key is selected; a count is the
distribution of the number of selected keys when each is selected independently, and a pick the chance of each key to be
the first one in the head's order. With one-hot choices all of it equals `capax.lab.discrete.network`. Many restarts are
computed side by side: axis 0 of every tensor (r restarts, b words, n positions, h heads, v variables, k codes).

Cite: Friedman, Wettig and Chen (2023), Learning transformer programs; Jang, Gu and Poole (2017), Categorical
reparameterization with Gumbel-softmax.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from capax.lab.discrete.network import RANKS, RELATIONS, VIEWS, relation_matrix, view_matrix

Logits: TypeAlias = Mapping[str, Tensor]
Choose: TypeAlias = Callable[[Tensor], Tensor]
"""Makes a distribution over the last axis of logits."""


@dataclass(frozen=True, slots=True)
class SoftShape:
    """How many codes and outputs there are, and the parts of each layer: heads that count, that pick, and tables."""

    codes: int
    outputs: int
    layers: int
    counts: int
    picks: int
    tables: int

    def before(self, layer: int) -> int:
        """The number of variables below a layer."""
        return 2 + layer * (self.counts + self.picks + self.tables)

    def logits(self) -> dict[str, tuple[int, ...]]:
        """The shape of every tensor of logits, restarts left out."""
        k, heads = self.codes, self.counts + self.picks
        shapes: dict[str, tuple[int, ...]] = {}
        for layer in range(self.layers):
            v = self.before(layer)
            shapes |= {
                f"{layer}.key": (heads, v),
                f"{layer}.query": (heads, v),
                f"{layer}.relation": (heads, len(RELATIONS)),
                f"{layer}.view": (heads, len(VIEWS)),
                f"{layer}.constant": (heads, k),
                f"{layer}.target": (heads, k, k),
                f"{layer}.value": (self.picks, v),
                f"{layer}.rank": (self.picks, len(RANKS)),
                f"{layer}.first": (self.tables, v + heads),
                f"{layer}.second": (self.tables, v + heads),
                f"{layer}.entry": (self.tables, k * k, k),
            }
        last = self.before(self.layers)
        return shapes | {"first": (1, last), "second": (1, last), "entry": (1, k * k, self.outputs)}


def soft_outputs(shape: SoftShape, logits: Logits, tokens: Tensor, choose: Choose) -> Tensor:
    """The distribution of the output (r, b, n, output), for words of one length given by token numbers (b, n)."""
    chosen = {name: choose(tensor) for name, tensor in logits.items()}
    restarts = logits["first"].shape[0]
    words, n = tokens.shape
    one_hot = torch.eye(shape.codes)
    start = torch.stack([one_hot[tokens + 1], one_hot[1 : n + 1].expand(words, n, shape.codes)], dim=2)
    stream = start.expand(restarts, *start.shape)  # (r, b, n, v, k)
    for layer in range(shape.layers):
        part = {name.partition(".")[2]: t for name, t in chosen.items() if name.startswith(f"{layer}.")}
        stream = torch.cat([stream, _heads(shape, part, stream)], dim=3)
        if shape.tables:
            stream = torch.cat([stream, _tables(part, stream)], dim=3)
    return _tables(chosen, stream)[:, :, :, 0]


def _read(choice: Tensor, stream: Tensor) -> Tensor:
    """The variables (r, b, n, h, k) that choices (r, h, v) read of the stream."""
    return choice[:, None, None] @ stream


def _tables(part: Mapping[str, Tensor], stream: Tensor) -> Tensor:
    """The entries (r, b, n, m, output) of tables over two variables."""
    first, second = _read(part["first"], stream), _read(part["second"], stream)
    r, b, n, m, k = first.shape
    pairs = (first[..., :, None] * second[..., None, :]).reshape(r, b * n, m, k * k).transpose(1, 2)
    return (pairs @ part["entry"]).transpose(1, 2).reshape(r, b, n, m, -1)


def _heads(shape: SoftShape, part: Mapping[str, Tensor], stream: Tensor) -> Tensor:
    """The variables (r, b, n, h, k) that the heads of a layer add: first those that count, then those that pick."""
    n, codes, counts = stream.shape[2], shape.codes, shape.counts
    fixed = torch.from_numpy(np.stack([relation_matrix(name, codes) for name in RELATIONS[:-2]])).float()
    views = torch.from_numpy(np.stack([view_matrix(name, n) for name in VIEWS])).float()
    relation = torch.einsum("rhp,pqk->rhqk", part["relation"][..., :-2], fixed)
    relation = relation + part["relation"][..., -2, None, None] * part["constant"][..., None, :]
    relation = relation + part["relation"][..., -1, None, None] * part["target"]
    view = torch.einsum("rhm,mqk->rhqk", part["view"], views)
    keys = _read(part["key"], stream).transpose(2, 3)  # (r, b, h, n, k)
    queries = _read(part["query"], stream).transpose(2, 3)
    pairs = (queries @ relation[:, None]) @ keys.transpose(-1, -2) * view[:, None]  # (r, b, h, query, key)
    pairs = pairs.clamp(0.0, 1.0)
    added = []
    if counts:
        added.append(_counted(pairs[:, :, :counts], codes))
    if shape.picks:
        values = _read(part["value"], stream).transpose(2, 3)
        added.append(_picked(pairs[:, :, counts:], keys[:, :, counts:], values, part["rank"]))
    return torch.cat(added, dim=2).transpose(2, 3)


def _counted(pairs: Tensor, codes: int) -> Tensor:
    """The distribution (r, b, h, query, code) of the number of selected keys."""
    n = pairs.shape[-1]
    spread = [1 - pairs[..., 0], pairs[..., 0]]
    spread_ = torch.stack(spread, dim=-1)
    for key in range(1, n):
        chance = pairs[..., key, None]
        spread_ = torch.nn.functional.pad(spread_ * (1 - chance), (0, 1)) + torch.nn.functional.pad(
            spread_ * chance, (1, 0)
        )
    return torch.nn.functional.pad(spread_, (1, codes - n - 2))


def _picked(pairs: Tensor, keys: Tensor, values: Tensor, rank: Tensor) -> Tensor:
    """The distribution (r, b, h, query, code) of the value at the picked key; code 0 where no key is selected."""
    n = pairs.shape[-1]
    later = torch.ones(n, n).tril(-1)  # [k, j]: k is later than j
    above = keys.flip(-1).cumsum(-1).flip(-1)
    greater = (keys @ (above - keys).transpose(-1, -2)).transpose(-1, -2)  # [k, j]: key k is greater
    same = keys @ keys.transpose(-1, -2)
    last, first, greatest = (rank[:, None, :, k, None, None] for k in range(3))
    beats = last * later + first * later.T + greatest * (greater + same * later)  # (r, b, h, k, j)
    chance = pairs[..., :, None, :] * beats.transpose(-1, -2)[..., None, :, :]  # (r, b, h, query, j, k)
    best = pairs * torch.log1p(-chance.clamp(max=0.9999)).sum(-1).exp()
    nothing = torch.log1p(-pairs.clamp(max=0.9999)).sum(-1, keepdim=True).exp()
    weight = best / best.sum(-1, keepdim=True).clamp(min=1e-6) * (1 - nothing)
    read = weight @ values
    return torch.cat([read[..., :1] + nothing, read[..., 1:]], dim=-1)
