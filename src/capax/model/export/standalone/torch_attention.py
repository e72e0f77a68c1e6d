"""Attention heads as PyTorch modules: all like heads of a layer run together, some scores at a time.

Scores, exp, sums and one quotient are plain operations, not a fused kernel: what a certificate says of the model rests
on them. Axes are matrix (each word and head), query, key, feature.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from capax.model.export.standalone.words import Config

Weights = dict[str, Tensor]

CELLS = 1 << 17
"""The most scores that are computed at once, so that they stay in a processor's cache."""
LARGE = 1 << 16
"""From this many scores on it pays to look whether queries differ at all."""
BLOCK = 128
"""Queries at once under a mask: with fewer of them, more keys that none of them sees are left out."""

LOG2_E = math.log2(math.e)


def parameter(weights: Weights, name: str) -> nn.Parameter:
    """A weight that can be trained."""
    return nn.Parameter(weights[name].clone())


def factor(number: float, dtype: torch.dtype) -> Any:
    """A number to multiply a tensor of a dtype with: as a tensor of no axes, which takes a fifth of a number's time."""
    return number if torch.compiler.is_compiling() else _factor(number, dtype)


@cache
def _factor(number: float, dtype: torch.dtype) -> Tensor:
    with torch.inference_mode(False):  # so that it can be used in training
        return torch.tensor(number, dtype=dtype, device="cpu")


class AffineModule(nn.Module):
    """An affine map whose weight is (outputs, inputs), as that of `nn.Linear`; in files it is (inputs, outputs)."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight.T.contiguous())
        self.bias = nn.Parameter(bias.clone())

    def forward(self, x: Tensor) -> Tensor:
        """The rows after the map."""
        return nn.functional.linear(x, self.weight, self.bias)


def affine(weights: Weights, name: str) -> AffineModule:
    """The map of a name."""
    return AffineModule(weights[f"{name}.weight"], weights[f"{name}.bias"])


class HeadGroupModule(nn.Module):
    """Attention heads of one kind: the mean of values, weighted by scale * query . key.

    `joined` is the map to the queries, keys and values of all heads, each head by head; `output` (width, head *
    feature) leads from the means back to the stream; `sink_key` and `sink_value` (head, feature) are a key and a value
    that every query sees besides the word's own. A query that sees nothing gets zeros.
    """

    def __init__(self, numbers: list[int], configs: Sequence[Config], weights: Weights, name: str) -> None:
        super().__init__()
        self.numbers, self.attention, self.mask = numbers, configs[0]["attention"], configs[0]["mask"]
        self.scales = [float(config["scale"]) for config in configs]
        self.scale = self.scales[0] if len(set(self.scales)) == 1 else None
        self.has_sink = bool(configs[0]["sink"])
        heads = [f"{name}.heads.{number}" for number in numbers]
        self.keys, self.values = (len(weights[f"{heads[0]}.{part}.bias"]) for part in ("key", "value"))
        maps = [f"{head}.{part}" for part in ("query", "key", "value") for head in heads]
        weight = torch.cat([weights[f"{map}.weight"] for map in maps], dim=1)
        self.joined = AffineModule(weight, torch.cat([weights[f"{map}.bias"] for map in maps]))
        self.output = nn.Parameter(torch.cat([weights[f"{head}.output"] for head in heads]).T.contiguous())
        sinks = [
            nn.Parameter(torch.stack([weights[f"{head}.sink.{part}"] for head in heads]))
            for part in (("key", "value") if self.has_sink else ())
        ]
        self.sink_key: nn.Parameter | None
        self.sink_value: nn.Parameter | None
        self.sink_key, self.sink_value = sinks or (None, None)

    def apart(self) -> Weights:
        """The weights of each head, which are parts of those of all, by their names in a file."""
        weights: Weights = {}
        count = len(self.numbers)
        sizes = [size for size in (self.keys, self.keys, self.values) for _ in range(count)]
        maps = [f"heads.{number}.{part}" for part in ("query", "key", "value") for number in self.numbers]
        rows, biases = (p.split_with_sizes(sizes) for p in (self.joined.weight, self.joined.bias))
        for map, weight, bias in zip(maps, rows, biases, strict=True):
            weights |= {f"{map}.weight": weight.T, f"{map}.bias": bias}
        for at, number in enumerate(self.numbers):
            weights[f"heads.{number}.output"] = self.output[:, at * self.values : (at + 1) * self.values].T
            if self.sink_key is not None and self.sink_value is not None:
                weights[f"heads.{number}.sink.key"] = self.sink_key[at]
                weights[f"heads.{number}.sink.value"] = self.sink_value[at]
        return weights

    def forward(self, x: Tensor, lengths: Tensor | None) -> Tensor:
        """The means (batch, query, head * feature); `lengths` (batch) where some words are padded."""
        (batch, n, _), count = x.shape, len(self.numbers)
        q, k, v = self._by_head(self.joined(x))
        if self.scale is None:
            q = q * q.new_tensor(self.scales).repeat(batch)[:, None, None]
        elif self.scale != 1:
            q = q * factor(self.scale, q.dtype)
        key, value = self._sinks(batch) if self.has_sink else (None, None)
        ends = None if lengths is None else lengths.repeat_interleave(count)[:, None, None]
        all = Matrices(q, k, v, key, value, ends)
        if batch * count * n * n >= LARGE and self._has_one_query():
            means = first_means(all).expand(-1, n, -1)
        else:
            means = attention_means(self.attention, self.mask, all)
        if count == 1:
            return means
        return means.view(batch, count, n, self.values).transpose(1, 2).reshape(batch, n, count * self.values)

    def _has_one_query(self) -> bool:
        """Whether queries do not differ and see the same keys, so that one mean is that of all; not in training.

        The weights themselves are looked at: they may have changed.
        """
        if self.mask != "none" or self.attention != "softmax" or torch.is_grad_enabled():
            return False
        if torch.jit.is_tracing() or torch.compiler.is_compiling():  # what is recorded is to hold for other weights
            return False
        return not bool(self.joined.weight[: len(self.numbers) * self.keys].any())

    def _sinks(self, batch: int) -> list[Tensor]:
        """The keys and values of sinks (matrix, 1, feature)."""
        count, sinks = len(self.numbers), [sink for sink in (self.sink_key, self.sink_value) if sink is not None]
        return [sink[:, None].expand(batch, -1, 1, -1).reshape(batch * count, 1, sink.shape[1]) for sink in sinks]

    def _by_head(self, columns: Tensor) -> Sequence[Tensor]:
        """The queries, keys and values (matrix, position, feature) from the columns (batch, position, feature)."""
        (batch, n, _), count = columns.shape, len(self.numbers)
        if count > 1 and self.keys == self.values:  # the same as below, in fewer operations
            stacked = columns.view(batch, n, 3, count, self.keys).permute(2, 0, 3, 1, 4)
            return stacked.reshape(3, batch * count, n, self.keys).unbind()
        parts = columns.split_with_sizes([count * self.keys, count * self.keys, count * self.values], dim=2)
        if count == 1:
            return parts
        return [
            part.view(batch, n, count, size).transpose(1, 2).reshape(batch * count, n, size)
            for part, size in zip(parts, (self.keys, self.keys, self.values), strict=True)
        ]


class Matrices(NamedTuple):
    """Queries, keys and values (matrix, position, feature), a matrix for each word and head.

    A sink is one more key and value (matrix, 1, feature); `ends` (matrix, 1, 1) is the number of keys that are no
    padding. They are None where there are none.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    sink_key: Tensor | None
    sink_value: Tensor | None
    ends: Tensor | None

    def some(self, first: int, last: int) -> "Matrices":
        """The matrices from the first to before the last."""
        return Matrices(*(part if part is None else part[first:last] for part in self))  # type: ignore[arg-type]


