"""The sublayers of a transformer: attention over keys, attention over pairs of keys, and feed-forward."""

import math

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    """Heads that look at keys; gives what is added to the stream, and the weights (batch, head, query, key)."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.read = nn.Linear(width, 3 * width)
        self.write = nn.Linear(width, width)

    def forward(self, x: Tensor, real: Tensor | None) -> tuple[Tensor, Tensor]:
        """The heads' outputs for a stream (batch, position, width); `real` (batch, position) is False after a word."""
        batch, n, width = x.shape
        parts = self.read(x).view(batch, n, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        hidden = unseen(n, self.causal, real, x)
        weights = (scores if hidden is None else scores.masked_fill(hidden, -math.inf)).softmax(dim=-1)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, n, width)
        return self.write(mixed), weights


class TripleAttention(nn.Module):
    """Heads that look at pairs of keys: score(i, j, k) = sum_c q_ic k_jc l_kc, value v_j * w_k."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.read = nn.Linear(width, 5 * width)
        self.write = nn.Linear(width, width)

    def forward(self, x: Tensor, real: Tensor | None) -> tuple[Tensor, Tensor]:
        """The heads' outputs for a stream, and how much weight each key has in the first of the pair."""
        batch, n, width = x.shape
        parts = self.read(x).view(batch, n, 5, self.heads, width // self.heads)
        q, k, l_, v, w = parts.permute(2, 0, 3, 1, 4)
        scores = torch.einsum("bhic,bhjc,bhkc->bhijk", q / math.sqrt(width // self.heads), k, l_)
        hidden = unseen(n, self.causal, real, x)
        if hidden is not None:
            scores = scores.masked_fill(hidden[..., :, None] | hidden[..., None, :], -math.inf)
        weights = scores.flatten(3).softmax(dim=-1).view(scores.shape)
        mixed = torch.einsum("bhijk,bhjc,bhkc->bhic", weights, v, w)
        return self.write(mixed.transpose(1, 2).reshape(batch, n, width)), weights.sum(dim=-1)


def unseen(n: int, causal: bool, real: Tensor | None, x: Tensor) -> Tensor | None:
    """Which keys a query does not see (batch or 1, 1, query, key), or None when all see all."""
    later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)[None, None] if causal else None
    padding = None if real is None else ~real[:, None, None, :]
    if later is None:
        return None if padding is None else padding.expand(-1, 1, n, n)
    return later if padding is None else later | padding


class FeedForward(nn.Module):
    """Two maps with an activation between them."""

    def __init__(self, width: int, hidden: int, activation: str) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        """What is added to the stream."""
        added: Tensor = self.down(activated(self.activation, self.up(x)))
        return added


def activated(activation: str, x: Tensor) -> Tensor:
    """An activation of every number: relu, gelu (by the error function), or gelu-tanh, which is that of GPT-2."""
    match activation:
        case "relu":
            return torch.relu(x)
        case "gelu":
            return nn.functional.gelu(x)
        case _:
            return nn.functional.gelu(x, approximate="tanh")
