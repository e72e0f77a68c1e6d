"""Which s-ops are surely different at any two positions of a word, so that equality with one of them selects one key.

Compiler and certificate both use this.
"""

from capax.rasp.analysis.output_types import is_total_order
from capax.rasp.analysis.uniform import is_uniform
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import Const, Indices, Map, Node, SOpNode, Width

_SUMS = ("+", "-", "neg", "pos")


def tells_positions_apart(root: SOpNode) -> bool:
    """Whether an s-op surely has another value at each position of a word.

    So have the position and the rank in an order of all positions; so has their sum or difference with an integer that
    is the same at all positions, and their product with a constant that is not zero. Integers are never rounded.

    >>> from capax import indices, length
    >>> tells_positions_apart((length - 1 - 2 * indices).node), tells_positions_apart((indices % 2).node)
    (True, False)
    """
    apart: dict[Node, bool] = {}
    for node in postorder([root], lambda n: n.operands if isinstance(n, Map) else ()):
        apart[node] = _tells_apart(node, apart)
    return apart[root]


def _tells_apart(node: Node, apart: dict[Node, bool]) -> bool:
    match node:
        case Indices():
            return True
        case Width():
            return is_total_order(node.selector)
        case Map(op="*", args=(one, two)):
            return any(apart[a] and _is_nonzero(b) for a, b in ((one, two), (two, one)))
        case Map() if node.op in _SUMS:
            return sum(apart[a] for a in node.args) == 1 and all(apart[a] or _is_uniform_integer(a) for a in node.args)
        case _:
            return False


def _is_nonzero(node: SOpNode) -> bool:
    return isinstance(node, Const) and type(node.value) is int and node.value != 0


def _is_uniform_integer(root: SOpNode) -> bool:
    """Whether an s-op is surely one integer, the same at all positions."""
    made_of = postorder([root], lambda n: n.operands if isinstance(n, Map) else ())
    return is_uniform(root) and all(
        isinstance(n, Width)
        or (isinstance(n, Const) and type(n.value) is int)
        or (isinstance(n, Map) and (n.op in _SUMS or n.op == "*"))
        for n in made_of
    )