def attention_means(attention: str, mask: str, all: Matrices) -> Tensor:
    """The means (matrix, query, feature) of values, some matrices and some queries at a time."""
    count, n, _ = all.q.shape
    if n == 0:
        return all.v
    most = max(1, CELLS // (n * n))
    if count > most:
        parts = [all.some(first, first + most) for first in range(0, count, most)]
        return torch.cat([attention_means(attention, mask, part) for part in parts])
    step = max(1, min(n if mask == "none" else BLOCK, CELLS // n))
    if n <= step:
        return block_means(attention, mask, all, 0, n)
    blocks = [(start, min(start + step, n)) for start in range(0, n, step)]
    return torch.cat([block_means(attention, mask, all, start, stop) for start, stop in blocks], dim=1)


def first_means(all: Matrices) -> Tensor:
    """The means (matrix, 1, feature) of the first query of each matrix, by softmax without a mask."""
    most = max(1, CELLS // all.q.shape[1])
    parts = [all.some(first, first + most) for first in range(0, len(all.q), most)]
    return torch.cat([block_means("softmax", "none", part, 0, 1) for part in parts])


def block_means(attention: str, mask: str, all: Matrices, start: int, stop: int) -> Tensor:
    """The means (matrix, query, feature) of the queries at positions start to stop - 1."""
    (q, k, v, sink_key, sink_value, ends), n = all, all.q.shape[1]
    # The keys that some of these queries see.
    low, high = (start if "future" in mask else 0), (stop if mask in ("causal", "strict past") else n)
    if high - low < n or stop - start < n:
        q, k, v = q[:, start:stop], k[:, low:high], v[:, low:high]
    if sink_key is not None and sink_value is not None:  # the last key of all
        k, v = torch.cat([k, sink_key], dim=1), torch.cat([v, sink_value], dim=1)
    scores = products(q, k) if attention in ("softmax", "sparsemax") else steady_scores(q, k)
    if mask != "none":  # at the positions of these queries themselves a key may be hidden
        hidden = ~visible(mask, stop - start, q.device)
        scores[:, :, start - low : stop - low].masked_fill_(hidden, -math.inf)
    if ends is not None:
        padding = torch.arange(low, high, device=q.device) >= ends
        scores[:, :, : high - low].masked_fill_(padding, -math.inf)
    blind = None
    if sink_key is None and (ends is not None or "strict" in mask):
        blind = sees_nothing(mask, torch.arange(start, stop, device=q.device)[:, None], n if ends is None else ends)
    w = attention_weights(attention, scores, blind)
    total = w.sum(dim=-1, keepdim=True)
    if blind is not None:
        total = total.masked_fill(blind, 1)
    # One quotient at the end: a mean of n equal integers is that integer, which a sum of n times 1/n may not be.
    return combined(w, v) / total


def products(q: Tensor, k: Tensor) -> Tensor:
    """The scores (matrix, query, key): a product of matrices, or of numbers where queries have one coordinate."""
    return q * k.transpose(1, 2) if k.shape[2] == 1 else torch.bmm(q, k.transpose(1, 2))


def combined(w: Tensor, v: Tensor) -> Tensor:
    """The sums (matrix, query, feature) of weighted values; many of one feature as rows, which is faster."""
    if v.shape[2] == 1 and len(v) > 1:
        return torch.bmm(v.transpose(1, 2), w.transpose(1, 2)).transpose(1, 2)
    return torch.bmm(w, v)


def steady_scores(q: Tensor, k: Tensor) -> Tensor:
    """The scores of hard attention, coordinate by coordinate, so that equal keys have equal scores.

    In a matrix product the order of a sum may depend on the position of the key. The lowest number stands for what is
    no number: the key is seen.
    """
    total = q.new_zeros(q.shape[0], q.shape[1], k.shape[1])
    for c in range(q.shape[2]):
        total = total + q[:, :, None, c] * k[:, None, :, c]
    least = torch.finfo(q.dtype).min
    return torch.nan_to_num(total, nan=least, posinf=math.inf, neginf=least)


def visible(mask: str, n: int, device: torch.device) -> Tensor:
    """Which key j each query i sees (query, key), of n positions."""
    i = torch.arange(n, device=device)[:, None]
    j = i.T
    if mask == "none":
        return (i >= 0).expand(n, n)
    return {"causal": j <= i, "strict past": j < i, "future": j >= i, "strict future": j > i}[mask]


def sees_nothing(mask: str, i: Tensor, n: Tensor | int) -> Tensor:
    """Which queries, at positions i of words of n tokens, see no key of the word at all."""
    nothing = {"strict past": i < 1, "future": i >= n, "strict future": i >= n - 1}.get(mask, i < 0)
    return nothing | (i - i >= n)


def attention_weights(kind: str, scores: Tensor, blind: Tensor | None) -> Tensor:
    """The weights of the keys, which need not sum to 1; those of minus infinity have none. Scores are overwritten."""
    top = (scores.detach() if scores.requires_grad else scores).amax(dim=-1, keepdim=True)
    if blind is not None:
        top = top.masked_fill(blind, 0)
    if kind == "softmax":
        return exponentials(scores.sub_(top))
    if kind == "sparsemax":
        return sparsemax(scores.sub_(top))
    highest = scores == top
    if kind == "leftmost-hard":
        highest &= highest.cumsum(dim=-1) == 1
    elif kind == "rightmost-hard":
        highest &= highest.flip(-1).cumsum(dim=-1).flip(-1) == 1
    return highest.to(scores.dtype)


def exponentials(x: Tensor) -> Tensor:
    """exp of numbers up to 0, which are overwritten.

    By way of 2^x in float32 and float64: PyTorch's exp is several times slower where it underflows, as it does at most
    keys of a compiled model. The relative error is at most (4 + 1.25 |x|) times the unit roundoff; exp(0) is 1.
    """
    return x.mul_(factor(LOG2_E, x.dtype)).exp2_() if x.dtype in (torch.float32, torch.float64) else x.exp_()


def sparsemax(scores: Tensor) -> Tensor:
    """The point of the simplex nearest to scores whose highest is 0; the sums are those of float64."""
    fine = scores.double()
    high = fine.sort(dim=-1, descending=True).values
    finite = high > -math.inf
    sums = high.masked_fill(~finite, 0).cumsum(dim=-1)
    count = torch.arange(1, scores.shape[-1] + 1, device=scores.device)
    size = (finite & (1 + count * high > sums)).sum(dim=-1, keepdim=True).clamp(min=1)
    threshold = (sums.gather(-1, size - 1) - 1) / size
    return torch.relu(fine - threshold).to(scores.dtype)
