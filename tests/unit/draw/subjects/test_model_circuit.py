"""The picture of a model's circuit."""

import re

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


def test_lines_to_a_box_end_apart() -> None:
    """Each has a head and its letters to itself; positions stand beside the input, and no side of the page is empty."""
    compiled = cx.compile(cx.library.reverse, alphabet="ab", max_length=5, keep_all=True)
    picture = draw_model_circuit(compiled.circuit())
    heads = re.findall(r'class="arrowhead" d="M([-\d.]+ [-\d.]+)L', picture)
    lines = {(edge.edge.source, edge.edge.reader) for edge in compiled.circuit().edges}
    assert len(heads) == len(set(heads)) == len(lines)
    boxes = re.findall(r'<rect class="panel" x="([-\d.]+)" y="([-\d.]+)"[^>]*><title>(\w+)', picture)
    low = {name: y for _, y, name in boxes if name in ("input", "pos")}
    assert low["input"] == low["pos"]
    assert min(float(x) for x, _, _ in boxes) < 20
