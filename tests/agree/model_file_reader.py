"""A second reader of model files, written from docs/reference/model-file.md alone: no line of capax is imported.

It reads a file's bytes and gives the logits and the answers for a word, by plain loops, in the four float systems.
"""

import hashlib
import json
import math
import re
import struct
from fractions import Fraction
from typing import Any

import numpy as np

ITEMS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
SYSTEMS = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16"}
START = b'{"__metadata__":{"digest":"'
SEEN = {
    "none": lambda i, j: True,
    "causal": lambda i, j: j <= i,
    "strict past": lambda i, j: j < i,
    "future": lambda i, j: j >= i,
    "strict future": lambda i, j: j > i,
}
PLACES = {
    "1": lambda i, n: 1,
    "i": lambda i, n: i,
    "i^2": lambda i, n: i * i,
    "1/(i+1)": lambda i, n: 1 / (i + 1),
    "i/n": lambda i, n: i / n,
    "1/n": lambda i, n: 1 / n,
    "(-1)^i": lambda i, n: 1 - 2 * (i % 2),
    "sqrt(1/(i+1))": lambda i, n: math.sqrt(1 / (i + 1)),
    "sqrt(1-1/(i+1))": lambda i, n: math.sqrt(1 - 1 / (i + 1)),
    "[i=0]": lambda i, n: i == 0,
    "[issquare(i)]": lambda i, n: math.isqrt(i) ** 2 == i,  # of the predicates those that theorems have
}
SHAPES = {
    r"i\^(\d+)": lambda i, k: float(i) ** int(k),
    r"\[i%(\d+)=(\d+)\]": lambda i, k, r: i % int(k) == int(r),
    r"i%(\d+)": lambda i, k: i % int(k),
    r"sin\(i\*(.+)\)": lambda i, w: np.sin(i * float(w)),
    r"cos\(i\*(.+)\)": lambda i, w: np.cos(i * float(w)),
}


def place(name: str, i: int, n: int) -> float:
    """The value of a position function."""
    if name in PLACES:
        return float(PLACES[name](i, n))
    return next(float(f(i, *m.groups())) for s, f in SHAPES.items() if (m := re.fullmatch(s, name)))


def token(value: Any) -> Any:
    """A token or fact of the description, in which infinities are objects."""
    return float(value["$float"]) if isinstance(value, dict) else value


def nearest(places: list[float], x: float) -> int:
    """The number of the place nearest to x: beyond all that at the end; between two the nearer, or the smaller."""
    above = sum(p < x for p in places)  # the first place that is not below x
    if above in (0, len(places)):
        return max(above - 1, 0)
    return above - 1 if x - places[above - 1] <= places[above] - x else above


