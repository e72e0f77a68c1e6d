"""Nodes as statements of the language, one for each node, so that a plan can name any of them."""

import math
from collections.abc import Iterable, Sequence

from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
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
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.strings import string_text
from capax.rasp.ir.triple_nodes import (
    Lift,
    PairAggregate,
    PairWidth,
    SumSelect,
    TripleAnd,
    TripleNot,
    TripleOr,
    sum_text,
)
from capax.rasp.ir.types import Atom, integer_text


class NotWritten(Exception):  # noqa: N818 - an outcome, not an error
    """A node that has no text of one line."""


class NodeNames:
    """Names n0, n1, ... of nodes, operands first; a state of a loop has the name that the program gives it."""

    def __init__(self, roots: Iterable[Node]) -> None:
        self._order = topological(*roots)
        self._names = {node: _name(node, number) for number, node in enumerate(self._order)}

    def __getitem__(self, node: Node) -> str:
        """The name of a node."""
        return self._names[node]

    def text(self) -> str:
        """A statement for each node."""
        written = [node for node in self._order if not isinstance(node, State)]
        return "".join(f"{self[node]} = {self._written(node)};\n" for node in written)

    def _written(self, node: Node) -> str:
        inner = [self[operand] for operand in node.operands]
        match node:
            case Input():
                return "tokens" if node.kind == "str" else f"tokens_{node.kind}"
            case Indices():
                return "indices"
            case Const():
                return f"constant({atom_text(node.value)})"
            case Map():
                return OPS[node.op].text(inner)
            case Table():
                return _table(node, inner[0])
            case Aggregate() | PairAggregate():
                return f"aggregate({inner[0]}, {inner[1]}, {atom_text(node.default)})"
            case Width() | PairWidth():
                return f"selector_width({inner[0]})"
            case Select():
                return f"select({inner[0]}, {inner[1]}, {node.op})"
            case And() | Or() | TripleAnd() | TripleOr():
                return f"{inner[0]} {'and' if isinstance(node, (And, TripleAnd)) else 'or'} {inner[1]}"
            case Not() | TripleNot():
                return f"not {inner[0]}"
            case SumSelect():
                return f"select3({', '.join(inner)}, {sum_text(node.modulus, node.op, node.constant)})"
            case Lift():
                return f"on_{node.side}({inner[0]})"
            case Best():
                return f"best({inner[0]}, {inner[1]})"
            case _:
                raise NotWritten(f"{type(node).__name__} has no statement")


def _name(node: Node, number: int) -> str:
    return f"state_{node.name}" if isinstance(node, State) else f"n{number}"


def atom_text(value: Atom) -> str:
    """A single value as the language writes it."""
    match value:
        case bool():
            return str(value)
        case str():
            return string_text(value)
        case int():
            return integer_text(value)
        case _ if math.isfinite(value):
            return repr(value)
        case _:
            raise NotWritten("an infinity has no literal")


def _table(node: Table, arg: str) -> str:
    match node.kind:
        case "members":
            return f"{arg} in [{_listed([key for key, _ in node.entries])}]"
        case "list":
            return f"[{_listed([value for _, value in node.entries])}][{arg}]"
        case "string":
            return f"{atom_text(''.join(str(value) for _, value in node.entries))}[{arg}]"
        case "dict":
            pairs = (f"{atom_text(key)}: {atom_text(value)}" for key, value in node.entries)
            return f"{{{', '.join(pairs)}}}[{arg}]"
        case _:
            raise NotWritten(f"a table of kind {node.kind} has no statement")


def _listed(values: Sequence[Atom]) -> str:
    return ", ".join(map(atom_text, values))
