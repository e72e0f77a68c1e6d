"""Attention heads of third order as PyTorch modules. Axes are batch, query, key, key, feature."""

import math

import torch
from torch import Tensor, nn

from capax.model.export.standalone.torch_attention import Weights, affine, attention_weights, parameter, visible
from capax.model.export.standalone.words import Config


class PairSinkModule(nn.Module):
    """A pair of keys and values that every query of a third-order head sees besides the word's own pairs."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.key1, self.key2 = (parameter(weights, f"{name}.{key}") for key in ("key1", "key2"))
        self.value1, self.value2 = (parameter(weights, f"{name}.{value}") for value in ("value1", "value2"))


class TensorHeadModule(nn.Module):
    """A third-order head: a softmax over pairs of keys; the value of a pair is the product of two values."""

    def __init__(self, number: int, config: Config, weights: Weights, block: str) -> None:
        super().__init__()
        name = f"{block}.heads.{number}"
        self.number, self.mask, self.scale = number, config["mask"], float(config["scale"])
        self.query, self.key1, self.key2 = (affine(weights, f"{name}.{part}") for part in ("query", "key1", "key2"))
        self.value1, self.value2 = (affine(weights, f"{name}.{part}") for part in ("value1", "value2"))
        self.output = nn.Parameter(weights[f"{name}.output"].T.contiguous())
        self.sink = PairSinkModule(weights, f"{name}.sink") if config.get("sink") else None

    def apart(self) -> Weights:
        """The weights by their names in a file."""
        named = self.named_parameters()
        turned = {name: p.T if name == "output" or name.endswith(".weight") else p for name, p in named}
        return {f"heads.{self.number}.{name}": weight for name, weight in turned.items()}

    def forward(self, x: Tensor, lengths: Tensor | None) -> Tensor:
        """The means (batch, query, feature), query by query: the scores of one are (batch, key, key)."""
        q, k1, k2 = self.query(x) * self.scale, self.key1(x), self.key2(x)
        v1, v2 = self.value1(x), self.value2(x)
        seen = visible(self.mask, x.shape[1], x.device)[None]
        if lengths is not None:
            seen = seen & (torch.arange(x.shape[1], device=x.device) < lengths[:, None, None])
        means = [x.new_zeros(len(x), 0, v1.shape[2])]
        for i in range(x.shape[1]):
            scores = (q[:, i, None, :] * k1) @ k2.transpose(1, 2)
            pairs = seen[:, i, :, None] & seen[:, i, None, :]
            flat = scores.masked_fill(~pairs, -math.inf).flatten(1)
            blind = ~seen[:, i].any(dim=1, keepdim=True)
            if self.sink is not None:  # the last pair of all
                flat = torch.cat([flat, ((q[:, i] * self.sink.key1) @ self.sink.key2)[:, None]], dim=1)
                blind = torch.zeros_like(blind)
            w = attention_weights("softmax", flat, blind)
            total = w.sum(dim=1, keepdim=True).masked_fill(blind, 1)
            own = w[:, : scores.shape[1] * scores.shape[2]].reshape(scores.shape)
            mean = ((own @ v2) * v1).sum(dim=1)
            if self.sink is not None:
                mean = mean + w[:, -1:] * (self.sink.value1 * self.sink.value2)
            means.append((mean / total)[:, None])
        return torch.cat(means, dim=1)
