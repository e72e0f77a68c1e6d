"""Threshold circuits of a fixed input length by softmax.

Statement: for every circuit of threshold, AND, OR and NOT gates of unbounded fan-in with n inputs, g gates besides NOT
and depth d (NOT not counted) there is a transformer of d layers with at most two softmax heads each, g - 1 blank tokens
before the word, a table of positions, width n + g + d + 4 and two ReLU units in a layer, whose answer at the last
position of every word of n bits is the circuit's output. For circuits of constant depth and polynomial size, TC0, depth
is constant and width polynomial. A wire may stand in a gate several times.
Idea: each gate has a position, and attends to the positions of its wires. A wire that it reads m times has ln m more in
its score, and the sink takes what is left up to the greatest number W of wires of a gate: so the mean is the sum over
W. One head adds, one subtracts, and two units compare the sum with the gate's number.
Cite: Merrill and Sabharwal (2023), The parallelism tradeoff: limitations of log-precision transformers: such models are
in TC0, the other direction. The blank tokens follow Pfau, Merrill and Bowman (2024).
Scope: one model for each length, as for circuits: nothing is uniform. All words of up to 12 bits are tried. Sums are
right if they are off by less than 1/4, so the leak of the softmax, exp(-128), does not matter, over real numbers
either. Circuits with more than about 50,000,000 weights are refused. Parity has n + 1 gates at depth two, where AND and
OR need 2^(n-1) + 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.formal.circuits.circuit import Circuit, majority_circuit
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.languages.circuit import computed, computes
from capax.theorems.languages.parts.circuits.random_circuits import parity_by_thresholds, random_thresholds
from capax.theorems.languages.parts.circuits.threshold_gates import sums, weighing

NAME = "threshold-circuit"


def by_sums(circuit: Circuit) -> Model:
    """The model of a circuit."""
    return weighing(sums(circuit))


def circuit_of(gates: str, inputs: int, width: int, depth: int, seed: int) -> Circuit:
    """A random circuit, that of one gate for majority, or that of depth two for parity."""
    if gates == "majority":
        return majority_circuit(inputs)
    return parity_by_thresholds(inputs) if gates == "parity" else random_thresholds(inputs, width, depth, seed)


@dataclass(frozen=True, slots=True)
class ThresholdCircuitParameters:
    """The parameters of the theorem."""

    gates: str = parameter("random", "the circuit", choices=("random", "majority", "parity"))
    inputs: int = parameter(8, "the number n of bits", 1, 200)
    width: int = parameter(6, "the gates of a layer of a random circuit", 1, 500)
    depth: int = parameter(3, "the layers of a random circuit", 1, 50)
    seed: int = parameter(0, "of a random circuit", 0, 2**31)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: ThresholdCircuitParameters) -> Model:
    """The model of the circuit."""
    return by_sums(circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed)).to(at.dtype)


def verify(model: Model, at: ThresholdCircuitParameters) -> Report:
    """Whether a model computes the circuit: all words of bits if these are few, and else random ones."""
    return computes(model, circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed))


def prove(model: Model, at: ThresholdCircuitParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all inputs of this size, if these are not too many."""
    return computed(model, circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed))


def size(at: ThresholdCircuitParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the circuit's."""
    circuit = circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed)
    plain, built = sums(circuit), by_sums(circuit).size
    count, deep = len(plain.gates), plain.depth[plain.output]
    return (
        SizeRow("gates g, NOT left out", count),
        SizeRow("layers", built.attention_layers, deep, "the depth, NOT not counted"),
        SizeRow("heads per layer", max(built.heads), 2, "to add and to subtract"),
        SizeRow("blank tokens", count - 1, count - 1, "a position for each gate but the output"),
        SizeRow("width of the stream", built.width, at.inputs + count + deep + 4, "n + g + d + 4"),
        SizeRow("ReLU units", built.hidden, 2),
        SizeRow("most wires of a gate W", plain.heaviest),
        SizeRow("a sum that is off by", 1 / (4 * plain.heaviest), "1 / (4 W)", "of a mean is still right"),
    )


def break_it(at: ThresholdCircuitParameters) -> Report:
    """An output gate that asks for one more of its wires: sums that differ by one have to be told apart."""
    circuit = circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed)
    plain = sums(circuit)
    output = plain.gates[plain.output]
    plain.gates[plain.output] = type(output)(output.plus, output.minus, output.least + 1)
    report = computes(weighing(plain).to(at.dtype), circuit)
    return replace(report, statement=f"{report.statement}, with an output gate that asks for one more of its wires")


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Circuits of any gates."""
    if isinstance(thing, Circuit):
        note = f"for words of exactly {thing.inputs} bits"
        yield Route(
            NAME, "a position for each gate, wires weighed; softmax", lambda: by_sums(thing), thing.inputs, note=note
        )


THEOREM = theorem_in(
    __name__,
    ThresholdCircuitParameters,
    assumptions=("a table of positions", "words of one length", "blank tokens before the word", "a sink in every head"),
    attention="softmax; no mask",
    precision="O(log W) bits, where W is the most wires of a gate",
    breaks="construction",
    small=(
        {"gates": "majority", "inputs": 9},
        {"gates": "parity", "inputs": 10},
        {"dtype": "float32", "seed": 5},
        {"inputs": 1, "width": 1, "depth": 1},
        {"inputs": 30, "width": 10, "depth": 5, "seed": 3},
    ),
    large=({"gates": "parity", "inputs": 100}, {"inputs": 12, "width": 30, "depth": 8, "seed": 1}),
)
