"""A circuit of threshold gates as a transformer of softmax heads: attention weighs the wires that a gate reads."""

import math
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from capax.formal.circuits.circuit import Circuit, Gate
from capax.model.model import Model
from capax.model.parts import Block, Head
from capax.model.positions import Positions
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.languages.parts.circuits.or_gates import GATE, require_room
from capax.theorems.weights.stream import Stream


@dataclass(frozen=True, slots=True)
class WeightedGate:
    """A gate: the wires of `plus`, each with its multiplicity, minus those of `minus` are at least `least`."""

    plus: dict[int, int]
    minus: dict[int, int]
    least: int


@dataclass(frozen=True, slots=True)
class GateSums:
    """Gates by wire number, those that the output needs alone, with the depth of each; `output` is a gate.

    `negated` says whether the answer is the opposite of the output.
    """

    inputs: int
    gates: dict[int, WeightedGate]
    depth: dict[int, int]
    output: int
    negated: bool

    @property
    def heaviest(self) -> int:
        """The most that a gate adds, or subtracts; at least 1."""
        sides = (side for gate in self.gates.values() for side in (gate.plus, gate.minus))
        return max((sum(side.values()) for side in sides), default=1) or 1


def sums(circuit: Circuit) -> GateSums:
    """A circuit as sums: OR is a sum of at least 1, AND one of at least all, NOT subtracts."""
    meaning = {wire: (wire, False) for wire in range(circuit.inputs)}
    gates: dict[int, WeightedGate] = {}
    for wire, gate in enumerate(circuit.gates, circuit.inputs):
        if gate.kind == "not":
            one, negated = meaning[gate.inputs[0]]
            meaning[wire] = (one, not negated)
            continue
        gates[wire] = _sum(gate, meaning)
        meaning[wire] = (wire, False)
    output, negated = meaning[circuit.output]
    if output < circuit.inputs:  # the output is an input: a sum of it alone
        gates[len(meaning)] = WeightedGate({output: 1}, {}, 1)
        output = len(meaning)
    needed, stack = set[int](), [output]
    while stack:
        wire = stack.pop()
        if wire in gates and wire not in needed:
            needed.add(wire)
            stack += [*gates[wire].plus, *gates[wire].minus]
    depth = dict.fromkeys(range(circuit.inputs), 0)
    for wire in sorted(needed):
        depth[wire] = 1 + max((depth[one] for one in (*gates[wire].plus, *gates[wire].minus)), default=0)
    return GateSums(circuit.inputs, {wire: gates[wire] for wire in sorted(needed)}, depth, output, negated)


def _sum(gate: Gate, meaning: dict[int, tuple[int, bool]]) -> WeightedGate:
    read = [meaning[wire] for wire in gate.inputs]
    if gate.kind != "threshold":
        read = list(dict.fromkeys(read))
    least = gate.least if gate.kind == "threshold" else len(read) if gate.kind == "and" else 1
    plus = Counter(wire for wire, negated in read if not negated)
    minus = Counter(wire for wire, negated in read if negated)
    low = -minus.total()  # the opposite of x is 1 - x
    return WeightedGate(dict(plus), dict(minus), min(max(least + low, low), plus.total() + 1))


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
    at = {wire: f"position of wire {wire}" for wire in order} | {circuit.output: "position of the output"}
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
