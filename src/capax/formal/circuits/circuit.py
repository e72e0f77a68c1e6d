"""Boolean and threshold circuits of unbounded fan-in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from capax.errors import CapaxError

Kind: TypeAlias = Literal["not", "and", "or", "threshold"]


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate on earlier wires. `threshold`: at least `least` of its inputs are true; a wire may stand in it twice."""

    kind: Kind
    inputs: tuple[int, ...]
    least: int = 0


@dataclass(frozen=True, slots=True)
class Circuit:
    """A circuit: wires 0 to `inputs` - 1 are the input bits, wire `inputs` + g is gate g; `output` is a wire.

    >>> either = Circuit(2, (Gate("or", (0, 1)),), 2)
    >>> either((False, True))
    True
    """

    inputs: int
    gates: tuple[Gate, ...]
    output: int

    def __post_init__(self) -> None:
        _require(self.inputs >= 1, "a circuit has at least one input")
        for at, gate in enumerate(self.gates, self.inputs):
            _require(
                all(0 <= wire < at for wire in gate.inputs), f"wire {at} reads a wire that does not come before it"
            )
            _require(gate.kind in ("not", "and", "or", "threshold"), f"there is no gate {gate.kind!r:.60}")
            _require(gate.kind != "not" or len(gate.inputs) == 1, f"the NOT gate at wire {at} has not one input")
        _require(0 <= self.output < self.inputs + len(self.gates), f"there is no wire {self.output}")

    def values(self, bits: Sequence[bool]) -> list[bool]:
        """The value on each wire."""
        if len(bits) != self.inputs:
            raise CapaxError("word-length", f"the circuit reads {self.inputs} bits, and the word has {len(bits)}")
        values = [bool(bit) for bit in bits]
        for gate in self.gates:
            values.append(_value(gate, [values[wire] for wire in gate.inputs]))
        return values

    def __call__(self, bits: Sequence[bool]) -> bool:
        return self.values(bits)[self.output]

    def depths(self) -> list[int]:
        """The most gates, NOT included, on a way from an input to each wire."""
        depths = [0] * self.inputs
        for gate in self.gates:
            depths.append(1 + max((depths[wire] for wire in gate.inputs), default=0))
        return depths

    @property
    def depth(self) -> int:
        """The most gates on a way from an input to the output."""
        return self.depths()[self.output]

    @property
    def size(self) -> int:
        """The number of gates."""
        return len(self.gates)

    @property
    def is_boolean(self) -> bool:
        """Whether it has no threshold gates, as in AC0."""
        return all(gate.kind != "threshold" for gate in self.gates)


def _value(gate: Gate, bits: list[bool]) -> bool:
    match gate.kind:
        case "not":
            return not bits[0]
        case "and":
            return all(bits)
        case "or":
            return any(bits)
        case "threshold":
            return bool(sum(bits) >= gate.least)
        case _:
            assert_never(gate.kind)


def table_circuit(inputs: int, accepted: Sequence[Sequence[bool]]) -> Circuit:
    """The circuit of depth three (NOT, AND, OR) that accepts exactly the given words of bits."""
    gates = [Gate("not", (wire,)) for wire in range(inputs)]
    for bits in accepted:
        gates.append(Gate("and", tuple(wire if bit else inputs + wire for wire, bit in enumerate(bits))))
    ands = tuple(range(2 * inputs, 2 * inputs + len(accepted)))
    return Circuit(inputs, (*gates, Gate("or", ands)), inputs + len(gates))


def majority_circuit(inputs: int) -> Circuit:
    """One threshold gate: more than half of the inputs are true."""
    return Circuit(inputs, (Gate("threshold", tuple(range(inputs)), inputs // 2 + 1),), inputs)


def _require(right: bool, what: str) -> None:
    if not right:
        raise CapaxError("bad-automaton", what, hint="gates read wires that come before them")
