"""Which values an s-op can have, and of which type they are, where the program alone tells."""

from collections.abc import Callable
from itertools import product

from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import Aggregate, Const, Input, Map, Node, SOpNode, Table
from capax.rasp.ir.ops import OPS, apply_op, expanded
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
        case State():
            return list(node.values) or None
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


MOST_VISITED = 200
"""After this many nodes the answer is "not known", so that a question stays cheap."""


def always_boolean(node: SOpNode) -> bool:
    """Whether every value, on every word that gives one, is known to be True or False."""
    return _always(node, lambda value: isinstance(value, bool))


def always_string(node: SOpNode) -> bool:
    """Whether every value, on every word that gives one, is known to be a string."""
    return _always(node, lambda value: isinstance(value, str))


def always_zero_or_one(node: SOpNode) -> bool:
    """Whether every value, on every word that gives one, is known to be a number equal to 0 or 1."""
    return _always(node, lambda value: value in (0, 1))


def _always(root: SOpNode, holds: Callable[[Atom], bool]) -> bool:
    """Whether all values hold; a value passes unchanged through `where` and, if it is no number, `aggregate`."""
    waiting, seen = [root], {root}
    while waiting:
        node = waiting.pop()
        below = _passed_on(node, holds)
        if below is None:
            if not _leaf_holds(node, holds):
                return False
            continue
        fresh = [s for s in below if s not in seen]
        seen.update(fresh)
        waiting += fresh
        if len(seen) > MOST_VISITED:
            return False
    return True


def _passed_on(node: SOpNode, holds: Callable[[Atom], bool]) -> list[SOpNode] | None:
    """The s-ops that every value of the node comes from, or None if the node makes its own."""
    match node:
        case Map(op="where"):
            return [node.args[1], node.args[2]]
        case Map() if (expansion := expanded(node)) is not None:
            return [expansion]
        case Map(op="+") if holds("") and not holds(0):
            return list(node.args)  # a sum that is a string is a sum of strings
        case Aggregate() if not holds(0) and holds(node.default):
            return [node.value]  # several strings or booleans have no mean, so one value is taken as it is
        case _:
            return None


def _leaf_holds(node: SOpNode, holds: Callable[[Atom], bool]) -> bool:
    match node:
        case Const():
            return holds(node.value)
        case Table() if node.kind != "members":
            return all(holds(value) for _, value in node.entries)
        case Table() | Input(kind="bool"):
            return holds(False) and holds(True)
        case Input(kind="str"):
            return holds("")
        case State():
            return bool(node.values) and all(map(holds, node.values))
        case Map():
            possible = OPS[node.op].possible_values
            return possible is not None and all(map(holds, possible))
        case _:
            return False
