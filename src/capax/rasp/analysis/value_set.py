"""Which values an s-op can have, where the program alone tells."""

from itertools import product

from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Const, Map, Node, SOpNode, Table
from capax.rasp.ir.ops import OPS, apply_op
from capax.rasp.ir.types import Atom

MOST_VALUES = 4096
"""Larger sets count as unknown."""


def value_set(root: SOpNode) -> list[Atom] | None:
    """A finite list that holds every value of an s-op on every word, or None if none is known."""
    known: dict[Node, list[Atom] | None] = {}
    for node in topological(root):
        known[node] = _values(node, known)
    return known[root]


def _values(node: Node, known: dict[Node, list[Atom] | None]) -> list[Atom] | None:
    match node:
        case Const():
            return [node.value]
        case Table():
            return [False, True] if node.kind == "members" else _distinct([value for _, value in node.entries])
        case Map():
            possible = OPS[node.op].possible_values
            return _of_map(node, known) if possible is None else list(possible)
        case _:
            return None


def _of_map(node: Map, known: dict[Node, list[Atom] | None]) -> list[Atom] | None:
    sets = [known[a] for a in node.args]
    if node.op == "where":
        return None if sets[1] is None or sets[2] is None else _distinct([*sets[1], *sets[2]])
    finite = [s for s in sets if s is not None]
    size = 1
    for each in finite:
        size *= len(each)
    if len(finite) < len(sets) or size > MOST_VALUES:
        return None
    values: list[Atom] = []
    for args in product(*finite):
        try:
            values.append(apply_op(node.op, *args))
        except CapaxError:
            continue  # such a combination gives an error, not a value
    return _distinct(values)


def _distinct(values: list[Atom]) -> list[Atom] | None:
    """Each value once; 1, 1.0 and True, and the two zeros, apart."""
    distinct = list({(type(v), v.hex() if isinstance(v, float) else v): v for v in values}.values())
    return distinct if len(distinct) <= MOST_VALUES else None
