"""A transformer as a PyTorch module: its weights and its description come from one safetensors file.

Vectors are rows: a map sends x to x @ weight + bias. Axes are batch, query, key, feature. `Transformer` is the whole.
"""

import json
import math
import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from capax.model.export.standalone.words import Config, Words

Weights = dict[str, Tensor]


def parameter(weights: Weights, name: str) -> nn.Parameter:
    """A weight that can be trained."""
    return nn.Parameter(weights[name].clone())


class AffineModule(nn.Module):
    """The map x @ weight + bias."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.weight = parameter(weights, f"{name}.weight")
        self.bias = parameter(weights, f"{name}.bias")

    def forward(self, x: Tensor) -> Tensor:
        """The rows after the map."""
        return x @ self.weight + self.bias


class SinkModule(nn.Module):
    """A key and a value that every query of a head sees besides the word's own."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.key = parameter(weights, f"{name}.key")
        self.value = parameter(weights, f"{name}.value")


class HeadModule(nn.Module):
    """An attention head: the mean of values, weighted by scale * query . key; a query that sees nothing gets zeros."""

    def __init__(self, config: Config, weights: Weights, name: str) -> None:
        super().__init__()
        self.attention, self.mask, self.scale = config["attention"], config["mask"], float(config["scale"])
        self.query, self.key, self.value = (
            AffineModule(weights, f"{name}.{part}") for part in ("query", "key", "value")
        )
        self.output = parameter(weights, f"{name}.output")
        self.sink = SinkModule(weights, f"{name}.sink") if config["sink"] else None

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """The means (batch, query, feature); `real` (batch, key) says which positions are not padding."""
        q, k = self.query(x) * self.scale, self.key(x)
        v = self.value(x).masked_fill(~real[:, :, None], 0)
        seen = visible(self.mask, x) & real[:, None, :]
        if self.sink is not None:  # the last key of all
            batch = len(x)
            k = torch.cat([k, self.sink.key.expand(batch, 1, -1)], dim=1)
            v = torch.cat([v, self.sink.value.expand(batch, 1, -1)], dim=1)
            seen = torch.cat([seen, seen.new_ones(batch, seen.shape[1], 1)], dim=2)
        if self.attention in ("softmax", "sparsemax"):
            scores = q @ k.transpose(1, 2)
        else:
            scores = steady_scores(q, k)
        w = attention_weights(self.attention, scores, seen)
        total = w.sum(dim=-1, keepdim=True)
        # One quotient at the end: a mean of n equal integers is that integer, which a sum of n times 1/n may not be.
        mean: Tensor = w @ v / total.masked_fill(total == 0, 1)
        return mean


