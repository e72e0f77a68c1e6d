"""The truth of a level as data: edges with their witnesses, groups of nodes, and notes on every component."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.model.interpretability.circuit import CircuitEdge, hook_of, labels_of
from capax.model.interpretability.graph import INPUT, POSITIONS, head_of, layer_of, read_edge
from capax.model.interpretability.interchange import (
    Donors,
    EdgeWitness,
    ExchangePlan,
    evidence,
    groups_of,
    interchange,
    interchanged,
    word_pairs,
)
from capax.model.interpretability.lens_model import LensModel, tokens_of, with_prefix
from capax.suite.levels.backup import STAGES
from capax.suite.levels.imitated import imitated_groups
from capax.suite.levels.level_model import HeadOrder, LevelModel
from capax.suite.programs.suite_program import CompiledCase

JOINS: Final = {
    "backup": "takes the greater of what a head and its backup write",
    "voting": "takes part in the median of what three heads write",
}
OUT_PLAN: Final = ExchangePlan(lengths=(3, 6), count=40)
"""How edges that are out are tried: one group for each kind of donor and length."""


@dataclass(frozen=True, slots=True)
class JointNodes:
    """Nodes that must be exchanged together: `matter` says whether that changes answers, with a witness if so."""

    nodes: tuple[str, ...]
    matter: bool
    witness: EdgeWitness | None

    def to_json(self) -> dict[str, Any]:
        """The group as plain data."""
        witness = None if self.witness is None else self.witness.to_json()
        return {"nodes": list(self.nodes), "matter": self.matter, "witness": witness}

    @staticmethod
    def from_json(data: Any) -> "JointNodes":
        """The group of plain data."""
        witness = None if data["witness"] is None else EdgeWitness.from_json(data["witness"])
        return JointNodes(tuple(data["nodes"]), bool(data["matter"]), witness)


@dataclass(frozen=True, slots=True, eq=False)
class LevelTruth:
    """What is true of a level: the edges that matter, kinds of others, groups of nodes, and how the rest was tried."""

    edges: tuple[CircuitEdge, ...]
    kinds: Mapping[str, str] = field(default_factory=dict)
    joint: tuple[JointNodes, ...] = ()
    out_tried: int = 0
    out_effect: float = 0.0
    """The greatest change of a logit through an edge that is out; 0 exactly on plain models."""
    order: HeadOrder | None = None
    """How heads were permuted; None where they were not."""

    def names(self, *, same_length: bool = False, positions: bool = True) -> list[str]:
        """The names of the edges that matter; without those from the positions if asked."""
        chosen = [e for e in self.edges if e.same_length is not None or not same_length]
        return [e.edge.name for e in chosen if positions or e.edge.source != POSITIONS]

    def to_json(self) -> dict[str, Any]:
        """The truth as plain data."""
        return {
            "edges": [edge.to_json() for edge in self.edges],
            "kinds": dict(self.kinds),
            "joint": [group.to_json() for group in self.joint],
            "out": {"edges_tried": self.out_tried, "greatest_effect": self.out_effect},
            "head_order": None if self.order is None else [list(layer) for layer in self.order.layers],
        }

    @staticmethod
    def from_json(data: Any) -> "LevelTruth":
        """The truth of plain data."""
        try:
            edges = tuple(_edge_from_json(entry) for entry in data["edges"])
            joint = tuple(JointNodes.from_json(entry) for entry in data["joint"])
            out = data["out"]
            rows = data["head_order"]
            order = None if rows is None else HeadOrder(tuple(tuple(map(int, layer)) for layer in rows))
            tried = int(out["edges_tried"]), float(out["greatest_effect"])
            return LevelTruth(edges, dict(data["kinds"]), joint, *tried, order)
        except (KeyError, TypeError, ValueError) as error:
            raise CapaxError("bad-suite", f"this is not the truth of a level: {error!r:.120}") from None


def _edge_from_json(entry: Any) -> CircuitEdge:
    witness = None if entry["witness"] is None else EdgeWitness.from_json(entry["witness"])
    same = witness if entry["same_length"] else None
    together = tuple(map(read_edge, entry.get("together", ())))
    return CircuitEdge(read_edge(entry["edge"]), same, None if entry["same_length"] else witness, together)


def level_truth(level: LevelModel, seed: int) -> LevelTruth:
    """The truth of a level: its edges, and what trying all others shows."""
    inside = {edge.edge for edge in level.edges}
    out = [e for e in level.lens.shape.edges() if e not in inside and level.kinds.get(e.name) != "cancels"]
    joint = tuple(_joint(level, nodes, seed) for nodes in level.joint)
    if level.out_effect is not None:  # all edges were tried already
        return LevelTruth(level.edges, level.kinds, joint, len(out), level.out_effect, level.order)
    seen = evidence(level.lens, out, out_groups(level.level, level.lens))
    surprising = [edge.name for edge, one in seen.items() if one.witness is not None]
    if surprising:
        raise CapaxError("bad-suite", f"level {level.level}: the edge {surprising[0]} matters, and is not in")
    effect = max((one.effect for one in seen.values()), default=0.0)
    return LevelTruth(level.edges, level.kinds, joint, len(out), effect, level.order)


def out_groups(level: str, lens: LensModel) -> list[Donors]:
    """The words and donors with which edges that are out are tried."""
    return imitated_groups(lens) if level == "imitated" else groups_of(lens, OUT_PLAN)


def _joint(level: LevelModel, nodes: Sequence[str], seed: int) -> JointNodes:
    """A group of nodes, exchanged together on pairs of words."""
    witness = joint_witness(level.lens, nodes, seed)
    return JointNodes(tuple(nodes), witness is not None, witness)


def joint_witness(lens: LensModel, nodes: Sequence[str], seed: int, count: int = 40) -> EdgeWitness | None:
    """A word and a donor of the same length on which nodes that are exchanged together change an answer."""
    for length in (3, 6):
        words, others = (with_prefix(lens, rows) for rows in word_pairs(lens, length, count, seed))
        for row in np.flatnonzero(interchanged(lens, words, others, nodes)):
            result = interchange(lens, tokens_of(lens, words[row]), tokens_of(lens, others[row]), nodes)
            if result.before != result.after:
                return result
    return None


def annotations_json(case: CompiledCase, level: LevelModel) -> dict[str, Any]:
    """What every component does: its hook, role, note and labels, with the task, its program and some examples."""
    examples = [_example(case, letters) for letters in _example_words(case)]
    nodes = [node for node in level.lens.shape.nodes(positions=False) if node != INPUT]
    heads = int(case.lens.config["n_heads"])
    components = [_component(case, level, node, heads) for node in nodes]
    return {
        "id": case.program.id,
        "level": level.level,
        "task": {"summary": case.program.what, "examples": examples, "program": case.program.text},
        "components": components,
    }


def _example_words(case: CompiledCase) -> list[str]:
    letters = [str(token) for token in case.lens.alphabet[:4]]
    draw = np.random.default_rng(5)
    return ["".join(letters[i] for i in draw.integers(0, len(letters), n)) for n in (3, 4, 5, 6, 8)]


def _example(case: CompiledCase, word: str) -> dict[str, Any]:
    return {"input": list(word), "output": [str(value) for value in case.compiled.model(word)]}


def _component(case: CompiledCase, level: LevelModel, node: str, heads: int) -> dict[str, Any]:
    """One head or MLP, as annotation benchmarks write it."""
    place, layer = head_of(node), layer_of(node)
    name = f"L{layer}_MLP" if place is None else f"L{place[0]}H{place[1]}_ATTN"
    hook = f"blocks.{layer}.mlp.hook_post" if place is None else hook_of(node, level.lens.shape.layers)
    tag, note, labels = _told(case, level, node, heads)
    return {"id": name, "hook": hook, "role": {"tag": tag, "note": note}, "labels": list(labels)}


def _told(case: CompiledCase, level: LevelModel, node: str, heads: int) -> tuple[str, str, tuple[str, ...]]:
    """The role, note and labels of a component."""
    place, old = head_of(node), head_of(level.origins[node])
    beside = _beside(level, node)
    if beside is not None:
        return beside
    if place is None and level.level in JOINS and _joins(node, level.joint[0]):
        return "ELEMENTWISE", JOINS[level.level], ()
    used = any(edge.edge.source == node for edge in level.edges)
    if level.level == "imitated":
        return ("UNKNOWN", TRAINED, ()) if used else ("NONE", UNSEEN, ())
    if not used or (old is not None and old[1] >= heads):
        return "NONE", IDLE, ()
    labels = labels_of(case.model, level.origins[node])
    note = case.notes.get(level.origins[node], IDLE)
    others = [other for group in level.joint if node in group for other in group if other != node]
    if others:
        return "AGGREGATOR", f"{note}; backed up by {' and '.join(others)}", labels
    return ("AGGREGATOR" if place is not None else "ELEMENTWISE"), note, labels


IDLE: Final = "does nothing that the answers read"
TRAINED: Final = "matters for the answers, as interchange shows; it was trained, and nobody wrote what it computes"
UNSEEN: Final = "no interchange that was tried changes an answer"


def _beside(level: LevelModel, node: str) -> tuple[str, str, tuple[str, ...]] | None:
    """What is said of a head that cancels another one, or of a decoy; None for others."""
    out = {level.kinds.get(edge.name) for edge in level.lens.shape.edges() if edge.source == node}
    kind = out.pop() if len(out) == 1 else None
    if kind == "decoy":
        return "DECOY", "belongs to another program, which the answers do not read", ()
    if kind != "cancels":
        return None
    other = next(n for group in level.joint if node in group for n in group if n != node)
    return "CANCELS", f"writes the opposite of what {other} writes", ()


def _joins(node: str, heads: Sequence[str]) -> bool:
    """Whether an MLP is one of those that join what copies of a head write."""
    place, layer = head_of(heads[0]), layer_of(node)
    return place is not None and layer is not None and 0 <= layer - place[0] < STAGES[len(heads)]
