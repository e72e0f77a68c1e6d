"""Dialects: the frame of the checks, and what they find."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from capax.errors import Span
from capax.rasp.ir.construction import Construction, span_of
from capax.rasp.ir.describe import LENGTH
from capax.rasp.ir.graph import postorder, topological
from capax.rasp.ir.loop_nodes import LoopResult
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Select,
    Table,
    Width,
)
from capax.rasp.ir.ops import expanded
from capax.rasp.ir.triple_nodes import TripleNode
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
    """A node is outside the dialect; the message says why."""


Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True, eq=False)
class Dialect(Generic[Kind]):
    """The rules of a dialect: for each sort of node its kind, from those of its operands.

    A rule raises `OutsideError` for a node that is outside. `answer` says why an answer of some kind is none of the
    dialect's, if so; `no_length` says why `length`, which is one node here, is outside.
    """

    name: str
    no_length: str
    leaf: Callable[[Input | Const | Indices], Kind]
    map: Callable[[Map, list[Kind]], Kind]
    table: Callable[[Table, Kind], Kind]
    select: Callable[[Select, Kind, Kind], Kind]
    joined: Callable[[And | Or | Not, list[Kind]], Kind]
    best: Callable[[Best, Kind, Kind], Kind]
    width: Callable[[Width], Kind]
    aggregate: Callable[[Aggregate, Kind, Kind], Kind]
    answer: Callable[[Kind], str | None]

    def check(self, program: Program) -> DialectVerdict:
        """Whether a program stays within the dialect, and where it leaves it.

        What is built on a node that is outside is not judged, so that one fault is one finding.
        """
        kinds: dict[Node, Kind] = {}
        findings: list[DialectFinding] = []
        for node in postorder([program.node], lambda n: () if n is LENGTH else n.operands):
            if node is not LENGTH and any(o not in kinds for o in node.operands):
                continue
            try:
                kinds[node] = self._kind(node, kinds)
            except OutsideError as reason:
                findings.append(DialectFinding(str(reason), node, location_of(node, program.construction)))
        reason_at_root = self.answer(kinds[program.node]) if program.node in kinds else None
        if reason_at_root:
            location = location_of(program.node, program.construction)
            findings.append(DialectFinding(reason_at_root, program.node, location))
        return DialectVerdict(self.name, tuple(_distinct(findings)))

    def _kind(self, node: Node, kinds: Mapping[Node, Kind]) -> Kind:
        match node:
            case Input() | Const() | Indices():
                return self.leaf(node)
            case Map() if node is LENGTH:
                raise OutsideError(self.no_length)
            case Map():
                return self._map(node, kinds)
            case Table():
                return self.table(node, kinds[node.arg])
            case Select():
                return self.select(node, kinds[node.key], kinds[node.query])
            case And() | Or() | Not():
                return self.joined(node, [kinds[o] for o in node.operands])
            case Best():
                return self.best(node, kinds[node.selector], kinds[node.score])
            case Width():
                return self.width(node)
            case Aggregate():
                return self.aggregate(node, kinds[node.selector], kinds[node.value])
            case LoopResult():
                raise OutsideError("it has a loop, and the dialect has a fixed number of layers")
            case TripleNode():
                raise OutsideError("it selects over triples, and the dialect compares a query with one key")
            case _:
                raise AssertionError(node)

    def _map(self, node: Map, kinds: Mapping[Node, Kind]) -> Kind:
        """The kind of an operation; one that is written with others is what they are."""
        expansion = expanded(node)
        if expansion is None:
            return self.map(node, [kinds[a] for a in node.args])
        inside = dict(kinds)
        for part in topological(expansion):
            inside[part] = inside[part] if part in inside else self._kind(part, inside)
        return inside[expansion]


def _distinct(findings: list[DialectFinding]) -> list[DialectFinding]:
    """Each finding once per location: a function of the language makes different nodes at one."""
    return list({(f.what, f.span.location if f.span else f.node): f for f in reversed(findings)}.values())[::-1]


def location_of(node: Node, construction: Construction) -> Span | None:
    """The location at which a node was written, or else that of what uses it first.

    For `length` the use comes first, since it was written in the standard library.
    """
    users = (w.span for w in construction.everything() if any(part.node is node for part in w.parts))
    used, own = next((span for span in users if span is not None), None), span_of(node, construction)
    return (used or own) if node is LENGTH else (own or used)
