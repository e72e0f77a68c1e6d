"""Which keys a selector can select, as far as positions alone tell: to the left, at the query itself, to the right."""

from typing import Literal

from capax.errors import CapaxError
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import And, Best, Const, Indices, Map, Node, Not, Or, Select, SelectorNode, SOpNode
from capax.rasp.ir.ops import apply_op

Side = Literal["left", "self", "right"]

UP_TO_HERE = Select(Indices(), Indices(), "<=")
"""Each position selects all up to itself."""

NOT_CAUSAL = "the selector is not limited to positions up to here; add `and select(indices, indices, <=)`"
"""What causal dialects say of a selector that is not known to look back only."""


def offset(node: SOpNode) -> int | None:
    """The integer c if the s-op is written as `indices`, `indices + c`, `c + indices` or `indices - c`."""
    match node:
        case Indices():
            return 0
        case Map(op="+" | "-", args=(Indices(), Const(value=int(c)))):
            return c if node.op == "+" else -c
        case Map(op="+", args=(Const(value=int(c)), Indices())):
            return c
        case _:
            return None


def falls(node: SOpNode) -> bool:
    """Whether the s-op is written as `-indices`, or as a number minus `indices`."""
    match node:
        case Map(op="neg", args=(Indices(),)):
            return True
        case Map(op="-", args=(Const(value=int() | float()), Indices())):
            return True
        case _:
            return False


def looks_right(selector: SelectorNode) -> bool:
    """Whether the selector is not known to leave out every key to the right of its query."""
    return on_side(selector, "right") is not False


def on_side(root: SelectorNode, side: Side) -> bool | None:
    """Whether all keys on a side of the query are selected (True), or none (False), if positions alone tell."""
    known: dict[Node, bool | None] = {}
    for node in postorder([root], lambda n: [o for o in n.operands if isinstance(o, SelectorNode)]):
        known[node] = _on_side(node, side, known)
    return known[root]


def _on_side(node: Node, side: Side, known: dict[Node, bool | None]) -> bool | None:
    match node:
        case Select():
            return _compared(node, side)
        case And():
            left, right = known[node.left], known[node.right]
            return False if left is False or right is False else True if left and right else None
        case Or():
            left, right = known[node.left], known[node.right]
            return True if left or right else False if left is False and right is False else None
        case Not():
            inner = known[node.inner]
            return None if inner is None else not inner
        case Best():
            return False if known[node.selector] is False else None
        case _:
            raise AssertionError(node)


def _compared(node: Select, side: Side) -> bool | None:
    if isinstance(node.key, Const) and isinstance(node.query, Const):
        try:
            return bool(apply_op(node.op, node.key.value, node.query.value))
        except CapaxError:
            return None
    key, query = offset(node.key), offset(node.query)
    if key is None or query is None:
        return None
    # Key j + a and query i + b compare as j - i with b - a: these distances show every outcome there is on a side.
    bound = query - key
    near = {-1, 0, 1, bound - 1, bound, bound + 1, abs(bound) + 1, -abs(bound) - 1}
    sign = {"left": -1, "self": 0, "right": 1}[side]
    outcomes = {bool(apply_op(node.op, d, bound)) for d in near if (d > 0) - (d < 0) == sign}
    return outcomes.pop() if len(outcomes) == 1 else None
