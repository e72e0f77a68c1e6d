"""Boolean circuits of a fixed input length by hard attention.

Statement: for every circuit of AND, OR and NOT gates of unbounded fan-in with n inputs, g gates besides NOT, and depth
d (NOT not counted) there is a transformer of d layers with one head each that attends to one position, g - 1 blank
tokens before the word, a table of positions and width 2 (n + g) + 1, whose answer at the last position of every word of
n bits is the circuit's output. For circuits of constant depth and polynomial size, AC0, depth is constant and width
polynomial.
Idea: each gate has a position. An OR gate looks for a position whose wire it reads and that is true; the sink, with
half the score, says that there is none. An AND is the opposite of an OR of opposites, and NOT is a mark on a wire.
Cite: Hao, Angluin and Frank (2022), Formal language recognition by hard attention transformers: perspectives from
circuit complexity: such models are in AC0. Barcelo, Kozachinskiy, Lin and Podolskii (2024) and Strobl et al. (2024) for
which of AC0 they recognise. The blank tokens follow Pfau, Merrill and Bowman (2024), and are what makes the other
direction easy.
Scope: one model for each length, as for circuits: nothing is uniform. All words of up to 12 bits are tried. Every
number is 0, 1, -1 or 1/2. Threshold gates are refused here (threshold-circuit builds them). Parity has 2^(n-1) + 1
gates at depth two.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from capax.auditor.model_proof import ModelProof
from capax.formal.circuits.circuit import Circuit
from capax.model.model import Model
from capax.model.parts import HardKind
from capax.report import Report
from capax.tasks.base.task import Task
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, accepted, agreement
from capax.theorems.languages.parts.circuits.or_gates import gate_positions, ors
from capax.theorems.languages.parts.circuits.random_circuits import parity_circuit, random_circuit
from capax.theorems.proofs import proved_size

NAME = "circuit"
MOST_BITS = 12
SAMPLES = 300
SEED = LANGUAGES.seed


def by_gates(circuit: Circuit, attention: HardKind = "rightmost-hard") -> Model:
    """The model of a circuit."""
    return gate_positions(ors(circuit), attention)


def circuit_of(gates: str, inputs: int, width: int, depth: int, seed: int) -> Circuit:
    """A random circuit, or that of depth two for parity."""
    return parity_circuit(inputs) if gates == "parity" else random_circuit(inputs, width, depth, seed)


@dataclass(frozen=True, slots=True)
class CircuitParameters:
    """The parameters of the theorem."""

    gates: str = parameter("random", "the circuit", choices=("random", "parity"))
    inputs: int = parameter(8, "the number n of bits", 1, 200)
    width: int = parameter(6, "the gates of a layer of a random circuit", 1, 500)
    depth: int = parameter(4, "the layers of a random circuit", 1, 50)
    seed: int = parameter(0, "of a random circuit", 0, 2**31)
    attention: HardKind = parameter("rightmost-hard", "which position", choices=("rightmost-hard", "leftmost-hard"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32", "float16", "bfloat16"))


def construct(at: CircuitParameters) -> Model:
    """The model of the circuit."""
    return by_gates(circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed), at.attention).to(at.dtype)


def verify(model: Model, at: CircuitParameters) -> Report:
    """Whether a model computes the circuit: all words of bits if these are few, and else random ones."""
    return computes(model, circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed))


def prove(model: Model, at: CircuitParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all inputs of this size, if these are not too many."""
    return computed(model, circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed))


def computed(model: Model, circuit: Circuit) -> ModelProof | None:
    """Whether a model computes a circuit on all words of bits, if these are not too many."""
    what, count = f"words of {circuit.inputs} bits", 2**circuit.inputs
    return proved_size(model, _task(circuit), circuit.inputs, what, count)


def computes(model: Model, circuit: Circuit) -> Report:
    """Whether a model computes a circuit."""
    task = _task(circuit)
    assert task.every is not None
    if circuit.inputs <= MOST_BITS:
        words, statement = task.every(circuit.inputs), f"every word of {circuit.inputs} bits"
        return agreement(model, task, words, statement, decode=accepted)
    drawn = task.samples(SAMPLES, circuit.inputs, SEED)
    statement = f"random words of {circuit.inputs} bits"
    return agreement(model, task, drawn, statement, seed=SEED, decode=accepted)


def _task(circuit: Circuit) -> Task:
    def every(n: int) -> Iterator[list[str]]:
        return map(list, product("01", repeat=n))

    def sample(random: Any, n: int) -> list[str]:
        return ["01"[int(x)] for x in random.integers(2, size=n)]

    return Task(
        "circuit",
        "the circuit's output on a word of bits",
        "words of bits of one length",
        lambda word: circuit([bit == "1" for bit in word]),
        sample,
        every,
    )


def size(at: CircuitParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the circuit's."""
    circuit = circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed)
    plain, built = ors(circuit), by_gates(circuit, at.attention).size
    count = len(plain.gates)
    return (
        SizeRow("gates g, NOT left out", count),
        SizeRow("layers", built.attention_layers, plain.depth[plain.output], "the depth, NOT not counted"),
        SizeRow("heads per layer", max(built.heads), 1),
        SizeRow("blank tokens", count - 1, count - 1, "a position for each gate but the output"),
        SizeRow("width of the stream", built.width, 2 * (at.inputs + count) + 1, "2 (n + g) + 1"),
        SizeRow("head dimension", built.head_dimension, 2 * (at.inputs + count), "at most two for each wire"),
    )


def break_it(at: CircuitParameters) -> Report:
    """Without the first layer of gates, those above them read what was never computed."""
    circuit = circuit_of(at.gates, at.inputs, at.width, at.depth, at.seed)
    model = by_gates(circuit, at.attention).to(at.dtype)
    task = _task(circuit)
    every = task.every(at.inputs) if at.inputs <= MOST_BITS and task.every else None
    words = task.samples(SAMPLES, at.inputs, SEED) if every is None else every
    statement = f"a circuit of depth {model.depth} by {model.depth - 1} layers"
    short = replace(model, blocks=model.blocks[1:])
    return agreement(short, task, words, statement, seed=SEED if every is None else None, decode=accepted)


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Circuits of AND, OR and NOT gates."""
    if isinstance(thing, Circuit) and thing.is_boolean:
        note = f"for words of exactly {thing.inputs} bits"
        yield Route(NAME, "a position for each gate", lambda: by_gates(thing), thing.inputs, note=note)


THEOREM = theorem_in(
    __name__,
    CircuitParameters,
    assumptions=("a table of positions", "words of one length", "blank tokens before the word"),
    attention="rightmost-hard or leftmost-hard; no mask",
    precision="1 bit",
    small=(
        {"gates": "parity", "inputs": 6},
        {"attention": "leftmost-hard", "dtype": "bfloat16", "seed": 5},
        {"inputs": 1, "width": 1, "depth": 1},
        {"inputs": 20, "width": 6, "depth": 5, "seed": 3},
    ),
    large=(
        {"inputs": 30, "width": 10, "depth": 6, "seed": 3},
        {"gates": "parity", "inputs": 9},
        {"inputs": 12, "width": 30, "depth": 8, "seed": 1},
    ),
)
