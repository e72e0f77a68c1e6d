"""A circuit of OR gates as a transformer: a position for each gate, a layer for each level of gates."""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.formal.circuits.circuit import Circuit
from capax.model.model import Model
from capax.model.parts import Block, HardKind
from capax.model.positions import Positions
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.weights.stream import Stream, Terms

Literal: TypeAlias = tuple[int, bool]
"""A wire, and whether it is negated."""


@dataclass(frozen=True, slots=True)
class Ors:
    """OR gates by wire number, those that the output needs alone, with the depth of each; `output` is a gate.

    `negated` says whether the answer is the opposite of the output.
    """

    inputs: int
    gates: dict[int, tuple[Literal, ...]]
    depth: dict[int, int]
    output: int
    negated: bool


def ors(circuit: Circuit) -> Ors:
    """A circuit as OR gates: AND is the opposite of an OR of opposites, and NOT is a mark on a wire."""
    if not circuit.is_boolean:
        what = "the circuit has threshold gates, which hard attention to one position does not compute"
        raise CapaxError("bad-option", what, hint="give a circuit of AND, OR and NOT gates")
    meaning: dict[int, Literal] = {wire: (wire, False) for wire in range(circuit.inputs)}
    gates: dict[int, tuple[Literal, ...]] = {}
    for wire, gate in enumerate(circuit.gates, circuit.inputs):
        read = [meaning[one] for one in gate.inputs]
        if gate.kind == "not":
            meaning[wire] = (read[0][0], not read[0][1])
            continue
        both = gate.kind == "and"
        gates[wire] = tuple(dict.fromkeys((one, negated != both) for one, negated in read))
        meaning[wire] = (wire, both)
    output, negated = meaning[circuit.output]
    if output < circuit.inputs:  # the output is an input: an OR of it alone
        gates[len(meaning)] = ((output, False),)
        output = len(meaning)
    needed = _needed(gates, output)
    depth = dict.fromkeys(range(circuit.inputs), 0)
    for wire in sorted(needed):
        depth[wire] = 1 + max((depth[one] for one, _ in gates[wire]), default=0)
    return Ors(circuit.inputs, {wire: gates[wire] for wire in sorted(needed)}, depth, output, negated)


def _needed(gates: dict[int, tuple[Literal, ...]], output: int) -> set[int]:
    needed: set[int] = set()
    stack = [output]
    while stack:
        wire = stack.pop()
        if wire in gates and wire not in needed:
            needed.add(wire)
            stack += [one for one, _ in gates[wire]]
    return needed


GATE = "gate"
MOST_WEIGHTS = 50_000_000
"""A layer has about four numbers for each pair of wires; more in all are refused."""


def require_room(wires: int, depth: int) -> None:
    """Refuses a circuit whose model would not fit into memory."""
    weights = 4 * wires * wires * max(1, depth)
    if weights > MOST_WEIGHTS:
        what = f"a model of {wires:,} wires and depth {depth:,} has about {weights:,} weights"
        raise CapaxError("too-large", what, hint=f"at most {MOST_WEIGHTS:,} are built: take a smaller circuit")


def gate_positions(circuit: Ors, attention: HardKind) -> Model:
    """The model of a circuit: blank tokens before the word are the positions of gates, the last position that of the
    output.

    A gate looks for a position whose wire it reads and whose value makes it true: the score is 1 there and 0 elsewhere,
    and the sink's 1/2 says that there is none.
    """
    require_room(circuit.inputs + len(circuit.gates), circuit.depth[circuit.output])
    inner = [wire for wire in circuit.gates if wire != circuit.output]
    order = [*inner, *range(circuit.inputs)]  # the wires in the order of their positions
    at = {wire: f"position of wire {wire}" for wire in order} | {circuit.output: "position of the output"}
    true = {wire: f"wire {wire} is true" for wire in order}
    stream = Stream((*at.values(), *true.values(), "value", "output"))
    depth = circuit.depth[circuit.output]
    blocks = [_block(stream, circuit, layer, at, true, attention) for layer in range(1, depth + 1)]
    table = stream.rows([{at[wire]: 1.0} for wire in order])
    table[-1, stream.names.index(at[circuit.output])] = 1.0
    inputs = {f"input {wire}": {at[wire]: 1.0, "value": 1.0, "": -1.0} for wire in range(circuit.inputs)}
    first = stream.mlp([inputs], {true[wire]: {f"input {wire}": 1.0} for wire in range(circuit.inputs)})
    model = recogniser(
        stream,
        {"0": {}, "1": {"value": 1.0}, GATE: {}},
        tuple(blocks),
        {"": 1.0, "output": -1.0} if circuit.negated else {"output": 1.0},
        input_mlp=first,
        prefix=(GATE,) * len(inner),
        max_length=circuit.inputs,
    )
    positions = Positions((), np.zeros((0, stream.width)), table)
    return replace(model, positions=positions, min_length=circuit.inputs)


def _block(
    stream: Stream, circuit: Ors, layer: int, at: dict[int, str], true: dict[int, str], attention: HardKind
) -> Block:
    """The layer for gates of a depth: a coordinate of queries and keys for each literal that one of them reads."""
    here = [wire for wire in circuit.gates if circuit.depth[wire] == layer]
    readers: dict[tuple[int, bool], dict[str, float]] = {}
    for wire in here:
        for literal in circuit.gates[wire]:
            readers.setdefault(literal, {})[at[wire]] = 1.0
    keys: list[Terms] = [
        {at[wire]: 1.0, true[wire]: -1.0} if negated else {true[wire]: 1.0} for wire, negated in readers
    ]
    last = layer == circuit.depth[circuit.output]
    head = stream.head(
        query=[*readers.values(), {"": 1.0}],
        key=[*keys, {}],
        value=[{"": 1.0}],
        into=["output" if last else "value"],
        sink=((*[0.0] * len(keys), 0.5), (0.0,)),
        attention=attention,
        name=f"gates of depth {layer}",
    )
    if last:
        return stream.block(head)
    units = {f"gate {wire}": {at[wire]: 1.0, "value": 1.0, "": -1.0} for wire in here}
    return stream.block(head, mlp=stream.mlp([units], {true[wire]: {f"gate {wire}": 1.0} for wire in here}))
