"""Recurrent and fully connected networks for 1-sparse averaging, read from JSON.

A `recurrent` network reads N bits, one after the other, and is then asked for the bit at a position i. Its state is a
row of integers of p bits: h becomes clip(h @ state + input[bit] + bias), and the answer is 1 if h . read[i] > 0. A
`fully-connected` network reads numbers z_1 ... z_N and the position i as a one-hot row: its first layer is vectors @ z
+ positions @ onehot(i) + bias, then ReLU and further `layers`, the last with one unit: the answer z_i.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from capax.errors import CapaxError


@dataclass(frozen=True)
class IntegerRnn:
    """A recurrent network of d integers of `bits` bits."""

    length: int
    bits: int
    start: tuple[int, ...]
    state: tuple[tuple[int, ...], ...]
    input: tuple[tuple[int, ...], ...]
    bias: tuple[int, ...]
    read: tuple[tuple[int, ...], ...]
    key: str

    @property
    def state_bits(self) -> int:
        """The bits of a state."""
        return self.bits * len(self.start)


@dataclass(frozen=True)
class FullyConnected:
    """A fully connected network; weights are fractions, rows are units."""

    length: int
    vectors: tuple[tuple[Fraction, ...], ...]
    positions: tuple[tuple[Fraction, ...], ...]
    bias: tuple[Fraction, ...]
    layers: tuple[tuple[tuple[tuple[Fraction, ...], ...], tuple[Fraction, ...]], ...]
    key: str

    def answer(self, z: Sequence[Fraction], at: int) -> Fraction:
        """What the network says when it is asked for z at a position, exactly."""
        x = [
            sum((w * c for w, c in zip(row, z, strict=True)), self.positions[unit][at] + self.bias[unit])
            for unit, row in enumerate(self.vectors)
        ]
        for weight, bias in self.layers:
            x = [max(c, Fraction(0)) for c in x]
            x = [sum((w * c for w, c in zip(row, x, strict=True)), b) for row, b in zip(weight, bias, strict=True)]
        return x[0]


def read_net(text: str, name: str) -> IntegerRnn | FullyConnected:
    """The network of a text; what is none is an error."""
    try:
        data = json.loads(text)
        kind = data["kind"] if data.get("format") == "capax-net" else None
        key = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
        if kind == "recurrent":
            return _recurrent(data, key)
        if kind == "fully-connected":
            return _connected(data, key)
        raise ValueError('it is not a capax-net file of the kind "recurrent" or "fully-connected"')
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as problem:
        why = f"{problem.args[0]!r:.60} is missing" if isinstance(problem, KeyError) else str(problem)[:200]
        hint = "docs/how-to/fool-a-model.md describes the format"
        raise CapaxError("bad-model", f"{name} is not a network: {why}", hint=hint) from None


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def _row(values: Any, size: int, what: str) -> tuple[int, ...]:
    _need(isinstance(values, list) and len(values) == size, f"{what} does not have {size} numbers")
    _need(all(type(v) is int for v in values), f"{what} has a number that is not whole")
    return tuple(values)


def _rows(rows: Any, count: int, size: int, what: str) -> tuple[tuple[int, ...], ...]:
    _need(isinstance(rows, list) and len(rows) == count, f"{what} does not have {count} rows")
    return tuple(_row(row, size, what) for row in rows)


def _length(data: Mapping[str, Any]) -> int:
    length = data["length"]
    _need(type(length) is int and 1 <= length <= 10_000, "its length is not a number from 1 to 10,000")
    return int(length)


def _recurrent(data: Mapping[str, Any], key: str) -> IntegerRnn:
    length, bits, d = _length(data), data["bits"], len(data["start"])
    _need(type(bits) is int and 1 <= bits <= 30 and 1 <= d <= 1_000, "bits are 1 to 30, numbers 1 to 1,000")
    half = 1 << (bits - 1)
    start = _row(data["start"], d, "start")
    _need(all(-half <= v < half for v in start), "the start is not a state")
    state, entry = _rows(data["state"], d, d, "state"), _rows(data["input"], 2, d, "input")
    bias, read = _row(data["bias"], d, "bias"), _rows(data["read"], length, d, "read")
    most = max((abs(v) for rows in (state, entry, (bias,), read) for row in rows for v in row), default=0)
    _need(most < 1 << 24, "a weight is 2^24 or more")
    return IntegerRnn(length, bits, start, state, entry, bias, read, key)


def _fractions(values: Any, size: int, what: str) -> tuple[Fraction, ...]:
    _need(isinstance(values, list) and len(values) == size, f"{what} does not have {size} numbers")
    _need(all(_is_number(v) for v in values), f"{what} has something that is not a number")
    return tuple(Fraction(v) for v in values)


def _is_number(value: Any) -> bool:
    """Whether a value is a number of JSON or a text such as -1/2; a text such as 1e9999999 would fill the memory."""
    if isinstance(value, str):
        return re.fullmatch(r"-?[0-9]{1,400}(/0*[1-9][0-9]{0,400})?", value) is not None
    return type(value) in (int, float) and math.isfinite(value if isinstance(value, float) else 0.0)


def _connected(data: Mapping[str, Any], key: str) -> FullyConnected:
    length, units = _length(data), len(data["bias"])
    _need(length <= 500 and 1 <= units <= 2_000, "at most 500 numbers and 2,000 units")
    vectors, positions = (
        tuple(_fractions(row, length, what) for row in data[what]) for what in ("vectors", "positions")
    )
    _need(len(vectors) == len(positions) == units, "vectors, positions and bias have a row for each unit")
    layers, size = [], units
    for layer in data["layers"]:
        bias = _fractions(layer["bias"], len(layer["bias"]), "a bias")
        weight = tuple(_fractions(row, size, "a weight") for row in layer["weight"])
        _need(len(weight) == len(bias), "a layer has a weight row for each unit")
        layers.append((weight, bias))
        size = len(bias)
    _need(size == 1, "the last layer does not have one unit")
    return FullyConnected(length, vectors, positions, _fractions(data["bias"], units, "bias"), tuple(layers), key)
