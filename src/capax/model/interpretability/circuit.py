"""The circuit of a model: its nodes with what they are for, and the edges that matter, each with a witness."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.display import Displayed
from capax.errors import CapaxError
from capax.model.adapt.make_plain import make_plain
from capax.model.adapt.plain_layers import BETWEEN
from capax.model.adapt.sink_token import CLEARS, with_sink_token
from capax.model.interpretability.graph import (
    INPUT,
    LOGITS,
    POSITIONS,
    Edge,
    GraphShape,
    head_name,
    head_of,
    layer_of,
    mlp_name,
)
from capax.model.interpretability.interchange import EdgeWitness, ExchangePlan, evidence, groups_of
from capax.model.interpretability.lens_model import LensModel, lens_model
from capax.model.interpretability.structure import structural_edges
from capax.model.model import REUSED, Model
from capax.model.parts import Array, Mlp


@dataclass(frozen=True, slots=True)
class CircuitNode:
    """A node of the circuit: its hook in TransformerLens, its role, and what it does."""

    name: str
    hook: str
    role: str
    note: str
    labels: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The node as plain data."""
        return {"name": self.name, "hook": self.hook, "role": self.role, "note": self.note, "labels": [*self.labels]}


@dataclass(frozen=True, slots=True)
class CircuitEdge:
    """An edge that matters: what shows it with a donor of the same length, and with any donor."""

    edge: Edge
    same_length: EdgeWitness | None
    any: EdgeWitness | None
    together: tuple[Edge, ...] = ()
    """Edges that are exchanged with it in the witness: parts that stand in for each other hide a single one."""

    @property
    def witness(self) -> EdgeWitness | None:
        """A witness; None where the edge is in by the weights and no answer changed on the words that were tried."""
        return self.same_length or self.any

    def to_json(self) -> dict[str, Any]:
        """The edge as plain data."""
        witness = self.witness
        return {
            "edge": self.edge.name,
            "same_length": self.same_length is not None,
            "witness": None if witness is None else witness.to_json(),
            **({"together": [edge.name for edge in self.together]} if self.together else {}),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelCircuit(Displayed):
    """The nodes and edges of a model that matter for its answers; `total` edges are in the whole graph."""

    shape: GraphShape
    nodes: tuple[CircuitNode, ...]
    edges: tuple[CircuitEdge, ...]

    @property
    def total(self) -> int:
        """The number of edges of the whole graph, those from the positions included."""
        return len(self.shape.edges())

    def names(self, *, same_length: bool = False) -> tuple[str, ...]:
        """The names of the edges; only those that matter for words of one length, if asked."""
        return tuple(e.edge.name for e in self.edges if e.same_length is not None or not same_length)

    def to_json(self) -> dict[str, Any]:
        """The circuit as plain data."""
        return {
            "layers": self.shape.layers,
            "heads": self.shape.heads,
            "nodes": [node.to_json() for node in self.nodes],
            "edges": [edge.to_json() for edge in self.edges],
            "edges_of_the_graph": self.total,
        }

    def render(self) -> str:
        """The circuit as text: the nodes, then the edges into each."""
        same = len(self.names(same_length=True))
        lines = [f"{len(self.edges)} of {self.total} edges matter, {same} of them for words of one length"]
        for node in self.nodes:
            lines.append(f"{node.name:<8} {node.note}")
            into = [e for e in self.edges if e.edge.reader == node.name]
            for target in dict.fromkeys(e.edge.target for e in into):
                sources = [e.edge.source + ("" if e.same_length else "*") for e in into if e.edge.target == target]
                letter = target.removeprefix(node.name) or "in"
                lines.append(f"{'':8} {letter:<4} reads {', '.join(sources)}")
        if same < len(self.edges):
            lines.append("* matters only between words of different lengths, or between positions")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"<circuit: {len(self.nodes)} nodes, {len(self.edges)} of {self.total} edges>"


def plain_for_circuit(model: Model, *, bos: bool = False) -> Model:
    """The model in the form that TransformerLens holds, with a token before every word if `bos`; or an error."""
    if any(REUSED in name for name in model.names):
        raise CapaxError(
            "bad-circuit",
            "the model reuses directions, so that its circuit cannot be told from its weights",
            hint="compile it with keep_all=True, or --keep-all",
        )
    plain = make_plain(model, selective=True, keep_all=True)
    if isinstance(plain, str):
        hint = 'compile it with target="plain", if it is a program\'s; a program with a loop has no plain form'
        raise CapaxError("bad-circuit", f"the model has no plain form: {plain}", hint=hint)
    if plain.model.prefix or not bos:
        return plain.model
    begun = with_sink_token(plain.model, selective=True)
    if begun is None:
        raise CapaxError("bad-circuit", "its scores may be so large that no token can be hidden from its heads")
    return begun


def circuit_of(model: Model, notes: Mapping[str, str] | None = None, plan: ExchangePlan | None = None) -> ModelCircuit:
    """The circuit of a model: edges by its weights, each with a witness where an interchange shows one."""
    plain = plain_for_circuit(model)
    lens = lens_model(plain)
    edges = circuit_edges(lens, plan or ExchangePlan())
    return ModelCircuit(lens.shape, circuit_nodes(plain, lens, (e.edge for e in edges), notes or {}), edges)


def circuit_edges(lens: LensModel, plan: ExchangePlan) -> tuple[CircuitEdge, ...]:
    """The edges of a model's circuit by its weights, with what interchanges of a plan show of them."""
    seen = evidence(lens, structural_edges(lens), groups_of(lens, plan))
    return tuple(CircuitEdge(edge, one.same_length, one.any) for edge, one in seen.items())


def circuit_nodes(
    model: Model, lens: LensModel, edges: Iterable[Edge], notes: Mapping[str, str]
) -> tuple[CircuitNode, ...]:
    """The nodes that edges join, in the order of computation, each with its hook and what it does."""
    inside = {name for edge in edges for name in (edge.source, edge.reader)}
    return tuple(
        CircuitNode(
            name,
            hook_of(name, lens.shape.layers),
            _role(name),
            notes.get(name) or note_of(model, name),
            labels_of(model, name),
        )
        for name in (*lens.shape.nodes(), LOGITS)
        if name in inside
    )


def hook_of(node: str, layers: int) -> str:
    """The hook of TransformerLens at which a node's output is seen."""
    head = head_of(node)
    if head is not None:
        return f"blocks.{head[0]}.attn.hook_result[{head[1]}]"
    fixed = {INPUT: "hook_embed", POSITIONS: "hook_pos_embed", LOGITS: f"blocks.{layers - 1}.hook_resid_post"}
    return fixed.get(node) or f"blocks.{layer_of(node)}.hook_mlp_out"


def _role(node: str) -> str:
    if head_of(node) is not None:
        return "AGGREGATOR"
    return {INPUT: "TOKENS", POSITIONS: "POSITIONS", LOGITS: "ANSWERS"}.get(node, "ELEMENTWISE")


def note_of(model: Model, node: str) -> str:
    """What a node of a plain model does, by the names of its directions and the origins of its heads."""
    fixed = {INPUT: "the tokens", POSITIONS: "the positions", LOGITS: "the answers"}
    if node in fixed:
        return fixed[node]
    layer, head = layer_of(node), head_of(node)
    assert layer is not None
    block = model.blocks[layer]
    if head is not None:
        own = block.heads[head[1]] if head[1] < len(block.heads) else None
        return "does nothing" if own is None else own.origin.what if own.origin else f"writes {own.name}"
    computed, others = results_of(model, node)
    return "; ".join([*([f"computes {', '.join(computed)}"] if computed else []), *others]) or "computes nothing"


def results_of(model: Model, node: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of what an MLP of a plain model computes, and what is to be said of numbers for the next stage."""
    names = written_by(model, node)
    stages = sum(name.startswith(BETWEEN) for name in names)
    count = f"{stages} numbers" if stages > 1 else "a number"
    others = (f"prepares {count} for the next stage",) if stages else ()
    return tuple(name for name in names if not name.startswith(BETWEEN)), others


def written_by(model: Model, node: str) -> tuple[str, ...]:
    """The names of the directions that a head or MLP of a plain model writes, but for what it clears."""
    for layer, block in enumerate(model.blocks):
        if node == mlp_name(layer) and isinstance(block.mlp, Mlp):
            return _names(model, _without_clearing(block.mlp))
        for number, head in enumerate(block.heads):
            if node == head_name(layer, number):
                return _names(model, head.output)
    return ()


def labels_of(model: Model, node: str) -> tuple[str, ...]:
    """The names of the directions that a node writes, without those that only serve other heads."""
    return tuple(name for name in written_by(model, node) if not name.startswith("is <"))


def _without_clearing(mlp: Mlp) -> Array:
    """What the units of an MLP write, but for those that clear the row of the sink token."""
    rows = mlp.maps[-1].weight
    origins = mlp.units[0] if mlp.units else ()
    kept = [number for number in range(len(rows)) if number >= len(origins) or origins[number].what != CLEARS]
    return np.asarray(rows[kept])


def _names(model: Model, rows: Array) -> tuple[str, ...]:
    return tuple(name for name, one in zip(model.names, np.asarray(rows.any(0)).tolist(), strict=True) if one)
