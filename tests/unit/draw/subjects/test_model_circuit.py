"""The picture of a model's circuit."""

import capax as cx
from capax.draw.subjects.model_circuit import draw_model_circuit


def test_a_circuit_is_drawn() -> None:
    """A box for each node with its whole note; a notebook has the picture and the text."""
    compiled = cx.compile(cx.library.induction, alphabet="ab", max_length=5, causal=True, keep_all=True)
    circuit = compiled.circuit()
    picture = draw_model_circuit(circuit)
    assert picture.count("<rect") >= len(circuit.nodes)
    assert all(f">{node.name}</text>" in picture for node in circuit.nodes)
    assert circuit._repr_mimebundle_()["text/plain"] == circuit.render()
