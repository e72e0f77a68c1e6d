"""A boolean circuit without NOT gates: every gate is an OR of wires that may be negated, and so is the output."""

from dataclasses import dataclass
from typing import TypeAlias

from capax.errors import CapaxError
from capax.formal.circuits.circuit import Circuit

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
