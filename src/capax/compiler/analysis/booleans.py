"""Which s-ops can be booleans: in sets of values True is 1 and False is 0."""

from collections.abc import Container, Sequence

from capax.rasp.ir.nodes import COMPARISONS, Aggregate, Const, Input, Map, Node, SOpNode, Table
from capax.rasp.ir.types import Atom


def may_be_boolean(node: SOpNode, known: Container[Node], alphabet: Sequence[Atom]) -> bool:
    """Whether an s-op may be a boolean at some place; of its operands those that may are known."""
    match node:
        case Input():
            return node.kind == "bool" or (node.kind == "asis" and any(isinstance(t, bool) for t in alphabet))
        case Const():
            return isinstance(node.value, bool)
        case Table():
            return node.kind == "members" or any(isinstance(v, bool) for _, v in node.entries)
        case Map(op="where"):
            return any(a in known for a in node.args[1:])
        case Map(op="and" | "or"):
            return True
        case Map():
            return node.op in COMPARISONS or node.op == "not"
        case Aggregate():
            return isinstance(node.default, bool) or node.value in known
        case _:
            return False
