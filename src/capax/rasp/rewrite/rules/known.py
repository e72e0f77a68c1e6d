"""What the program alone tells about all values of an s-op."""

from collections.abc import Callable

from capax.rasp.ir.nodes import Aggregate, Const, Input, Map, SOpNode, Table
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.types import Atom

MOST_VISITED = 200
"""After so many nodes the answer is "not known", so that a question stays cheap."""


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
        case Map():
            possible = OPS[node.op].possible_values
            return possible is not None and all(map(holds, possible))
        case _:
            return False
