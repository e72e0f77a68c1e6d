"""Threshold circuits by softmax."""

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.formal.circuits.circuit import Circuit, Gate
from capax.theorems.languages.circuit import computes
from capax.theorems.languages.parts.circuits.random_circuits import parity_by_thresholds
from capax.theorems.languages.parts.circuits.threshold_gates import sums, weighing
from capax.theorems.languages.threshold_circuit import by_sums


@st.composite
def threshold_circuits(draw: st.DrawFn) -> Circuit:
    """Any small circuit with threshold gates: wires read several times, gates that are always true or never."""
    inputs = draw(st.integers(1, 6))
    gates: list[Gate] = []
    for at in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["threshold", "threshold", "and", "or", "not"]))
        wire = st.integers(0, inputs + at - 1)
        read = [draw(wire)] if kind == "not" else draw(st.lists(wire, max_size=5))
        least = draw(st.integers(-1, 7)) if kind == "threshold" else 0
        gates.append(Gate(kind, tuple(read), least))  # type: ignore[arg-type]
    return Circuit(inputs, tuple(gates), draw(st.integers(0, inputs + len(gates) - 1)))


@settings(max_examples=150, deadline=None)
@given(threshold_circuits(), st.sampled_from(["float64", "float32"]))
@example(Circuit(2, (Gate("threshold", (0, 1, 1), 2),), 2), "float64")
@example(Circuit(1, (Gate("threshold", (), 0),), 1), "float64")
@example(Circuit(1, (Gate("threshold", (0, 0), 10**9), Gate("not", (1,))), 2), "float32")
def test_any_threshold_circuit(circuit: Circuit, numbers: str) -> None:
    """All words of bits, in as many layers as gates besides NOT lie above each other."""
    model = by_sums(circuit).to(numbers)
    report = computes(model, circuit)
    assert report.holds, str(report)
    plain = sums(circuit)
    assert model.depth == plain.depth[plain.output] <= max(1, circuit.depth)
    assert model.width == circuit.inputs + len(plain.gates) + model.depth + 4
    assert all(count <= 2 for count in model.size.heads)
    assert model.size.hidden == 2


@pytest.mark.parametrize("inputs", [1, 2, 5, 8])
def test_parity_by_thresholds(inputs: int) -> None:
    """Two layers, and n + 1 gates instead of exponentially many."""
    circuit = parity_by_thresholds(inputs)
    for word in product((False, True), repeat=inputs):
        assert circuit(word) == sum(word) % 2
    model = by_sums(circuit)
    assert computes(model, circuit).holds
    assert model.depth == 2
    assert len(model.prefix) == inputs


def test_how_often_a_wire_is_read_matters() -> None:
    """Without the logarithms a wire that is read three times counts once."""
    circuit = Circuit(3, (Gate("threshold", (0, 0, 0, 1, 2), 3),), 3)
    assert computes(weighing(sums(circuit)), circuit).holds
    assert not computes(weighing(sums(circuit), weighed=False), circuit).holds
