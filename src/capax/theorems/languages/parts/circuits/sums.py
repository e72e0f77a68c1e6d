"""A circuit as comparisons of sums: every gate is a sum of wires, some subtracted, that is at least a number."""

from collections import Counter
from dataclasses import dataclass

from capax.formal.circuits.circuit import Circuit, Gate


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
