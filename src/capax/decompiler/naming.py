"""A node as a program whose parts have names that can be read."""

from collections.abc import Mapping

from capax.rasp.ir.construction import Construction
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Node, SelectorNode, SOpNode, Width
from capax.rasp.python.program import SOp


def program_of(root: SOpNode, names: Mapping[Node, str]) -> SOp:
    """The program of a node, with names for some of its parts."""
    made: dict[Node, Construction] = {}
    for node in topological(root):
        made[node] = Construction(node, tuple(made[o] for o in node.operands), None, names.get(node))
    return SOp(root, made[root])


def size(root: Node) -> int:
    """The number of nodes of a program; equal parts count once."""
    return len(topological(root))
