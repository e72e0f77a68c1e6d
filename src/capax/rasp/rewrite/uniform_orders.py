"""Orders in which one side is the same at all positions, as in `select(indices, length // 2, <)`.

Both sides are then known at the other side's position, and whether a key (or a query) is selected is asked there: a
number of one side, where a comparison of keys with queries takes a product for each value.
"""

from capax.rasp.analysis.uniform import is_uniform
from capax.rasp.ir.nodes import Const, Map, Node, Select, SOpNode


def order_at_one_side(node: Node) -> Node:
    """An order, or `!=`, of an s-op and one that is the same at all positions, as a comparison at one side.

    Right because the uniform s-op has the same value at the key as at the query. Not of programs in which positions
    are hidden afterwards.
    """
    if not isinstance(node, Select) or node.op == "==" or _is_constant(node.key) or _is_constant(node.query):
        return node
    holds = Map(node.op, (node.key, node.query))
    if is_uniform(node.query):
        return Select(holds, Const(True), "==")
    return Select(Const(True), holds, "==") if is_uniform(node.key) else node


def _is_constant(node: SOpNode) -> bool:
    return isinstance(node, Const)