class Reader:
    """The model in the bytes of a file."""

    def __init__(self, data: bytes) -> None:
        (length,) = struct.unpack("<Q", data[:8])
        header, rest = json.loads(data[8 : 8 + length]), data[8 + length :]
        digest = hashlib.sha256(data[:35] + b"0" * 64 + data[99:]).hexdigest()
        if data[8:35] != START or data[35:99].decode() != digest:
            raise ValueError("the digest is not that of the file")
        metadata = header.pop("__metadata__")
        if metadata["format"] != "capax-model" or metadata["version"] != "2":
            raise ValueError("this is another format")
        self.about: dict[str, Any] = json.loads(metadata["model"])
        self.numbers = self.about["numbers"]
        self.type: Any = np.float64 if self.numbers == "float64" else np.float32
        self.tensors = {name: self.read(entry, rest) for name, entry in header.items()}

    def read(self, entry: dict[str, Any], rest: bytes) -> Any:
        """The numbers of a tensor."""
        if entry["dtype"] != SYSTEMS[self.numbers]:
            raise ValueError("the tensors are of another number system")
        first, last = entry["data_offsets"]
        flat = np.frombuffer(rest[first:last], ITEMS[entry["dtype"]])
        if entry["dtype"] == "BF16":
            flat = (flat.astype("<u4") << 16).view("<f4")
        return flat.astype(self.type).reshape(entry["shape"])

    def round(self, x: Any) -> Any:
        """The result of an operation, as a number of the system."""
        if self.numbers == "float16":
            return np.asarray(x).astype(np.float16).astype(np.float32)
        if self.numbers == "bfloat16":
            bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
            near = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
            return np.where(np.isnan(x), x, near)
        return np.asarray(x, self.type)

    def affine(self, name: str, x: Any) -> Any:
        """The rows x @ weight + bias."""
        product = self.round(x @ self.tensors[f"{name}.weight"])
        return self.round(product + self.tensors[f"{name}.bias"])

    def embed(self, rows: list[int]) -> Any:
        """The stream before the first block, without the input MLP."""
        x = self.tensors["embedding"][rows]
        about, n, added = self.about["positions"], len(rows), None
        if about["functions"]:
            values = np.array([[place(name, i, n) for name in about["functions"]] for i in range(n)])
            added = self.round(self.round(values) @ self.tensors["positions.weight"])
        if about["table"]:
            table = self.tensors["positions.table"][:n]
            added = table if added is None else self.round(added + table)
        return x if added is None else self.round(x + added)

    def mlp(self, about: dict[str, Any], name: str, x: Any) -> Any:
        """What an MLP adds to the stream."""
        for number in range(about["maps"]):
            x = self.affine(f"{name}.maps.{number}", x)
            if number < about["maps"] - 1:
                x = self.activate(about["activation"], x)
        return x

    def activate(self, kind: str, x: Any) -> Any:
        """ReLU, or GELU in float64, rounded once."""
        if kind == "relu":
            return np.maximum(x, 0)
        y = x.astype(np.float64)
        if kind == "gelu":
            return self.round(y * 0.5 * (1 + np.vectorize(math.erf)(y / math.sqrt(2))))
        return self.round(0.5 * y * (1 + np.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y**3))))

    def norm(self, about: dict[str, Any] | None, name: str, x: Any) -> Any:
        """The rows after a norm, if there is one."""
        if about is None:
            return x
        if about["kind"] == "layer":
            x = self.round(x - self.round(x.mean(axis=-1, keepdims=True)))
        square = self.round((x * x).sum(axis=-1, keepdims=True) / self.type(x.shape[-1]))
        root = self.round(np.sqrt(self.round(square + self.round(about["epsilon"]))))
        scaled = self.round(self.round(x / root) * self.tensors[f"{name}.gain"])
        return self.round(scaled + self.tensors[f"{name}.bias"])

    def head(self, about: dict[str, Any], name: str, x: Any) -> Any:
        """The means of the values, a row for each query, before `output`."""
        scale = self.round(np.float64(about["scale"]))
        q = self.round(self.affine(f"{name}.query", x) * scale)
        rows = range(len(x))
        if about["kind"] == "tensor":
            k1, k2, v1, v2 = (self.affine(f"{name}.{part}", x) for part in ("key1", "key2", "value1", "value2"))
        else:
            k1, v1 = self.affine(f"{name}.key", x), self.affine(f"{name}.value", x)
        result = np.zeros((len(x), v1.shape[1]), self.type)
        for i in rows:
            keys = [j for j in rows if SEEN[about["mask"]](i, j)]
            if about["kind"] == "tensor":
                scores = [self.round(self.round(q[i] * k1[j]) @ k2[m]) for j in keys for m in keys]
                values = [v1[j] * v2[m] for j in keys for m in keys]
                if about.get("sink"):  # a pair of its own, the last of all
                    one, two, first, second = (
                        self.tensors[f"{name}.sink.{part}"] for part in ("key1", "key2", "value1", "value2")
                    )
                    scores.append(self.round(self.round(q[i] * one) @ two))
                    values.append(first * second)
                result[i] = self.mean("softmax", scores, values, len(values))
                continue
            key, value = list(k1[keys]), list(v1[keys])
            if about["sink"]:  # the last of all keys
                key.append(self.tensors[f"{name}.sink.key"])
                value.append(self.tensors[f"{name}.sink.value"])
            scores = [self.score(about["attention"], q[i], k) for k in key]
            result[i] = self.mean(about["attention"], scores, value, v1.shape[1])
        return result

    def score(self, kind: str, q: Any, k: Any) -> Any:
        """The score of a key: for hard attention the products are added one after the other."""
        if not kind.endswith("-hard"):
            return self.round(q @ k)
        total = self.type(0)
        for a, b in zip(q, k, strict=True):
            total = total + a * b
        return np.fmax(self.round(total), np.finfo(self.type).min)

    def mean(self, kind: str, scores: list[Any], values: list[Any], width: int) -> Any:
        """The mean of values: their weighted sum, divided by the sum of the weights."""
        if not scores:
            return 0
        s, v = np.array(scores, self.type), np.array(values, self.type)
        top = s == s.max()
        if kind == "softmax":
            w = self.round(np.exp(self.round(s - s.max())))
        elif kind == "sparsemax":
            w = self.sparsemax(s)
        elif kind == "average-hard":
            w = top.astype(self.type)
        else:
            chosen = np.nonzero(top)[0][0 if kind == "leftmost-hard" else -1]
            w = (np.arange(len(s)) == chosen).astype(self.type)
        below = self.type(1) if kind == "sparsemax" else self.round(w.sum())
        return self.round(self.round(w @ v) / below)

    def sparsemax(self, s: Any) -> Any:
        """The numbers max(s - t, 0) whose sum is 1."""
        fine = s.astype(np.float64) - float(s.max())
        high = np.sort(fine)[::-1]
        size = max(m for m in range(1, len(s) + 1) if 1 + m * high[m - 1] > high[:m].sum())
        return self.round(np.maximum(fine - (high[:size].sum() - 1) / size, 0))

    def block(self, about: dict[str, Any], name: str, x: Any) -> Any:
        """The stream after a block."""
        before = self.about["norm_place"] == "before"
        inside = self.norm(about["attention_norm"], f"{name}.attention_norm", x) if before else x
        means = [self.head(head, f"{name}.heads.{h}", inside) for h, head in enumerate(about["heads"])]
        outputs = [self.tensors[f"{name}.heads.{h}.output"] for h in range(len(means))]
        empty = np.zeros((len(x), 0), self.type), np.zeros((0, x.shape[1]), self.type)
        written = self.round(np.hstack([empty[0], *means]) @ np.vstack([empty[1], *outputs]))
        x = self.round(x + self.round(written + self.tensors[f"{name}.bias"]))
        if not before:
            x = self.norm(about["attention_norm"], f"{name}.attention_norm", x)
        if about["mlp"] is not None:
            inside = self.norm(about["mlp_norm"], f"{name}.mlp_norm", x) if before else x
            x = self.round(x + self.mlp(about["mlp"], f"{name}.mlp", inside))
        return x if before else self.norm(about["mlp_norm"], f"{name}.mlp_norm", x)

    def logits(self, word: list[Any]) -> Any:
        """The outputs for a word, a row for each of its tokens."""
        known = {(type(t), t): row for row, t in enumerate(map(token, self.about["vocabulary"]))}
        before = [token(t) for t in self.about["prefix"]]
        shortest, longest = self.about["min_length"], self.about["max_length"]
        if len(word) < shortest or (longest is not None and len(word) > longest):
            raise ValueError("the model is not made for words of this length")
        rows = [known[type(t), t] for t in [*before, *word]]
        x = self.embed(rows)
        if self.about["input_mlp"] is not None:
            x = self.round(x + self.mlp(self.about["input_mlp"], "input_mlp", x))
        for number, about in enumerate(self.about["blocks"]):
            x = self.block(about, f"blocks.{number}", x)
        x = self.norm(self.about["readout"]["norm"], "readout.norm", x)
        return self.affine("readout.map", x)[len(before) :]

    def answers(self, word: list[Any]) -> list[Any]:
        """The decoded answers for a word."""
        decoding, rows = self.about["decoding"], self.logits(word)
        if decoding["kind"] == "classes":
            return [token(decoding["values"][int(np.argmax(row))]) for row in rows]
        numbers = [float(row[0]) for row in rows]
        if decoding["kind"] == "numbers":
            return numbers
        if decoding["kind"] == "nearest":
            return [token(decoding["values"][nearest(decoding["codes"], x)]) for x in numbers]
        unit = Fraction(decoding["unit"]).limit_denominator(1_000_000)
        unit = unit if float(unit) == decoding["unit"] else Fraction(decoding["unit"])
        kind = round if decoding.get("whole") else float
        return [kind(Fraction(x).limit_denominator(decoding["most"]) * unit) for x in numbers]
