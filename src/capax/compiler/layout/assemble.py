"""Pass: the weights of a model, from a planned network and the slot of every direction."""

from collections.abc import Mapping

import numpy as np

from capax.compiler.domain import Domain, no_digits
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.layered_mlp import map_of, mlp_of
from capax.compiler.layout.network import Network, PlannedHead
from capax.compiler.layout.slots import HeadSublayer, SlotLayout
from capax.model.model import Model
from capax.model.parts import AnyHead, Array, Block, Head, Mlp, PairSink, Readout, Sink, TensorHead
from capax.model.positions import Positions
from capax.model.provenance import HeadClaim, Provenance
from capax.model.vocabulary import Vocabulary
from capax.rasp.ir.nodes import Node


def assemble(network: Network, layout: SlotLayout, numbering: Mapping[Node, int], shift: int | None) -> Model:
    """The model of a network.

    `numbering` numbers the program's nodes: the model records which of them each head computes. `shift` is the distance
    between the types of its answers, which it records too.
    """
    domain, slots, width = network.domain, layout.slots, layout.width
    numbers = assembled_in(domain)
    count = max(layout.blocks, default=0)
    heads: dict[int, tuple[AnyHead, ...]] = {}
    mlps: dict[int, Mlp] = {}
    claims: list[tuple[HeadClaim, ...]] = [()] * count
    for number, sublayer in zip(layout.blocks, layout.sublayers, strict=True):
        if isinstance(sublayer, HeadSublayer):
            heads[number] = tuple(head_of(h, slots, width, numbers) for h in sublayer.heads)
            claims[number - 1] = tuple(
                HeadClaim(tuple(numbering[n] for n in h.computes), h.part, h.keys) for h in sublayer.heads
            )
        else:
            mlps[number] = mlp_of(sublayer, slots, width, numbers)
    none: Array = np.zeros(width, numbers)
    model = Model(
        vocabulary=Vocabulary(domain.alphabet),
        embedding=_embedding(network, slots, width),
        positions=_positions(network, slots, width),
        input_mlp=mlps.get(0),
        blocks=tuple(Block(heads.get(n, ()), none, mlps.get(n)) for n in range(1, count + 1)),
        readout=Readout(map_of(network.readout.logits, slots, width, numbers)),
        decoding=network.readout.decoding,
        names=layout.names or ("nothing",),
        numbers=numbers,
        max_length=domain.max_length,
        provenance=Provenance(heads=tuple(claims), shift=shift),
    )
    return model if domain.dtype == numbers else _rounded(model, domain)


def _rounded(model: Model, domain: Domain) -> Model:
    """The model in the domain's own system; one whose integers that would change is rejected, since they are codes."""
    most, largest = 2**domain.digits, domain.max_length - 1 if model.positions.functions else 0
    for _, array in model.arrays():
        whole = np.abs(array[array == np.rint(array)])
        odd = np.ldexp(np.frexp(whole)[0], domain.digits)  # an integer of so many digits, if the system has the number
        largest = max(largest, int(np.max(whole[odd != np.rint(odd)], initial=0)))
    if largest > most:
        raise no_digits(f"the model would need the integer {largest:,}", domain)
    return model.to(domain.dtype)


def assembled_in(domain: Domain) -> str:
    """The number system of the arrays: that of the domain, or one that numpy has and from which it is rounded once."""
    return "float64" if domain.dtype == "bfloat16" else domain.dtype


def head_of(head: PlannedHead, slots: Mapping[Direction, int], width: int, dtype: str) -> AnyHead:
    """The weights of a planned head, with every direction in its slot."""
    output: Array = np.zeros((len(head.outputs), width), dtype)
    for row, direction in enumerate(head.outputs):
        output[row, slots[direction]] = 1
    if head.order == 3:
        return _tensor_head(head, slots, width, dtype, output)
    sink = Sink(np.array(head.sink, dtype), np.array(head.defaults, dtype)) if head.defaults else None
    return Head(
        query=map_of(tuple(pair[0] for pair in head.pairs), slots, width, dtype),
        key=map_of(tuple(pair[1] for pair in head.pairs), slots, width, dtype),
        value=map_of(head.values, slots, width, dtype),
        output=output,
        mask=head.mask,
        sink=sink,
        scale=head.scale,
        name=head.name,
        origin=head.origin,
    )


def _tensor_head(
    head: PlannedHead, slots: Mapping[Direction, int], width: int, dtype: str, output: Array
) -> TensorHead:
    """A head of third order: its value is that of the first key, times one at the second."""
    query, key1, key2 = (map_of(tuple(t[side] for t in head.pairs), slots, width, dtype) for side in range(3))
    ones = tuple(SignalSum(constant=1.0) for _ in head.values)
    sink = None
    if head.defaults:
        keys = np.array(head.sink, dtype), np.ones(len(head.sink), dtype)
        sink = PairSink(*keys, np.array(head.defaults, dtype), np.ones(len(head.defaults), dtype))
    return TensorHead(
        query=query,
        key1=key1,
        key2=key2,
        value1=map_of(head.values, slots, width, dtype),
        value2=map_of(ones, slots, width, dtype),
        output=output,
        mask=head.mask,
        scale=head.scale,
        name=head.name,
        origin=head.origin,
        sink=sink,
    )


def _embedding(network: Network, slots: Mapping[Direction, int], width: int) -> Array:
    embedding: Array = np.zeros((len(network.domain.alphabet), width), assembled_in(network.domain))
    for direction, values in network.by_token.items():
        if direction in slots:
            embedding[:, slots[direction]] = values
    return embedding


def _positions(network: Network, slots: Mapping[Direction, int], width: int) -> Positions:
    domain = network.domain
    functions = {d: f for d, f in network.by_position.items() if isinstance(f, str) and d in slots}
    weight: Array = np.zeros((len(functions), width), assembled_in(domain))
    for row, direction in enumerate(functions):
        weight[row, slots[direction]] = 1
    tables = {d: f for d, f in network.by_position.items() if not isinstance(f, str) and d in slots}
    table: Array | None = np.zeros((domain.max_length, width), assembled_in(domain)) if tables else None
    for direction, values in tables.items():
        assert table is not None
        table[:, slots[direction]] = values
    return Positions(tuple(functions.values()), weight, table)
