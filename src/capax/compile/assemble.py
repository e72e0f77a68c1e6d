"""From planned heads and stages over wires to a model with a slot for every direction."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.compile.circuit import Stages, mlp_of
from capax.compile.domain import Domain
from capax.compile.network import Network, PlannedHead
from capax.compile.wires import Direction, Sum, Wire
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Readout, Sink
from capax.model.positions import Positions
from capax.model.vocabulary import Decoding, Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """The readout over wires, one sum per logit, and what the logits mean."""

    logits: tuple[Sum, ...]
    decoding: Decoding


def assemble(network: Network, output: Output, depth: int, facts: Mapping[str, Any]) -> Model:
    """The model of a network."""
    domain = network.domain
    stages = {layer: circuit.finish() for layer, circuit in network.circuits.items()}
    directions = _directions(network, stages, output)
    slots = {d: i for i, d in enumerate(directions)}
    width = max(len(directions), 1)
    mlps: dict[int, Mlp | None] = {
        layer: mlp_of(found, slots, width, domain.dtype) if found else None for layer, found in stages.items()
    }
    blocks = []
    for layer in range(1, depth + 1):
        heads = tuple(_head(h, slots, width, domain.dtype) for h in network.heads if h.layer == layer)
        blocks.append(Block(heads, np.zeros(width, domain.dtype), mlps.get(layer)))
    return Model(
        vocabulary=Vocabulary(domain.alphabet),
        embedding=_embedding(network, slots, width),
        positions=_positions(network, slots, width),
        input_mlp=mlps.get(0),
        blocks=tuple(blocks),
        readout=Readout(_columns(output.logits, slots, width, domain.dtype)),
        decoding=output.decoding,
        names=tuple(d.name for d in directions) or ("nothing",),
        numbers=domain.dtype,
        max_length=domain.max_length,
        facts=facts,
    )


def _directions(network: Network, stages: Mapping[int, Stages | None], output: Output) -> list[Direction]:
    """The directions that something reads or writes, in the order of their birth."""
    used: set[Direction] = {d for s in output.logits for d in s.directions()}
    for head in network.heads:
        used |= {d for pair in head.pairs for s in pair for d in s.directions()}
        used |= {d for s in head.values for d in s.directions()}
        used |= set(head.outputs)
    for found in stages.values():
        if found:
            used |= found.directions() | set(found.writes)
    return sorted(used, key=lambda d: d.born)


def _columns(sums: tuple[Sum, ...], slots: Mapping[Direction, int], width: int, dtype: str) -> Affine:
    weight: Array = np.zeros((width, len(sums)), dtype)
    bias: Array = np.zeros(len(sums), dtype)
    for column, value in enumerate(sums):
        bias[column] = value.constant
        for wire, coefficient in value.terms.items():
            weight[_slot(wire, slots), column] = coefficient
    return Affine(weight, bias)


def _slot(wire: Wire, slots: Mapping[Direction, int]) -> int:
    assert isinstance(wire, Direction), wire.name
    return slots[wire]


def _head(head: PlannedHead, slots: Mapping[Direction, int], width: int, dtype: str) -> Head:
    output: Array = np.zeros((len(head.outputs), width), dtype)
    for row, direction in enumerate(head.outputs):
        output[row, slots[direction]] = 1
    sink = Sink(np.array(head.sink, dtype), np.array(head.defaults, dtype)) if head.defaults else None
    return Head(
        query=_columns(tuple(q for q, _ in head.pairs), slots, width, dtype),
        key=_columns(tuple(k for _, k in head.pairs), slots, width, dtype),
        value=_columns(head.values, slots, width, dtype),
        output=output,
        mask=head.mask,
        sink=sink,
        scale=head.scale,
        name=head.name,
        origin=head.origin,
    )


def _embedding(network: Network, slots: Mapping[Direction, int], width: int) -> Array:
    found: Array = np.zeros((len(network.domain.alphabet), width), network.domain.dtype)
    for direction, values in network.by_token.items():
        if direction in slots:
            found[:, slots[direction]] = values
    return found


def _positions(network: Network, slots: Mapping[Direction, int], width: int) -> Positions:
    domain: Domain = network.domain
    functions = {d: f for d, f in network.by_place.items() if isinstance(f, str) and d in slots}
    weight: Array = np.zeros((len(functions), width), domain.dtype)
    for row, direction in enumerate(functions):
        weight[row, slots[direction]] = 1
    tables = {d: f for d, f in network.by_place.items() if not isinstance(f, str) and d in slots}
    table: Array | None = np.zeros((domain.max_length, width), domain.dtype) if tables else None
    for direction, values in tables.items():
        assert table is not None
        table[:, slots[direction]] = values
    return Positions(tuple(functions.values()), weight, table)
