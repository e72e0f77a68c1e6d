"""Which nodes of a program have one value for a whole word: what a constant, or the length, is at every position.

They are computed once for each word. A selector is uniform if all queries select the same keys.
"""

from collections.abc import Container, Iterable

from capax.rasp.ir.nodes import Aggregate, And, Best, Const, Map, Node, Not, Or, Select, Table, Width


def uniform_nodes(order: Iterable[Node]) -> frozenset[Node]:
    """The uniform nodes among some that come after their operands."""
    uniform: set[Node] = set()
    for node in order:
        if _is_uniform(node, uniform):
            uniform.add(node)
    return frozenset(uniform)


def _is_uniform(node: Node, uniform: Container[Node]) -> bool:
    """Whether a node is uniform, where it is known which of its operands are."""
    match node:
        case Const():
            return True
        case Map() | Table() | And() | Or() | Not() | Width():
            return all(operand in uniform for operand in node.operands)
        case Select():
            return node.query in uniform
        case Aggregate() | Best():
            return node.selector in uniform
        case _:
            return False
