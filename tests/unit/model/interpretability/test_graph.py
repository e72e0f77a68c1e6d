"""The graph of a transformer: names of nodes and edges, their number, and what lies on paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError
from capax.model.interpretability.graph import Edge, GraphShape, head_of, layer_of, letter_of, on_paths, read_edge


@given(st.integers(1, 4), st.integers(1, 4))
def test_edges_are_those_of_the_rule(layers: int, heads: int) -> None:
    """As many edges as the rule gives, no two alike, each read back from its name."""
    shape = GraphShape(layers, heads)
    edges = shape.edges(positions=False)
    per_layer = [1 + layer * (heads + 1) for layer in range(layers)]
    expected = sum(3 * heads * n + n + heads for n in per_layer) + 1 + layers * (heads + 1)
    assert len(edges) == len(set(edges)) == expected
    assert all(read_edge(edge.name) == edge for edge in edges)
    assert {e.source for e in shape.edges()} - {e.source for e in edges} == {"pos"}


@pytest.mark.parametrize("name", ["", "input", "a0.h0<q>->m0", "input->pos", "x->logits", "input->a0.h0"])
def test_a_text_that_is_no_edge(name: str) -> None:
    """It is refused."""
    with pytest.raises(CapaxError):
        read_edge(name)


def test_parts_of_names() -> None:
    """The place of a head, the layer of a part, the letter of an input."""
    assert (head_of("a2.h1"), head_of("a2.h1<k>"), head_of("m2")) == ((2, 1), (2, 1), None)
    assert (layer_of("a2.h1"), layer_of("m3"), layer_of("logits")) == (2, 3, None)
    assert (letter_of("a2.h1<k>"), letter_of("a2.h1"), letter_of("m1")) == ("k", None, None)


def test_paths() -> None:
    """An edge that starts nowhere, or leads nowhere, is left out."""
    inside = {Edge("input", "a0.h0<v>"), Edge("a0.h0", "logits")}
    outside = {Edge("input", "m0"), Edge("a0.h1", "logits")}
    assert on_paths(inside | outside) == inside
