"""The circuit of a model: by weights and by interchange it is the same, and what is out has no effect at all."""

import pytest

import capax as cx
from capax import CapaxError
from capax.model.interpretability.circuit import circuit_of, plain_for_circuit
from capax.model.interpretability.interchange import ExchangePlan, evidence, groups_of, interchange, replay
from capax.model.interpretability.lens_model import lens_model
from capax.model.interpretability.structure import structural_edges

CASES = [("induction", "abc", True, 8, 5), ("hist_nobos", "abc", False, 3, 3), ("majority", "01", False, 4, 4)]


@pytest.mark.parametrize(("name", "alphabet", "causal", "edges", "same"), CASES)
def test_structure_is_what_interchange_shows(name: str, alphabet: str, causal: bool, edges: int, same: int) -> None:
    """Every edge by the weights has a witness, which can be replayed; every other edge changes no logit."""
    program = getattr(cx.library, name)
    compiled = cx.compile(
        program, alphabet=alphabet, max_length=6, causal=causal, keep_all=True, target="transformer-lens"
    )
    circuit = circuit_of(compiled.model)
    lens = lens_model(compiled.model)
    assert len(circuit.edges) == edges
    assert len(circuit.names(same_length=True)) == same
    for edge in circuit.edges:
        assert edge.witness is not None
        assert replay(lens, [edge.edge], edge.witness) == edge.witness
        assert edge.witness.before != edge.witness.after
    out = set(lens.shape.edges()) - set(structural_edges(lens))
    groups = groups_of(lens, ExchangePlan(lengths=(2, 5), count=30))
    assert {one.effect for one in evidence(lens, out, groups).values()} == {0.0}


def test_stages_of_deep_mlps_share_no_direction() -> None:
    """What one MLP passes to its next stage is read there alone, so no other MLP seems to read it."""
    compiled = cx.compile(cx.library.dyck1_ptf, alphabet="()", max_length=6, keep_all=True, target="transformer-lens")
    lens = lens_model(compiled.model)
    between = [n for n, name in enumerate(compiled.model.names) if name.startswith("between stages")]
    assert between
    for number in between:
        layers = range(lens.shape.layers)
        assert sum(bool(lens.block(layer, "mlp.W_out")[:, number].any()) for layer in layers) == 1
        assert sum(bool(lens.block(layer, "mlp.W_in")[number].any()) for layer in layers) == 1
    shared = cx.compile(cx.library.dyck1_ptf, alphabet="()", max_length=6, target="transformer-lens")
    with pytest.raises(CapaxError, match="reuses directions"):
        shared.circuit()


def test_nodes_are_told() -> None:
    """Hooks, roles and notes; the text has what each node reads."""
    compiled = cx.compile(cx.library.induction, alphabet="ab", max_length=5, causal=True, keep_all=True)
    circuit = compiled.circuit()
    nodes = {node.name: node for node in circuit.nodes}
    assert nodes["a1.h0"].hook == "blocks.1.attn.hook_result[0]"
    assert nodes["a0.h0"].note.startswith('averages _before = aggregate(_before.1, tokens, "")')
    assert nodes["a0.h0"].labels == ("_before", "_before^2")
    assert "..." not in circuit.render()
    assert "         <k>  reads pos*, a0.h0" in circuit.render().splitlines()
    assert circuit.to_json()["edges_of_the_graph"] == circuit.total


def test_notes_are_whole() -> None:
    """A selector is written out, an MLP's result too; stages of a deep MLP are no names, and `full_s` is its own."""
    text = 'seen = has_focus(select(tokens, "b", ==) and select(indices, indices, <)); seen == (length == 2);'
    program = cx.Program.from_text(text)
    compiled = cx.compile(program, alphabet="ab", max_length=4, keep_all=True, target="transformer-lens")
    notes = {node.name: node.note for node in compiled.circuit().nodes}
    below = 'counts selector_width(seen.1), where seen.1 = (select(tokens, "b", ==) and select(indices, indices, <))'
    assert {notes["a0.h0"], notes["a0.h1"]} == {below, "counts length = selector_width(full_s)"}
    stages = [note for name, note in notes.items() if name.startswith("m")]
    assert all(note.endswith("for the next stage") for note in stages[:-1])
    seen = 'seen = selector_width(seen.1) != 0, seen.1 = (select(tokens, "b", ==) and select(indices, indices, <))'
    assert stages[-1] == f"computes seen == (length == 2), where {seen}"


def test_interchange_of_a_node() -> None:
    """The answers are those for the donor where the head alone copies; all nodes at once change everything."""
    compiled = cx.compile(cx.library.reverse, alphabet="abc", max_length=4, keep_all=True, target="transformer-lens")
    result = compiled.interchange("abc", "cca", "a1.h0")
    assert (result.before, result.after) == (("c", "b", "a"), ("a", "c", "c"))
    lens = lens_model(plain_for_circuit(compiled.model))
    assert interchange(lens, tuple("abc"), tuple("cca"), []).after == result.before


def test_what_has_no_circuit() -> None:
    """Reused directions, a node that is not there, a donor of another length."""
    reused = cx.compile(cx.library.dyck1_ptf, alphabet="()", max_length=6, target="transformer-lens")
    with pytest.raises(CapaxError, match="reuses directions"):
        reused.circuit()
    compiled = cx.compile(cx.library.hist_nobos, alphabet="ab", max_length=4, keep_all=True)
    with pytest.raises(CapaxError, match="no node"):
        compiled.interchange("ab", "ba", "a7.h7")
    with pytest.raises(CapaxError, match="the donor has 3 tokens"):
        compiled.interchange("ab", "bab", "input")


def test_a_token_before_words_is_added() -> None:
    """A model without one gets it, and answers the same."""
    compiled = cx.compile(cx.library.majority, alphabet="01", max_length=5, keep_all=True, target="transformer-lens")
    assert compiled.model.prefix == ()
    begun = plain_for_circuit(compiled.model, bos=True)
    assert begun.prefix == ("<bos>",)
    words = ["0", "1", "101", "00110"]
    assert begun.batch(words) == compiled.model.batch(words)