class PairSinkModule(nn.Module):
    """A pair of keys and values that every query of a third-order head sees besides the word's own pairs."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.key1, self.key2 = (parameter(weights, f"{name}.{key}") for key in ("key1", "key2"))
        self.value1, self.value2 = (parameter(weights, f"{name}.{value}") for value in ("value1", "value2"))


class TensorHeadModule(nn.Module):
    """A third-order head: a softmax over pairs of keys; the value of a pair is the product of two values."""

    def __init__(self, config: Config, weights: Weights, name: str) -> None:
        super().__init__()
        self.mask, self.scale = config["mask"], float(config["scale"])
        self.query, self.key1, self.key2 = (
            AffineModule(weights, f"{name}.{part}") for part in ("query", "key1", "key2")
        )
        self.value1, self.value2 = (AffineModule(weights, f"{name}.{part}") for part in ("value1", "value2"))
        self.output = parameter(weights, f"{name}.output")
        self.sink = PairSinkModule(weights, f"{name}.sink") if config.get("sink") else None

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """The means (batch, query, feature), query by query: the scores of one are (batch, key, key)."""
        q, k1, k2 = self.query(x) * self.scale, self.key1(x), self.key2(x)
        v1, v2 = (value(x).masked_fill(~real[:, :, None], 0) for value in (self.value1, self.value2))
        seen = visible(self.mask, x) & real[:, None, :]
        means = []
        for i in range(x.shape[1]):
            scores = (q[:, i, None, :] * k1) @ k2.transpose(1, 2)
            pairs = seen[:, i, :, None] & seen[:, i, None, :]
            flat, shown = scores.flatten(1), pairs.flatten(1)
            if self.sink is not None:  # the last pair of all
                flat = torch.cat([flat, ((q[:, i] * self.sink.key1) @ self.sink.key2)[:, None]], dim=1)
                shown = torch.cat([shown, shown.new_ones(len(x), 1)], dim=1)
            w = attention_weights("softmax", flat, shown)
            total = w.sum(dim=1)[:, None]
            own = w[:, : scores.shape[1] * scores.shape[2]].reshape(scores.shape)
            mean = ((own @ v2) * v1).sum(dim=1)
            if self.sink is not None:
                mean = mean + w[:, -1:] * (self.sink.value1 * self.sink.value2)
            means.append(mean / total.masked_fill(total == 0, 1))
        return torch.stack(means, dim=1)


def visible(mask: str, x: Tensor) -> Tensor:
    """Which key j each query i sees (1, query, key)."""
    i = torch.arange(x.shape[1], device=x.device)[:, None]
    j = i.T
    seen = {"none": i == i, "causal": j <= i, "strict past": j < i, "future": j >= i, "strict future": j > i}[mask]
    return seen.expand(x.shape[1], x.shape[1])[None]


def steady_scores(q: Tensor, k: Tensor) -> Tensor:
    """The scores of hard attention, coordinate by coordinate, so that equal keys have equal scores.

    In a matrix product the order of a sum may depend on the position of the key. The lowest number stands for what is
    no number: the key is seen.
    """
    total = q.new_zeros(()) if q.shape[2] else q.new_zeros(q.shape[0], q.shape[1], k.shape[1])
    for c in range(q.shape[2]):
        total = total + q[:, :, None, c] * k[:, None, :, c]
    least = torch.finfo(q.dtype).min
    return torch.nan_to_num(total, nan=least, posinf=math.inf, neginf=least)


def attention_weights(kind: str, scores: Tensor, seen: Tensor) -> Tensor:
    """The weights of the keys, which need not sum to 1; those that are not seen have none."""
    scores = scores.masked_fill(~seen, -math.inf)
    blind = ~seen.any(dim=-1, keepdim=True)
    if scores.shape[-1] == 0:
        return scores
    top = scores.detach().amax(dim=-1, keepdim=True).masked_fill(blind, 0)
    if kind == "softmax":
        return torch.exp(scores - top)
    if kind == "sparsemax":
        return sparsemax(scores - top)
    highest = (scores == top) & seen
    if kind == "leftmost-hard":
        highest &= highest.cumsum(dim=-1) == 1
    elif kind == "rightmost-hard":
        highest &= highest.flip(-1).cumsum(dim=-1).flip(-1) == 1
    return highest.to(scores.dtype)


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


class NormModule(nn.Module):
    """LayerNorm or RMSNorm."""

    def __init__(self, config: Config, weights: Weights, name: str) -> None:
        super().__init__()
        self.kind, self.epsilon = config["kind"], config["epsilon"]
        self.gain = parameter(weights, f"{name}.gain")
        self.bias = parameter(weights, f"{name}.bias")

    def forward(self, x: Tensor) -> Tensor:
        """The rows after the norm."""
        if self.kind == "layer":
            x = x - x.mean(dim=-1, keepdim=True)
        root = torch.sqrt((x * x).mean(dim=-1, keepdim=True) + self.epsilon)
        return x / root * self.gain + self.bias


class MlpModule(nn.Module):
    """Maps with an activation between them."""

    def __init__(self, config: Config, weights: Weights, name: str) -> None:
        super().__init__()
        self.activation = config["activation"]
        self.maps = nn.ModuleList(AffineModule(weights, f"{name}.maps.{number}") for number in range(config["maps"]))

    def forward(self, x: Tensor) -> Tensor:
        """What the MLP adds to the stream."""
        for number, stage in enumerate(self.maps):
            x = stage(activate(x, self.activation) if number else x)
        return x


def activate(x: Tensor, kind: str) -> Tensor:
    """A hidden stage after its activation; a GELU is computed in float64."""
    if kind == "relu":
        return torch.relu(x)
    return nn.functional.gelu(x.double(), approximate="tanh" if kind == "gelu-tanh" else "none").to(x.dtype)


class BlockModule(nn.Module):
    """A layer: the heads' outputs and a bias are added to the stream, then the MLP's result."""

    def __init__(self, config: Config, weights: Weights, name: str, norm_first: bool) -> None:
        super().__init__()
        kinds = {"head": HeadModule, "tensor": TensorHeadModule}
        heads = (kinds[h["kind"]](h, weights, f"{name}.heads.{i}") for i, h in enumerate(config["heads"]))
        self.heads = nn.ModuleList(heads)
        self.bias = parameter(weights, f"{name}.bias")
        self.mlp = MlpModule(config["mlp"], weights, f"{name}.mlp") if config["mlp"] else None
        self.attention_norm, self.mlp_norm = (
            NormModule(config[part], weights, f"{name}.{part}") if config[part] else None
            for part in ("attention_norm", "mlp_norm")
        )
        self.norm_first = norm_first

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """The stream after the layer."""
        x = self._after(self.attention_norm, x + self._attend(self._before(self.attention_norm, x), real))
        if self.mlp is not None:
            x = x + self.mlp(self._before(self.mlp_norm, x))
        return self._after(self.mlp_norm, x)

    def _attend(self, x: Tensor, real: Tensor) -> Tensor:
        if not len(self.heads):
            return self.bias
        means = torch.cat([head(x, real) for head in self.heads], dim=-1)
        outputs: Any = [head.output for head in self.heads]
        return means @ torch.cat(outputs) + self.bias

    def _before(self, norm: NormModule | None, x: Tensor) -> Tensor:
        return x if norm is None or not self.norm_first else norm(x)

    def _after(self, norm: NormModule | None, x: Tensor) -> Tensor:
        return x if norm is None or self.norm_first else norm(x)


class PositionsModule(nn.Module):
    """What is added for the position: functions of the position i and the length n, and a row of a table."""

    def __init__(self, config: Config, weights: Weights) -> None:
        super().__init__()
        self.functions = config["functions"]
        self.weight = parameter(weights, "positions.weight")
        self.table = parameter(weights, "positions.table") if config["table"] else None

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The embedded tokens with their positions."""
        i = torch.arange(x.shape[1], device=x.device).double()[None].expand(len(x), -1)
        n = lengths.double()[:, None]
        added = None
        if self.functions:
            values = torch.stack([position_function(name, i, n) for name in self.functions], dim=-1)
            added = values.to(x.dtype) @ self.weight
        if self.table is not None:
            table = self.table[: x.shape[1]]
            added = table if added is None else added + table
        return x if added is None else x + added


