"""A circuit of threshold gates as a transformer of softmax heads: attention weighs the wires that a gate reads."""

import math
from dataclasses import replace

import numpy as np

from capax.model.model import Model
from capax.model.parts import Block, Head
from capax.model.positions import Positions
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.languages.parts.circuits.or_gates import GATE, require_room
from capax.theorems.languages.parts.circuits.sums import GateSums
from capax.theorems.weights.stream import Stream

HIGH = 128.0
"""The score of what is read; exp(-128) is beyond float32, and far below 1/4 in any sum."""


def weighing(circuit: GateSums, weighed: bool = True) -> Model:
    """The model of a circuit: blank tokens before the word are the positions of gates, the last position that of the
    output.

    The score of a wire that a gate reads m times is 128 + ln m, and that of the sink, which is worth nothing, 128 +
    ln (W - M), where M is the number of wires read and W the most of any gate: so a head has the sum over W. Without
    `weighed`, a wire that is read several times counts once.
    """
    require_room(circuit.inputs + len(circuit.gates), circuit.depth[circuit.output])
    inner = [wire for wire in circuit.gates if wire != circuit.output]
    order = [*inner, *range(circuit.inputs)]  # the wires in the order of their positions
    at = {wire: f"place of wire {wire}" for wire in order} | {circuit.output: "place of the output"}
    depth = circuit.depth[circuit.output]
    stream = Stream((*at.values(), *(f"depth {d}" for d in range(1, depth + 1)), "bit", "sum", "least", "output"))
    blocks = [_block(stream, circuit, layer, at, weighed) for layer in range(1, depth + 1)]
    rows: list[dict[str, float]] = [{at[wire]: 1.0} for wire in order]
    for wire, gate in circuit.gates.items():
        row = rows[-1] if wire == circuit.output else rows[inner.index(wire)]
        row |= {at[wire]: 1.0, f"depth {circuit.depth[wire]}": 1.0, "least": float(gate.least)}
    model = recogniser(
        stream,
        {"0": {}, "1": {"bit": 1.0}, GATE: {}},
        tuple(blocks),
        {"": 1.0, "output": -1.0} if circuit.negated else {"output": 1.0},
        prefix=(GATE,) * len(inner),
        max_length=circuit.inputs,
    )
    positions = Positions((), np.zeros((0, stream.width)), stream.rows(rows))
    return replace(model, positions=positions, min_length=circuit.inputs)


def _block(stream: Stream, circuit: GateSums, layer: int, at: dict[int, str], weighed: bool) -> Block:
    """The layer for gates of a depth: a head for what they add, and one for what they subtract."""
    here = [wire for wire in circuit.gates if circuit.depth[wire] == layer]
    heads = []
    for sign in (1.0, -1.0):
        reads = {wire: circuit.gates[wire].plus if sign > 0 else circuit.gates[wire].minus for wire in here}
        if any(reads.values()):
            heads.append(_head(stream, reads, circuit.heaviest, at, sign, weighed))
    if not heads:  # gates that read nothing: a head to the sink
        heads = [_head(stream, {wire: {} for wire in here}, circuit.heaviest, at, 1.0, weighed)]
    whole = 2.0 * circuit.heaviest
    # 2 (sum - least) + 3/2 is at most -1/2, or at least 3/2: between 0 and 1 the units cut it off
    off = 4.0 * whole + 8.0
    flag = f"depth {layer}"
    units = {
        "above 0": {"sum": whole, "least": -2.0, flag: off, "": 1.5 - off},
        "above 1": {"sum": whole, "least": -2.0, flag: off, "": 0.5 - off},
    }
    into = "output" if layer == circuit.depth[circuit.output] else "bit"
    return stream.block(*heads, mlp=stream.mlp([units], {into: {"above 0": 1.0, "above 1": -1.0}}))


def _head(
    stream: Stream, reads: dict[int, dict[int, int]], most: int, at: dict[int, str], sign: float, weighed: bool
) -> Head:
    """The sum of what each gate reads, over `most`; positions of no gate look at the sink alone."""
    wires = sorted({wire for some in reads.values() for wire in some})
    queries: list[dict[str, float]] = [
        {at[gate]: HIGH + (math.log(some[wire]) if weighed else 0.0) for gate, some in reads.items() if wire in some}
        for wire in wires
    ]
    rest: dict[str, float] = {"": HIGH}
    for gate, some in reads.items():
        left = most - sum(some.values())
        rest[at[gate]] = math.log(left) if left else -HIGH
    return stream.head(
        query=[*queries, rest],
        key=[*({at[wire]: 1.0} for wire in wires), {}],
        value=[{"bit": sign}],
        into=["sum"],
        sink=((*[0.0] * len(wires), 1.0), (0.0,)),
        name="what gates add" if sign > 0 else "what gates subtract",
    )
