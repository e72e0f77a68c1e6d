"""From planned heads and stages over wires to a model with a slot for every direction."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from capax.compiler.budget import Meter
from capax.compiler.domain import Domain
from capax.compiler.encode.signals import Direction, Sum, Wire
from capax.compiler.layout.layered_mlp import cut, mlp_of
from capax.compiler.layout.network import Network, PlannedHead
from capax.compiler.layout.slots import Heads, Layout, Sublayer, one_each, used_again
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Readout, Sink
from capax.model.positions import Positions
from capax.model.provenance import HeadClaim, Provenance
from capax.model.vocabulary import Decoding, Vocabulary
from capax.rasp.ir.nodes import Node


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """The readout over wires, one sum per logit, and what the logits mean."""

    logits: tuple[Sum, ...]
    decoding: Decoding


def assemble(network: Network, output: Output, depth: int, numbering: Mapping[Node, int], meter: Meter) -> Model:
    """The model of a network; with slots used again where that makes it smaller.

    `numbering` numbers the program's nodes: the model records which of them each head computes.
    """
    sublayers, kinds = _sublayers(network, depth)
    first = _first(network, sublayers, output)
    meter.spend(_refuse_giants(network, first, sublayers, output) // 100, None)
    layouts = [one_each(first, sublayers)]
    if not network.domain.keep_all:
        layouts.append(used_again(first, sublayers, output.logits))
    models = [_model(network, output, layout, kinds, numbering) for layout in layouts]
    return min(models, key=lambda m: sum(array.size for _, array in m.arrays()))


PER_BUDGET = 2500
"""A model may have so many parameters for each unit of the budget: 50 million at the usual one."""


MOST_HELD = 500_000_000
"""A model of more parameters has a file beyond the limit of 2,000,000,000 bytes, whatever the budget."""


def _refuse_giants(network: Network, first: list[Direction], sublayers: list[Sublayer], output: Output) -> int:
    """About how many weights the model has; refuses one whose weights would not fit the budget, before any is made."""
    width = len(first) + sum(len(s.written() if isinstance(s, Heads) else s.writes) for s in sublayers)
    count = width * (len(network.domain.alphabet) + network.domain.max_length + len(output.logits))
    for sublayer in sublayers:
        if isinstance(sublayer, Heads):
            count += sum(width * (2 * len(h.pairs) + 2 * len(h.outputs)) for h in sublayer.heads)
        else:
            sizes = [width, *map(len, sublayer.units), width]
            count += sum(a * b for a, b in pairwise(sizes))
    _refuse_many(count, network.domain)
    return count


def _refuse_many(count: int, domain: Domain) -> None:
    most = PER_BUDGET * domain.budget
    if count > most:
        raise CapaxError(
            "too-many-values",
            f"the model would have about {count:,} parameters; the budget allows {most:,}",
            hint="shorten max_length, or use fewer tokens" + (", or raise the budget" if count <= MOST_HELD else ""),
        )


def _sublayers(network: Network, depth: int) -> tuple[list[Sublayer], list[int]]:
    """The sublayers in order, and the number of the block that each belongs to; the input MLP is block 0."""
    found: list[Sublayer] = []
    blocks: list[int] = []
    block = 0
    _refuse_many(sum(circuit.least_weights() for circuit in network.circuits.values()), network.domain)
    for layer in range(depth + 1):
        if layer:
            block += 1
            found.append(Heads(tuple(h for h in network.heads if h.layer == layer)))
            blocks.append(block)
        stages = network.circuits[layer].finish() if layer in network.circuits else None
        for number, piece in enumerate(cut(stages, network.domain.mlp_depth or stages.depth) if stages else ()):
            block += bool(number)
            found.append(piece)
            blocks.append(block)
    return found, blocks


def _first(network: Network, sublayers: list[Sublayer], output: Output) -> list[Direction]:
    """The directions that the embedding and the positions write and somebody reads."""
    read = {d for s in output.logits for d in s.directions()}
    for sublayer in sublayers:
        read |= sublayer.read()
    return [d for d in (*network.by_token, *network.by_place) if d in read]


def _model(network: Network, output: Output, layout: Layout, blocks: list[int], numbering: Mapping[Node, int]) -> Model:
    domain, slots = network.domain, layout.slots
    width = max(len(layout.names), 1)
    heads: dict[int, tuple[Head, ...]] = {}
    mlps: dict[int, Mlp] = {}
    for number, sublayer in zip(blocks, layout.sublayers, strict=True):
        if isinstance(sublayer, Heads):
            heads[number] = tuple(_head(h, slots, width, domain.dtype) for h in sublayer.heads)
        else:
            mlps[number] = mlp_of(sublayer, slots, width, domain.dtype)
    count = max(blocks, default=0)
    claims: list[tuple[HeadClaim, ...]] = [()] * count
    for number, sublayer in zip(blocks, layout.sublayers, strict=True):
        if isinstance(sublayer, Heads):
            claims[number - 1] = tuple(
                HeadClaim(tuple(numbering[n] for n in h.computes), h.part) for h in sublayer.heads
            )
    none: Array = np.zeros(width, domain.dtype)
    return Model(
        vocabulary=Vocabulary(domain.alphabet),
        embedding=_embedding(network, slots, width),
        positions=_positions(network, slots, width),
        input_mlp=mlps.get(0),
        blocks=tuple(Block(heads.get(n, ()), none, mlps.get(n)) for n in range(1, count + 1)),
        readout=Readout(_columns(output.logits, slots, width, domain.dtype)),
        decoding=output.decoding,
        names=layout.names or ("nothing",),
        numbers=domain.dtype,
        max_length=domain.max_length,
        provenance=Provenance(heads=tuple(claims)),
    )


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
