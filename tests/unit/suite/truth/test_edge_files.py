"""Edges as other tools read them: the graph of EAP with its checks, and the names that others have."""

import json
import pickle

import pytest

from capax import CapaxError
from capax.model.interpretability.graph import GraphShape, read_edge
from capax.suite.truth.edge_files import edge_lists_json, graph_json, pickles, read_graph

EDGES = [read_edge(name) for name in ("input->a0.h1<v>", "pos->a0.h1<q>", "a0.h1->m1", "m1->logits")]


def test_a_graph_is_read_back() -> None:
    """With all edges of the rule, and those that are in."""
    data = graph_json(GraphShape(2, 2), 10, [e.name for e in EDGES if e.source != "pos"])
    graph = read_graph(json.dumps(data))
    assert graph.edges == {"input->a0.h1<v>", "a0.h1->m1", "m1->logits"}
    assert set(graph.scores) == {edge.name for edge in GraphShape(2, 2).edges(positions=False)}
    assert data["nodes"]["a0.h0"] == {"in_graph": False}


@pytest.mark.parametrize("broken", ["cfg", "nodes", "edges", "score", "name", "missing", "json"])
def test_what_the_loader_refuses(broken: str) -> None:
    """A key that is missing, an edge of another name, an edge too few."""
    data = graph_json(GraphShape(1, 2), 4, [])
    if broken in data:
        del data[broken]
    first = next(iter(graph_json(GraphShape(1, 2), 4, [])["edges"]))
    if broken == "score":
        del data["edges"][first]["score"]
    elif broken == "name":
        data["edges"]["input->a5.h0<q>"] = data["edges"].pop(first)
    elif broken == "missing":
        del data["edges"][first]
    with pytest.raises(CapaxError):
        read_graph("{" if broken == "json" else json.dumps(data))


def test_names_of_other_tools() -> None:
    """Hooks with heads in brackets, children first with indices, and blocks."""
    lists = edge_lists_json(EDGES, 2)
    assert ["hook_pos_embed", "blocks.0.hook_q_input[1]"] in lists["interpbench"]
    assert ["blocks.0.hook_q_input[1]", "blocks.0.attn.hook_q[1]"] in lists["interpbench"]
    assert ["blocks.1.hook_mlp_in", [None], "blocks.0.attn.hook_result", [None, None, 1]] in lists["acdc"]
    assert lists["auto_circuit"] == [
        "Resid Start->A0.1.V", "Resid Start->A0.1.Q", "A0.1->MLP 1", "MLP 1->Resid End"
    ]  # fmt: skip


def test_pickles_hold_plain_data() -> None:
    """What they hold, by the module that wrote them: lists, texts, numbers."""
    files = pickles(EDGES, {"n_layers": 2, "dtype": "float32"})
    assert pickle.loads(files["edges.pkl"])[0] == ("hook_embed", "blocks.0.hook_v_input[1]")
    assert pickle.loads(files["ll_model_cfg.pkl"]) == {"n_layers": 2}