def position_function(name: str, i: Tensor, n: Tensor) -> Tensor:
    """A named function at the positions i (batch, position) of words of n tokens, in float64."""
    if match := re.fullmatch(r"\[i%(\d+)=(\d+)\]", name):
        return (i % int(match[1]) == int(match[2])).double()
    if match := re.fullmatch(r"i%(\d+)", name):
        return i % int(match[1])
    if match := re.fullmatch(r"i\^(\d+)", name):
        return i ** int(match[1])
    if match := re.fullmatch(r"(sin|cos)\(i\*(.+)\)", name):
        return (torch.sin if match[1] == "sin" else torch.cos)(i * float(match[2]))
    return {
        "1": lambda: torch.ones_like(i),
        "i": lambda: i,
        "1/(i+1)": lambda: 1 / (i + 1),
        "i/n": lambda: i / n,
        "1/n": lambda: (1 / n).expand_as(i),
        "(-1)^i": lambda: 1 - 2 * (i % 2),
        "sqrt(1/(i+1))": lambda: torch.sqrt(1 / (i + 1)),
        "sqrt(1-1/(i+1))": lambda: torch.sqrt(1 - 1 / (i + 1)),
        "[i=0]": lambda: (i == 0).double(),
    }[name]()


class ReadoutModule(nn.Module):
    """The unembedding."""

    def __init__(self, config: Config, weights: Weights) -> None:
        super().__init__()
        self.map = AffineModule(weights, "readout.map")
        self.norm = NormModule(config["norm"], weights, "readout.norm") if config["norm"] else None

    def forward(self, x: Tensor) -> Tensor:
        """The logits of streams."""
        logits: Tensor = self.map(x if self.norm is None else self.norm(x))
        return logits


