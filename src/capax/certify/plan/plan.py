"""The plan of a model: which nodes its heads compute, and how its program follows from them.

The outside checker (`checker/capax_check.py`) proves from the plan, the weights and the program's text that all answers
are right. A plan has no numbers of the proof, and nothing in it is trusted. docs/reference/plan.md has its form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from capax.certify.hints import HeadTask, hints_of
from capax.certify.looped.check_loop import checked_claims
from capax.certify.not_certified import NotCertified
from capax.certify.plan.links import Links
from capax.certify.plan.node_text import NodeNames, NotWritten
from capax.certify.plan.program_parts import ProgramPart, program_parts
from capax.certify.recheck.recheck import program_in, spec_of
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import AnyHead, Head
from capax.model.provenance import StateClaim
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import Aggregate, Best, Const, Indices, Map, Node, SOpNode, Width
from capax.rasp.rewrite.split_loop import LoopSpec

VERSION: Final = 1
CHECKED: Final = ("float32", "float64")
"""The number systems that the outside checker knows."""

LAST: Final = Aggregate(Best(FULL, Indices()), Map("+", (Indices(), Const(1))), 0)
"""The length, as a head reads it at the last position."""


@dataclass(frozen=True, slots=True)
class CheckerPlan:
    """Statements that name nodes, the nodes of each head, and the links between nodes, all by name."""

    length: int
    nodes: str
    heads: tuple[tuple[tuple[str, ...], ...], ...]
    same: dict[str, tuple[str, ...]]
    parts: dict[str, tuple[str, ...]]
    orders: dict[str, tuple[str, ...]]
    limits: dict[str, str]
    counts: dict[str, str]
    states: dict[str, StateClaim]

    def to_json(self) -> dict[str, Any]:
        """The plan as it stands in a model's file."""
        return {
            "version": VERSION,
            "length": self.length,
            "nodes": self.nodes,
            "heads": [[list(head) for head in block] for block in self.heads],
            "same": {name: list(others) for name, others in self.same.items()},
            "parts": {name: list(parts) for name, parts in self.parts.items()},
            "orders": {name: list(keys) for name, keys in self.orders.items()},
            "limits": self.limits,
            "counts": self.counts,
            "states": {
                name: {"slot": claim.slot, "values": list(claim.values), "codes": list(claim.codes)}
                for name, claim in self.states.items()
            },
        }


def with_plan(model: Model) -> Model:
    """The model with a plan for the outside checker in its provenance, if one can be made."""
    plan = plan_of(model)
    if plan is None:
        return model
    return replace(model, provenance=replace(model.provenance, plan=plan.to_json()))


def plan_of(model: Model) -> CheckerPlan | None:
    """The plan of a compiled model; None where the checker does not know what it is made of."""
    if model.numbers not in CHECKED or model.prefix or model.max_length is None:
        return None
    try:
        program, causal = program_in(model)
        assert isinstance(program.node, SOpNode)
        spec = spec_of(model, program.node, causal=causal)
        parts = program_parts(model, program.node, spec, causal=causal)
        tasks: list[list[list[Node]]] = []
        links = Links()
        for part in parts:
            _add_part(part, tasks, links)
        states = {} if isinstance(spec, OutputSpec) else _states(model, spec, parts[-1].kept)
        return _named(model.max_length, tasks, links, states)
    except (NotCertified, NotWritten, CapaxError):
        return None


def _add_part(part: ProgramPart, tasks: list[list[list[Node]]], links: Links) -> None:
    """Adds what the heads of a part compute, and its links."""
    hints = hints_of(part.model, part.roots)
    own = [
        [[part.as_text(node) for node in _computed(head, task)] for head, task in zip(block.heads, row, strict=True)]
        for block, row in zip(part.model.blocks, hints.blocks, strict=True)
    ]
    computed = list(dict.fromkeys(node for row in own for nodes in row for node in nodes))
    sums: dict[Node, list[Node]] = {
        part.as_text(node): [part.as_text(Width(selector)) for selector in some]
        for node, some in hints.width_parts.items()
        if [Width(selector) for selector in some] != [node]
    }
    tasks += own
    links.add(part.links(computed, sums))


def _states(model: Model, spec: LoopSpec, kept: Mapping[str, SOpNode]) -> dict[Node, StateClaim]:
    """What the file claims of the states of a loop, and of what no round changes, by nodes of the text."""
    return {kept.get(claim.name, State(claim.name, ())): claim for claim in checked_claims(model, spec)}


def _computed(head: AnyHead, task: HeadTask) -> list[Node]:
    """The node of each column of a head."""
    reads_length = task.nodes[0] is Width(FULL) and isinstance(head, Head) and head.sink is None and head.mask == "none"
    return [LAST] * len(task.nodes) if reads_length else list(task.nodes)


def _named(
    length: int, tasks: Sequence[Sequence[Sequence[Node]]], links: Links, states: Mapping[Node, StateClaim]
) -> CheckerPlan:
    """The plan with names for all nodes."""
    names = NodeNames([*(node for row in tasks for nodes in row for node in nodes), *links.nodes, *states])
    return CheckerPlan(
        length,
        names.text(),
        tuple(tuple(tuple(names[node] for node in nodes) for nodes in row) for row in tasks),
        {names[one]: tuple(names[other] for other in others) for one, others in links.same.items()},
        {names[whole]: tuple(names[part] for part in some) for whole, some in links.parts.items()},
        {
            names[rank]: tuple(f"{'-' if sign < 0 else ''}{names[key]}" for sign, key in keys)
            for rank, keys in links.orders.items()
        },
        {names[width]: names[other] for width, other in links.limits.items()},
        {names[one]: names[width] for one, width in links.counts.items()},
        {names[node]: claim for node, claim in states.items()},
    )
