"""What each part of a model does, in words: which directions a head reads and writes, and what it is for."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from capax.model.claim import claim
from capax.model.model import Model
from capax.model.numbers import Fixed, parse
from capax.model.parts import (
    Affine,
    AnyHead,
    AnyMlp,
    Array,
    Block,
    GatedMlp,
    Head,
    OracleMap,
    Origin,
    PairSink,
    RotaryHead,
    Sink,
    TensorHead,
)

Plain: TypeAlias = dict[str, Any]


def explain(model: Model) -> Plain:
    """A model as plain data for reading: its parts in the order of computation, each with what it reads and writes.

    Directions are named; with each stands its largest weight in absolute value, and the largest come first.
    """
    teller = _Teller(model)
    return {
        "numbers": model.numbers,
        "attention_layers": model.depth,
        "width": model.width,
        "vocabulary": list(model.vocabulary.tokens),
        "prefix": list(model.prefix),
        "min_length": model.min_length,
        "max_length": model.max_length,
        "directions": list(model.names),
        "positions": teller.positions(),
        "input_mlp": teller.mlp(model.input_mlp),
        **({} if model.loop is None else {"loop": model.loop.to_json()}),
        "layers": [teller.block(block, number) for number, block in enumerate(model.blocks, 1)],
        "readout": teller.reads([model.readout.map]),
        "decoding": model.decoding.to_json(),
        "claim": claim(model.provenance),
        "facts": model.provenance.to_json(),
    }


class _Teller:
    """Knows the names of the directions and the unit of the numbers."""

    def __init__(self, model: Model) -> None:
        self.model = model
        system = parse(model.numbers)
        self.unit = 2.0**-system.fraction if isinstance(system, Fixed) else 1.0

    def positions(self) -> Plain:
        positions = self.model.positions
        writes = [
            {"function": f, "writes": self.named(row)}
            for f, row in zip(positions.functions, positions.weight, strict=True)
        ]
        return {"functions": writes, "table_rows": None if positions.table is None else len(positions.table)}

    def block(self, block: Block, number: int) -> Plain:
        return {
            "layer": number,
            "attention_norm": block.attention_norm.kind if block.attention_norm else None,
            "heads": [self.head(head, f"{number}.{index}") for index, head in enumerate(block.heads, 1)],
            "bias": self.named(block.bias),
            "mlp_norm": block.mlp_norm.kind if block.mlp_norm else None,
            "mlp": self.mlp(block.mlp),
        }

    def head(self, head: AnyHead, label: str) -> Plain:
        match head:
            case Head():
                kind: str = head.attention
                sink: Sink | PairSink | None = head.sink
                keys, values = [head.key], [head.value]
            case RotaryHead():
                kind, sink, keys, values = "softmax, rotary positions", None, [head.key], [head.value]
            case TensorHead():
                kind, sink = "third-order softmax", head.sink
                keys, values = [head.key1, head.key2], [head.value1, head.value2]
        return {
            "head": label,
            "name": head.name,
            "origin": _origin(head.origin),
            "kind": kind,
            "mask": head.mask,
            "sink": sink is not None,
            "scale": head.scale,
            "dimension": head.query.outputs,
            "value_dimension": values[0].outputs,
            "query": self.reads([head.query]),
            "key": self.reads(keys),
            "value": self.reads(values),
            "writes": self.named(_largest(head.output, 0)),
            "sink_writes": [] if sink is None else self.named(_sink_value(sink) @ head.output * self.unit),
        }

    def mlp(self, mlp: AnyMlp | OracleMap | None) -> Plain | None:
        if mlp is None:
            return None
        if isinstance(mlp, OracleMap):
            return {"oracle": mlp.name}
        if isinstance(mlp, GatedMlp):
            return {
                "depth": 1,
                "units": [mlp.up.outputs],
                "activation": "swiglu",
                "reads": self.reads([mlp.gate, mlp.up]),
                "writes": self.named(_largest(mlp.down.weight, 0)),
                "purposes": [],
            }
        return {
            "depth": mlp.depth,
            "units": [m.outputs for m in mlp.maps[:-1]],
            "activation": mlp.activation,
            "reads": self.reads([mlp.maps[0]]),
            "writes": self.named(_largest(mlp.maps[-1].weight, 0)),
            "purposes": _purposes(unit for stage in mlp.units for unit in stage),
        }

    def reads(self, maps: Sequence[Affine]) -> list[Plain]:
        """The directions that maps read; a constant that they add counts as the direction `1`."""
        weight = _largest(np.concatenate([_largest(m.weight, 1)[:, None] for m in maps], axis=1), 1)
        constant = max((float(np.max(np.abs(m.bias.astype(float)), initial=0)) for m in maps), default=0.0)
        directions = self.named(weight)
        return directions + ([{"direction": CONSTANT, "weight": constant * self.unit}] if constant else [])

    def named(self, weights: Array) -> list[Plain]:
        """The directions with a weight that is not zero, the largest first."""
        order = np.argsort(-np.abs(weights.astype(float)), kind="stable")
        return [
            {"direction": self.model.names[i], "weight": float(weights[i]) * self.unit}
            for i in order
            if weights[i] != 0
        ]


CONSTANT: Final = "1"
"""What stands for a bias among the directions that a map reads."""


def _largest(weight: Array, axis: int) -> Array:
    """For each line along an axis the entry of largest absolute value, with its sign."""
    if weight.shape[axis] == 0:
        return np.zeros(weight.shape[1 - axis], weight.dtype)
    index = np.expand_dims(np.argmax(np.abs(weight.astype(float)), axis=axis), axis)
    entries: Array = np.take_along_axis(weight, index, axis).squeeze(axis)
    return entries


def _sink_value(sink: Sink | PairSink) -> Array:
    """What a sink gives to a query that attends to nothing else."""
    if isinstance(sink, Sink):
        return sink.value.astype(float)
    return np.asarray(sink.value1.astype(float) * sink.value2.astype(float))


def _origin(origin: Origin | None) -> Plain | None:
    return None if origin is None else {"what": origin.what, "location": origin.location}


def _purposes(units: Iterable[Origin]) -> list[Plain]:
    """The origins of units, each once with how many units it has, in the order of their first unit."""
    counts: dict[Origin, int] = {}
    for unit in units:
        counts[unit] = counts.get(unit, 0) + 1
    return [{"what": origin.what, "location": origin.location, "units": count} for origin, count in counts.items()]
