"""A transformer whose sublayers come in any order."""

import math
from collections.abc import Iterator
from typing import cast

import torch
from torch import Tensor, nn

from capax.lab.data import NetShape
from capax.lab.settings import ONE_ROUND, Settings
from capax.lab.train.network_sublayers import Attention, FeedForward, TripleAttention
from capax.notation.rounds import Rounds, rounds_at


class TransformerNet(nn.Module):
    """A transformer of the settings: `order` says which sublayers there are, s attention and f feed-forward.

    `forward` gives logits (batch, position, output) and the attention weights of each s sublayer, (batch, head, query,
    key). With shared weights all attention sublayers are one, with its norm, and all feed-forward sublayers are one.
    With `rounds` the sublayers are run again and again: a word that has had all its rounds stays as it is while the
    others of its batch go on.
    """

    def __init__(self, settings: Settings, shape: NetShape) -> None:
        super().__init__()
        self.settings, self.shape = settings, shape
        width = settings.width
        self.embedding: nn.Module = (
            nn.Linear(shape.features, width) if shape.features else nn.Embedding(shape.inputs, width)
        )
        self.table = (
            nn.Parameter(torch.randn(shape.positions, width) * 0.1) if settings.positions == "learned" else None
        )
        parts: dict[str, nn.Module] = {}
        self.sublayers, self.norms = nn.ModuleList(), nn.ModuleList()
        for number, kind in enumerate(settings.sublayers):
            name = kind if settings.shared else str(number)
            if name not in parts:
                parts[name] = _sublayer(kind, settings)
                parts[f"norm {name}"] = nn.LayerNorm(width) if settings.norm != "none" else nn.Identity()
            self.sublayers.append(parts[name])
            self.norms.append(parts[f"norm {name}"])
        self.last_norm: nn.Module = nn.LayerNorm(width) if settings.norm == "pre" else nn.Identity()
        self.readout = nn.Linear(width, shape.outputs)

    def stream(self, inputs: Tensor, real: Tensor | None) -> tuple[list[Tensor], list[Tensor]]:
        """The stream (batch, position, width) after the embedding and each sublayer, and the attention weights."""
        x = self.embedding(inputs)
        n = x.shape[1]
        if self.table is not None:
            x = x + self.table[:n]
        elif self.settings.positions == "sinusoidal":
            x = x + waves(n, self.settings.width, self.settings.wave_base).to(x)
        streams, weights = [x], []
        after = self.settings.norm == "post"
        for running in self._rounds(n, real):
            for kind, sublayer, norm in zip(self.settings.sublayers, self.sublayers, self.norms, strict=True):
                read = x if after else norm(x)
                if kind == "s":
                    added, seen = sublayer(read, real)
                    weights.append(seen)
                else:
                    added = sublayer(read)
                new = norm(x + added) if after else x + added
                x = new if running is None else torch.where(running, new, x)
                streams.append(x)
        return streams, weights

    def _rounds(self, n: int, real: Tensor | None) -> Iterator[Tensor | None]:
        """One item for each round: which words (word, 1, 1) still run in it, or None if all do."""
        rule = cast(Rounds, self.settings.rounds)
        if self.settings.rounds == ONE_ROUND:
            yield None
        elif real is None:
            yield from (None for _ in range(rounds_at(rule, n)))
        else:
            own = torch.tensor([rounds_at(rule, int(length)) for length in real.sum(dim=1)], device=real.device)
            for number in range(int(own.max())):
                running = own > number
                yield None if running.all() else running[:, None, None]

    def forward(self, inputs: Tensor, real: Tensor | None = None) -> tuple[Tensor, list[Tensor]]:
        """The logits, and the attention weights of each s sublayer."""
        streams, weights = self.stream(inputs, real)
        return self.readout(self.last_norm(streams[-1])), weights


def _sublayer(kind: str, settings: Settings) -> nn.Module:
    causal = settings.mask == "causal"
    if kind == "f":
        return FeedForward(settings.width, settings.hidden or 2 * settings.width, settings.activation)
    if settings.attention == "triples":
        return TripleAttention(settings.width, settings.heads, causal)
    return Attention(settings.width, settings.heads, causal)


def frequencies(width: int, base: float) -> list[float]:
    """The angular frequency of each pair of directions of sinusoidal positions, from 1 down to about 1/base."""
    return [math.exp(-math.log(base) * (2 * k) / width) for k in range((width + 1) // 2)]


def waves(n: int, width: int, base: float) -> Tensor:
    """Sinusoidal positions (position, width): sin and cos in turn, as in Vaswani et al. 2017, whose base is 10,000."""
    angle = torch.arange(n, dtype=torch.float64)[:, None] * torch.tensor(frequencies(width, base), dtype=torch.float64)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)[:, :width].float()
