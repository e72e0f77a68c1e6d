"""Verdicts: whether a program stays within a dialect, and where it leaves it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from capax.errors import Span
from capax.rasp.ir.construction import Construction, span_of
from capax.rasp.ir.describe import LENGTH
from capax.rasp.ir.graph import postorder, topological
from capax.rasp.ir.nodes import Map, Node
from capax.rasp.ir.ops import expanded
from capax.rasp.python.program import Program


@dataclass(frozen=True, slots=True, eq=False)
class DialectFinding:
    """Where a program leaves a dialect: what is wrong, the node, and its location in the text if known."""

    what: str
    node: Node
    span: Span | None


@dataclass(frozen=True, slots=True, eq=False)
class DialectVerdict:
    """What a check found: the dialect, and each point at which the program leaves it.

    `inside` is a statement about the function: the program's text turns into a program of the dialect by the stated
    rules. A finding is a statement about this text only: another program for the same function may be inside.
    """

    dialect: str
    findings: tuple[DialectFinding, ...]

    @property
    def inside(self) -> bool:
        """Whether nothing leaves the dialect."""
        return not self.findings


class OutsideError(Exception):
    """A node is no part of the dialect; the message says why."""


Kind = TypeVar("Kind")


def judge(
    program: Program,
    dialect: str,
    classify: Callable[[Node, dict[Node, Kind]], Kind],
    refuse: Callable[[Kind], str | None],
) -> DialectVerdict:
    """The verdict of a dialect, from the kinds of the nodes.

    `classify` gives the kind of a node from those of its operands, or raises; `refuse` says why an answer of a kind is
    none of the dialect's, if so. What is built on a node that is outside is not judged, so that one fault is one
    finding. `length` is one node here.
    """
    kinds: dict[Node, Kind] = {}
    findings: list[DialectFinding] = []
    for node in postorder([program.node], lambda n: () if n is LENGTH else n.operands):
        if node is not LENGTH and any(o not in kinds for o in node.operands):
            continue
        try:
            expansion = expanded(node) if isinstance(node, Map) else None
            if expansion is None:
                kinds[node] = classify(node, kinds)
                continue
            inside = dict(kinds)
            for part in topological(expansion):
                inside[part] = inside[part] if part in inside else classify(part, inside)
            kinds[node] = inside[expansion]
        except OutsideError as reason:
            findings.append(DialectFinding(str(reason), node, location_of(node, program.construction)))
    reason_at_root = refuse(kinds[program.node]) if program.node in kinds else None
    if reason_at_root:
        findings.append(DialectFinding(reason_at_root, program.node, location_of(program.node, program.construction)))
    return DialectVerdict(dialect, tuple(_distinct(findings)))


def _distinct(findings: list[DialectFinding]) -> list[DialectFinding]:
    """Each finding once per location: a function of the language makes different nodes at one."""
    return list({(f.what, f.span.place if f.span else f.node): f for f in reversed(findings)}.values())[::-1]


def location_of(node: Node, construction: Construction) -> Span | None:
    """The location at which a node was written, or else that of what uses it first.

    For `length` the use comes first, since it was written in the standard library.
    """
    users = (w.span for w in construction.everything() if any(part.node is node for part in w.parts))
    used, own = next((span for span in users if span is not None), None), span_of(node, construction)
    return (used or own) if node is LENGTH else (own or used)
