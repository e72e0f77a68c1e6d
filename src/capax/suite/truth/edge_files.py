"""Edges in the forms of other tools: graphs for EAP, and edge lists as InterpBench, ACDC and auto-circuit name them.

Written from what those tools read: `eap.graph.Graph.from_json`, the `edges.pkl` of InterpBench, the edge dictionaries
of ACDC and the edge names of auto-circuit. `read_graph` reads the first as its own loader does, with every check.
"""

import json
import pickle
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from capax.errors import CapaxError
from capax.model.interpretability.graph import INPUT, LOGITS, POSITIONS, Edge, GraphShape, head_of, layer_of, letter_of

PROTOCOL: Final = 4
"""The version of pickles, which are written and never read here."""


def graph_json(shape: GraphShape, width: int, edges: Iterable[str]) -> dict[str, Any]:
    """A graph for EAP: all edges of the model by name, and which of them are in; positions are no node there."""
    inside = set(edges)
    names = [edge.name for edge in shape.edges(positions=False)]
    used = {name for edge in inside for name in (edge.partition("->")[0], edge.partition("->")[2].partition("<")[0])}
    nodes = [*shape.nodes(positions=False), LOGITS]
    cfg = {"n_layers": shape.layers, "n_heads": shape.heads, "parallel_attn_mlp": False, "d_model": width}
    return {
        "cfg": cfg,
        "nodes": {node: {"in_graph": node in used} for node in nodes},
        "edges": {name: {"score": float(name in inside), "in_graph": name in inside} for name in names},
    }


@dataclass(frozen=True, slots=True)
class EapGraph:
    """A graph that was read: its shape, the scores of all edges, and those that are in."""

    shape: GraphShape
    width: int
    scores: Mapping[str, float]
    edges: frozenset[str]


def read_graph(text: str) -> EapGraph:
    """Reads a graph as `Graph.from_json` does: the keys, every node and edge by a name that the model has."""
    try:
        data = json.loads(text)
        cfg, nodes, edges = data["cfg"], data["nodes"], data["edges"]
        shape = GraphShape(int(cfg["n_layers"]), int(cfg["n_heads"]))
        known, width = {*shape.nodes(positions=False), LOGITS}, int(cfg["d_model"])
        for node, entry in nodes.items():
            if node not in known:
                raise KeyError(node)
            bool(entry["in_graph"])
        names = {edge.name for edge in shape.edges(positions=False)}
        for name in edges:
            if name not in names:
                raise KeyError(name)
        if cfg["parallel_attn_mlp"] or len(edges) != len(names):
            raise ValueError("edges are missing")
        scores = {name: float(entry["score"]) for name, entry in edges.items()}
        return EapGraph(shape, width, scores, frozenset(name for name, entry in edges.items() if entry["in_graph"]))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise CapaxError("bad-suite", f"this is not a graph for EAP: {error!r:.120}") from None


def interpbench_edges(edges: Iterable[Edge], layers: int) -> list[tuple[str, str]]:
    """Pairs of hooks as in InterpBench's `edges.pkl`: a source and where it is read; inside heads, q, k and v."""
    pairs: dict[tuple[str, str], None] = {}
    for edge in edges:
        target = _input_hook(edge.target, layers)
        pairs[_output_hook(edge.source), target] = None
        letter, place = letter_of(edge.target), head_of(edge.target)
        if letter is not None and place is not None:
            inner = f"blocks.{place[0]}.attn.hook_{letter}[{place[1]}]"
            pairs[target, inner] = None
            pairs[inner, _output_hook(edge.reader)] = None
    return list(pairs)


def _output_hook(node: str) -> str:
    place = head_of(node)
    if place is not None:
        return f"blocks.{place[0]}.attn.hook_result[{place[1]}]"
    return {INPUT: "hook_embed", POSITIONS: "hook_pos_embed"}.get(node) or f"blocks.{layer_of(node)}.hook_mlp_out"


def _input_hook(target: str, layers: int) -> str:
    place, letter = head_of(target), letter_of(target)
    if place is not None:
        return f"blocks.{place[0]}.hook_{letter}_input[{place[1]}]"
    if target == LOGITS:
        return f"blocks.{layers - 1}.hook_resid_post"
    return f"blocks.{layer_of(target)}.hook_mlp_in"


AcdcEdge = tuple[str, tuple[int | None, ...], str, tuple[int | None, ...]]
"""Child and parent, each a hook and an index, as in ACDC."""


def acdc_edges(edges: Iterable[Edge], layers: int) -> list[AcdcEdge]:
    """Edges as in ACDC: the child first."""
    pairs = interpbench_edges(edges, layers)
    return [(*_indexed(child), *_indexed(parent)) for parent, child in pairs]


def _indexed(hook: str) -> tuple[str, tuple[int | None, ...]]:
    """A hook without its head, and the index of the head in it."""
    name, bracket, number = hook.partition("[")
    return (name, (None, None, int(number.rstrip("]")))) if bracket else (name, (None,))


def auto_circuit_edges(edges: Iterable[Edge]) -> list[str]:
    """Edges as auto-circuit names them; tokens and positions are one source there."""
    return list(dict.fromkeys(f"{_block_name(edge.source)}->{_block_name(edge.target)}" for edge in edges))


def _block_name(name: str) -> str:
    place, letter = head_of(name), letter_of(name)
    if place is not None:
        return f"A{place[0]}.{place[1]}" + (f".{letter.upper()}" if letter else "")
    if name in (INPUT, POSITIONS):
        return "Resid Start"
    return "Resid End" if name == LOGITS else f"MLP {layer_of(name)}"


def edge_lists_json(edges: Sequence[Edge], layers: int) -> dict[str, Any]:
    """The edges in the three other forms."""
    acdc = [[child, list(at), parent, list(of)] for child, at, parent, of in acdc_edges(edges, layers)]
    return {
        "interpbench": [list(pair) for pair in interpbench_edges(edges, layers)],
        "acdc": acdc,
        "auto_circuit": auto_circuit_edges(edges),
    }


def pickles(edges: Sequence[Edge], config: Mapping[str, Any]) -> dict[str, bytes]:
    """The pickled twins for loaders that read nothing else; they hold texts, numbers, lists and dictionaries only."""
    layers = int(config["n_layers"])
    acdc = OrderedDict((edge, True) for edge in acdc_edges(edges, layers))
    settings = {name: value for name, value in config.items() if name != "dtype"}
    return {
        "edges.pkl": pickle.dumps(interpbench_edges(edges, layers), PROTOCOL),
        "acdc.pkl": pickle.dumps(acdc, PROTOCOL),
        "ll_model_cfg.pkl": pickle.dumps(settings, PROTOCOL),
    }
