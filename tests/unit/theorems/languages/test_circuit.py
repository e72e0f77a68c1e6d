"""Circuits of AND, OR and NOT gates by hard attention."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.formal.circuits.circuit import Circuit, Gate, majority_circuit
from capax.theorems.languages.circuit import by_gates, computes, routes
from capax.theorems.languages.parts.circuits.or_gates import ors
from capax.theorems.languages.parts.circuits.random_circuits import parity_circuit, random_circuit
from capax.theorems.languages.threshold_circuit import by_sums


@st.composite
def circuits(draw: st.DrawFn) -> Circuit:
    """Any small circuit: wires read twice, gates that read nothing or are not read, an output that is an input."""
    inputs = draw(st.integers(1, 6))
    gates: list[Gate] = []
    for at in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["and", "or", "not"]))
        wire = st.integers(0, inputs + at - 1)
        read = [draw(wire)] if kind == "not" else draw(st.lists(wire, max_size=4))
        gates.append(Gate(kind, tuple(read)))  # type: ignore[arg-type]
    return Circuit(inputs, tuple(gates), draw(st.integers(0, inputs + len(gates) - 1)))


@settings(max_examples=150)
@given(circuits(), st.sampled_from(["rightmost-hard", "leftmost-hard"]))
@example(Circuit(2, (), 1), "rightmost-hard")
@example(Circuit(1, (Gate("and", ()),), 1), "rightmost-hard")
@example(Circuit(1, (Gate("or", ()), Gate("not", (1,))), 2), "leftmost-hard")
@example(Circuit(2, (Gate("not", (0,)), Gate("or", (0, 2, 2))), 3), "rightmost-hard")
def test_any_circuit(circuit: Circuit, attention: str) -> None:
    """All words of bits, in as many layers as gates besides NOT lie above each other."""
    model = by_gates(circuit, attention)  # type: ignore[arg-type]
    report = computes(model, circuit)
    assert report.holds, str(report)
    plain = ors(circuit)
    assert model.depth == plain.depth[plain.output] <= max(1, circuit.depth)
    assert model.width == 2 * (circuit.inputs + len(plain.gates)) + 1
    assert len(model.prefix) == len(plain.gates) - 1


@pytest.mark.parametrize("inputs", [1, 2, 5, 7])
def test_parity_at_depth_two(inputs: int) -> None:
    """Two layers tell parity by hard attention, with exponentially many gates."""
    model = by_gates(parity_circuit(inputs))
    assert computes(model, parity_circuit(inputs)).holds
    assert model.depth == 2
    assert len(model.prefix) == 2 ** (inputs - 1)


@given(st.integers(2, 8), st.integers(1, 6), st.integers(1, 5), st.integers(0, 100))
@settings(max_examples=30)
def test_random_circuits_have_their_depth(inputs: int, width: int, depth: int, seed: int) -> None:
    """The circuits that the theorem is tried on are as deep as they say."""
    plain = ors(random_circuit(inputs, width, depth, seed))
    assert plain.depth[plain.output] == depth


def test_large_circuits_are_refused() -> None:
    """Before memory runs out."""
    for build in (by_gates, by_sums):
        with pytest.raises(CapaxError, match="weights"):
            build(Circuit(10_000, (Gate("and", (0, 1)),), 10_000))


def test_threshold_gates_are_refused_by_hard_attention() -> None:
    """They have no such route, and building one is an error."""
    with pytest.raises(CapaxError, match="threshold"):
        by_gates(majority_circuit(3))
    assert not list(routes(majority_circuit(3), 3))
    assert [route.lengths for route in routes(parity_circuit(3), 9)] == [3]
