"""Two parties with sets run a model of directed triangles."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.limits.base.triangle_gadget import gadget
from capax.limits.protocols import protocol
from capax.limits.protocols.play.network import network_of
from capax.limits.protocols.triangle_graph import joined_parts
from capax.limits.witnesses.models.random_layers import ToyShape
from capax.limits.witnesses.models.triangle_digraph import solving
from capax.limits.witnesses.models.triangle_graph import random_layers
from capax.model.parts import ATTENTION_KINDS
from capax.tasks.tri_id_digraph import TASK
from capax.tasks.tri_id_graph import TASK as GRAPHS

PLAY = protocol("triangle-disjointness").play


def test_a_model_of_directed_triangles_decides_disjointness() -> None:
    """All pairs of sets at six vertices."""
    model = solving(6)
    for a, b in product(range(16), repeat=2):
        if (a + 2 * b) % 5:
            continue
        outcome = PLAY(model, {"n": 6}, {"a": f"{a:04b}", "b": f"{b:04b}"}, 0)
        assert outcome.output == outcome.truth == int(a & b != 0)


def test_the_model_is_right_on_all_matrices_of_three_rows() -> None:
    """And on random ones of seven."""
    for n, words in ((3, list(TASK.every(3))), (7, TASK.samples(40, 7, 0))):
        model = solving(n)
        assert all(model(word) == TASK.reference(word) for word in words)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 999), st.integers(3, 7), st.integers(1, 3), st.sampled_from(ATTENTION_KINDS))
def test_it_runs_on_random_layers(seed: int, n: int, layers: int, kind: str) -> None:
    """The states at Alice's vertices are those of the whole model; the last layer is one way."""
    model = random_layers(n, ToyShape(layers=layers, heads=2, attention=kind), seed)  # type: ignore[arg-type]
    outcome = PLAY(model, {"n": n}, {}, seed)
    assert len(outcome.messages) == 2 * layers - 1
    a, b = (list(map(int, str(outcome.sizes[key]))) for key in "ab")
    answers = model(gadget(a, b, n))[: n // 3]
    assert outcome.output == int(1 in answers)


@pytest.mark.parametrize("network", ["clique", "graph", "path", "ring", "star", "tree"])
@pytest.mark.parametrize("kind", ["softmax", "average-hard", "leftmost-hard"])
def test_any_network_gives_the_states_of_the_whole_model(network: str, kind: str) -> None:
    """Messages along edges change nothing but their number."""
    model = random_layers(5, ToyShape(layers=2, heads=2, attention=kind), 3)  # type: ignore[arg-type]
    given = {"network": network, "input": '["01001", "10100", "01010", "00101", "10010"]', "bandwidth": "7"}
    outcome = protocol("triangle-graph").play(model, {"n": 5}, given, 0)
    each = outcome.messages[0].exact if network == "clique" else min(m.exact for m in outcome.messages)
    edges = 1 if network == "clique" else 4
    assert outcome.exact_bits == 2 * each * 5 * edges
    assert outcome.sizes["rounds"] >= 2 * -(-each // 7)


@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(0, 9999))
def test_joined_parts_are_connected_and_have_the_same_triangles(n: int, seed: int) -> None:
    """What was there stays; every vertex is reached; which vertices are in triangles does not change."""
    word = GRAPHS.samples(1, n, seed)[0]
    whole = joined_parts(word)
    assert all(
        new == "1"
        for row, more in zip(word, whole, strict=True)
        for old, new in zip(row, more, strict=True)
        if old == "1"
    )
    assert len(network_of("graph", whole).spanning_tree().edges) == n - 1
    assert GRAPHS.reference(whole) == GRAPHS.reference(word)


@pytest.mark.parametrize("seed", range(4))
def test_a_graph_that_is_drawn_as_the_network_is_connected(seed: int) -> None:
    """So that every seed runs; its count is called ours, as the poster has none."""
    outcome = protocol("triangle-graph").play(random_layers(8, ToyShape(), 0), {"n": 8}, {"network": "graph"}, seed)
    assert outcome.ours
    assert outcome.to_json()["counted_by"] == "capax"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"network": "torus"}, "no network"),
        ({"bandwidth": "0"}, "bandwidth"),
        ({"bandwidth": "x"}, "bandwidth"),
        ({"network": "graph", "input": '["000", "000", "000"]'}, "not connected"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_a_network_refuses(given: dict[str, str], what: str) -> None:
    with pytest.raises(CapaxError, match=what):
        protocol("triangle-graph").play(random_layers(3, ToyShape(), 0), {"n": 3}, given, 0)