def remark_on(config: Config, now: str) -> None:
    """Warns that the answers of a model are not proved in a dtype, unless it is its own or one that they are proved in.

    Where nothing is proved at all, only a dtype with fewer digits is warned of.
    """
    numbers, longest = config["numbers"], config["max_length"]
    certificate = config.get("facts", {}).get("certificate") or {}
    proved = {v["numbers"]: v["length"] for v in certificate.get("verdicts", ())}
    length = proved.get(now, 0)
    finer = not proved and torch.finfo(getattr(torch, now)).eps <= torch.finfo(getattr(torch, numbers)).eps
    if now == numbers or finer or (longest is not None and length >= longest):
        return
    known = f"proved for words of up to {length} tokens only, of {longest}" if length else "not proved"
    warnings.warn(f"this model is made for {numbers}; in {now} its answers are {known}, and may be wrong", stacklevel=4)


class Transformer(nn.Module):
    """A transformer. `model("abc")` gives answers, `model(ids, lengths)` gives logits, which can be trained."""

    def __init__(self, config: Config, weights: Weights) -> None:
        super().__init__()
        self.config, self.words = config, Words(config)
        self.loaded = weights  # as they were before any training
        self.embedding = parameter(weights, "embedding")
        self.positions = PositionsModule(config["positions"], weights)
        self.input_mlp = MlpModule(config["input_mlp"], weights, "input_mlp") if config["input_mlp"] else None
        first = config["norm_place"] == "before"
        self.blocks = nn.ModuleList(
            BlockModule(b, weights, f"blocks.{i}", first) for i, b in enumerate(config["blocks"])
        )
        self.readout = ReadoutModule(config["readout"], weights)

    def forward(self, ids: Any, lengths: Tensor | None = None) -> Any:
        """The logits (batch, position, output) of rows of tokens as `encode` makes them; of a word, its answers.

        The positions of the prefix have no logits. What stands at positions after a word's end means nothing.
        """
        if not isinstance(ids, Tensor):
            return self.batch([ids])[0]
        batch, n = ids.shape
        table = self.positions.table
        if table is not None and n > len(table):
            raise ValueError(f"the model has rows for {len(table)} positions, and a word asks for {n}")
        lengths = ids.new_full((batch,), n) if lengths is None else lengths
        real = torch.arange(n, device=ids.device) < lengths[:, None]
        x = self.positions(self.embedding[ids], lengths)
        if self.input_mlp is not None:
            x = x + self.input_mlp(x)
        for block in self.blocks:
            x = block(x, real)
        return self.readout(x)[:, len(self.words.prefix) :]

    def _apply(self, *arguments: Any) -> "Transformer":
        """What `half()`, `to(...)` and the like do; a change of dtype in which answers are not proved is warned of."""
        before = self.embedding.dtype
        nn.Module._apply(self, *arguments)  # type: ignore[no-untyped-call]
        if self.embedding.dtype != before:
            remark_on(self.config, str(self.embedding.dtype).removeprefix("torch."))
        return self

    def encode(self, words: Iterable[Iterable[Any]]) -> tuple[Tensor, Tensor]:
        """The rows (batch, position) of words, prefix included, the short ones padded, and their lengths (batch)."""
        rows = [self.words.rows(word) for word in words]
        longest = max(map(len, rows), default=0)
        padded = torch.tensor([row + [0] * (longest - len(row)) for row in rows], dtype=torch.long)
        lengths = torch.tensor([len(row) for row in rows], dtype=torch.long)
        device = self.embedding.device
        return padded.view(len(rows), longest).to(device), lengths.to(device)

    def batch(self, words: Iterable[Iterable[Any]]) -> list[list[Any]]:
        """The answers for several words, which may differ in length."""
        ids, lengths = self.encode(words)
        with torch.no_grad():
            logits = self(ids, lengths)
        ends = lengths - len(self.words.prefix)
        return [self.words.answers(row[:end].tolist()) for row, end in zip(logits, ends.tolist(), strict=True)]


def load(folder: str | os.PathLike[str]) -> Transformer:
    """The model in the file model.safetensors of a folder."""
    return Transformer(*read_safetensors((Path(folder) / "model.safetensors").read_bytes()))


def read_safetensors(data: bytes) -> tuple[Config, dict[str, Tensor]]:
    """The description of the model and its weights: 8 bytes with the length of the header, the header, the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    config = json.loads(header.pop("__metadata__")["model"])
    dtypes = {"F64": torch.float64, "F32": torch.float32}
    weights = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        dtype = dtypes[entry["dtype"]]
        numbers = torch.frombuffer(bytearray(data[start + first : start + last]), dtype=dtype) if last > first else None
        weights[name] = (torch.zeros(0, dtype=dtype) if numbers is None else numbers).view(entry["shape"])
    return config, weights
