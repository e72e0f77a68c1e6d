"""A transformer as a PyTorch module: its weights and its description come from one safetensors file.

Vectors are rows; the weights of maps are (outputs, inputs), as in `nn.Linear`. `Transformer` is the whole.
"""

import json
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from capax.model.export.standalone.torch_attention import (
    AffineModule,
    HeadGroupModule,
    Weights,
    affine,
    parameter,
)
from capax.model.export.standalone.torch_third_order import TensorHeadModule
from capax.model.export.standalone.words import Config, Words


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
        self.maps = nn.ModuleList(affine(weights, f"{name}.maps.{number}") for number in range(config["maps"]))

    def forward(self, x: Tensor) -> Tensor:
        """What the MLP adds to the stream."""
        for number, stage in enumerate(self.maps):
            x = stage(activate(x, self.activation) if number else x)
        return x


def activate(x: Tensor, kind: str) -> Tensor:
    """A hidden stage, which is overwritten, after its activation; a GELU is computed in float64."""
    if kind == "relu":
        return torch.relu_(x)
    return nn.functional.gelu(x.double(), approximate="tanh" if kind == "gelu-tanh" else "none").to(x.dtype)


class BlockModule(nn.Module):
    """A layer: the heads' outputs and a bias are added to the stream, then the MLP's result."""

    def __init__(self, config: Config, weights: Weights, name: str, norm_first: bool) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            TensorHeadModule(numbers[0], config["heads"][numbers[0]], weights, name)
            if config["heads"][numbers[0]]["kind"] == "tensor"
            else HeadGroupModule(numbers, [config["heads"][number] for number in numbers], weights, name)
            for numbers in alike(config["heads"], weights, name)
        )
        self.bias = parameter(weights, f"{name}.bias")
        self.mlp = MlpModule(config["mlp"], weights, f"{name}.mlp") if config["mlp"] else None
        self.attention_norm, self.mlp_norm = (
            NormModule(config[part], weights, f"{name}.{part}") if config[part] else None
            for part in ("attention_norm", "mlp_norm")
        )
        self.norm_first = norm_first

    def forward(self, x: Tensor, lengths: Tensor | None) -> Tensor:
        """The stream after the layer; `lengths` (batch) where some words are padded."""
        norm = self.attention_norm
        if norm is None:
            x = x + self._attend(x, lengths)
        else:
            x = x + self._attend(norm(x), lengths) if self.norm_first else norm(x + self._attend(x, lengths))
        norm, mlp = self.mlp_norm, self.mlp
        if mlp is not None:
            x = x + mlp(x if norm is None or not self.norm_first else norm(x))
        return x if norm is None or self.norm_first else norm(x)

    def _attend(self, x: Tensor, lengths: Tensor | None) -> Tensor:
        heads: Any = self.heads
        if not len(heads):
            return self.bias
        if lengths is not None:  # what stands after the end of a word must not matter, nor be NaN
            x = x.masked_fill(torch.arange(x.shape[1], device=x.device)[:, None] >= lengths[:, None, None], 0)
        means = [head(x, lengths) for head in heads]
        if len(means) == 1:
            return nn.functional.linear(means[0], heads[0].output, self.bias)
        outputs = torch.cat([head.output for head in heads], dim=1)
        return nn.functional.linear(torch.cat(means, dim=2), outputs, self.bias)


def alike(heads: Sequence[Config], weights: Weights, name: str) -> list[list[int]]:
    """The numbers of the heads that run together: of one kind and mask, with sinks or without, of one size.

    Those of third order run alone.
    """
    groups: dict[Any, list[int]] = {}
    for number, head in enumerate(heads):
        kind: Any = number
        if head["kind"] != "tensor":
            sizes = (len(weights[f"{name}.heads.{number}.{part}.bias"]) for part in ("key", "value"))
            kind = (head["attention"], head["mask"], head["sink"], *sizes)
        groups.setdefault(kind, []).append(number)
    return list(groups.values())


class PositionsModule(nn.Module):
    """What is added for the position: functions of the position i and the length n, and a row of a table."""

    def __init__(self, config: Config, weights: Weights) -> None:
        super().__init__()
        self.functions = config["functions"]
        self.weight = parameter(weights, "positions.weight")
        self.table = parameter(weights, "positions.table") if config["table"] else None
        self.known: tuple[Any, Tensor] = (None, self.weight)

    def forward(self, x: Tensor, lengths: Tensor | None) -> Tensor:
        """The embedded tokens with their positions; `lengths` (batch) where some words are padded."""
        added = None
        if self.functions:
            added = self.function_values(x, lengths) @ self.weight
        if self.table is not None:
            table = self.table[: x.shape[1]]
            added = table if added is None else added + table
        return x if added is None else x + added

    def function_values(self, x: Tensor, lengths: Tensor | None) -> Tensor:
        """The values of the functions (batch or 1, position, function); those of full words are kept for the next."""
        key = (x.shape[1], x.dtype, x.device)
        if lengths is None and self.known[0] == key:
            return self.known[1]
        with torch.inference_mode(False):  # so that they can be used in training later
            i = torch.arange(x.shape[1], device=x.device).double()[None]
            n = torch.full_like(i[:, :1], x.shape[1]) if lengths is None else lengths.double()[:, None]
            i = i.expand(len(n), -1)
            values = torch.stack([position_function(name, i, n) for name in self.functions], dim=-1).to(x.dtype)
        if lengths is None:
            self.known = (key, values)
        return values


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
        self.map = affine(weights, "readout.map")
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


def rounds_of(rule: int | str, length: int) -> int:
    """How many rounds a loop has on words of a length."""
    if rule == "length":
        return length
    if rule == "length - 1":
        return max(length - 1, 0)
    return max(length - 1, 0).bit_length() if rule == "ceil_log2(length)" else int(rule)


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
        n = ids.shape[1]
        table = self.positions.table
        if table is not None and n > len(table):
            raise ValueError(f"the model has rows for {len(table)} positions, and a word asks for {n}")
        if lengths is not None and bool((lengths == n).all()):
            lengths = None
        x = self.positions(self.embedding[ids], lengths)
        if self.input_mlp is not None:
            x = x + self.input_mlp(x)
        x = self.run_blocks(x, lengths)
        logits = self.readout(x)
        return logits[:, len(self.words.prefix) :] if self.words.prefix else logits

    def run_blocks(self, x: Tensor, lengths: Tensor | None) -> Tensor:
        """The stream after all blocks; those of a loop are run for as many rounds as each word's length asks."""
        loop = self.config.get("loop")
        if loop is None:
            for block in self.blocks:
                x = block(x, lengths)
            return x
        first, end = loop["first"], loop["end"]
        for block in self.blocks[:first]:
            x = block(x, lengths)
        sizes = [x.shape[1]] * len(x) if lengths is None else lengths.tolist()
        rounds = torch.tensor([rounds_of(loop["rounds"], n - len(self.words.prefix)) for n in sizes])
        for count in range(int(rounds.max()) if len(sizes) else 0):
            after = x
            for block in self.blocks[first:end]:
                after = block(after, lengths)
            x = torch.where((rounds > count).to(x.device)[:, None, None], after, x)  # others have come to an end
        for block in self.blocks[end:]:
            x = block(x, lengths)
        return x

    def _apply(self, *arguments: Any) -> "Transformer":
        """What `half()`, `to(...)` and the like do; a change of dtype in which answers are not proved is warned of."""
        before = self.embedding.dtype
        nn.Module._apply(self, *arguments)  # type: ignore[no-untyped-call]
        if self.embedding.dtype != before:
            remark_on(self.config, str(self.embedding.dtype).removeprefix("torch."))
        return self

    def weights(self) -> Weights:
        """The weights as in the model's file, by name: maps are (inputs, outputs), and each head has its own.

        They are views of the parameters, in which maps are (outputs, inputs) and like heads of a layer are joined.
        """
        weights: Weights = {}
        for path, module in self.named_modules():
            if isinstance(module, HeadGroupModule | TensorHeadModule):
                block = path.rpartition(".heads.")[0]
                weights |= {f"{block}.{name}": weight for name, weight in module.apart().items()}
            elif ".heads." not in path:
                for name, weight in module.named_parameters(recurse=False):
                    turned = name == "weight" and isinstance(module, AffineModule)
                    weights[f"{path}.{name}".lstrip(".")] = weight.T if turned else weight
        return weights

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
