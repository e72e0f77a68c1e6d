"""Shares of keys, as `selector_width(s and t) / selector_width(t)`: as means, which one head computes."""

from functools import reduce
from typing import Final

from capax.rasp.ir.describe import FULL, LENGTH
from capax.rasp.ir.nodes import Aggregate, And, Const, Indices, Map, Node, Select, SelectorNode, SOpNode, Width

SO_FAR: Final = Select(Indices(), Indices(), "<=")
LARGEST: Final = 2**20
"""Counts are taken so many times at most."""


def recognise_shares(node: Node) -> Node:
    """The mean that a quotient of counts is; any other node as it is."""
    if not isinstance(node, Map) or node.op != "/":
        return node
    return share_of_keys(*node.args) or node


def share_of_keys(number: SOpNode, count: SOpNode) -> SOpNode | None:
    """A sum of counts divided by the number of keys that a selector selects, as the mean of what each key adds to it.

    A key adds to the count of `s and t` what tells whether it is in s, where s looks at the key alone and t is the
    selector. Right because both are the same sum of integers divided by the same number; the numbers that are averaged
    are floats, so that a mean over one key is a float, as a quotient is. Where no key is selected the program divides
    by zero.
    """
    selector = _counted(count)
    value = None if selector is None else _added_by_key(number, selector)
    return None if selector is None or value is None else Aggregate(selector, value, 0.0)


def _counted(count: SOpNode) -> SelectorNode | None:
    """The selector whose keys a node counts."""
    if count is LENGTH:
        return FULL
    if count in (Map("+", (Indices(), Const(1))), Map("+", (Const(1), Indices()))):
        return SO_FAR
    return count.selector if isinstance(count, Width) else None


def _added_by_key(number: SOpNode, selector: SelectorNode) -> SOpNode | None:
    """What each key of a selector adds to a sum of counts; None where it is another sum."""
    if (counted := _counted(number)) is not None:
        return _whether(counted, selector)
    match number:
        case Map(op="+" | "-" | "neg"):
            parts = [_added_by_key(a, selector) for a in number.args]
            known = [p for p in parts if p is not None]
            return Map(number.op, tuple(known)) if len(known) == len(parts) else None
        case Map(op="*", args=(one, two)):
            for factor, other in ((one, two), (two, one)):
                if isinstance(factor, Const) and type(factor.value) is int and abs(factor.value) <= LARGEST:
                    part = _added_by_key(other, selector)
                    return None if part is None else Map("*", (factor, part))
    return None


def _whether(counted: SelectorNode, selector: SelectorNode) -> SOpNode | None:
    """1.0 for the keys of a selector that another selects, 0.0 for the others; None unless it looks at keys alone."""
    parts, needed = _parts(counted), _parts(selector)
    if not all(part in parts for part in needed):
        return None
    further = [p for p in parts if p not in needed]
    tests = [Map(p.op, (p.key, p.query)) for p in further if isinstance(p, Select) and isinstance(p.query, Const)]
    if len(tests) < len(further):
        return None
    if not tests:
        return Const(1.0)
    together = reduce(lambda one, two: Map("and", (one, two)), tests)
    return Map("where", (together, Const(1.0), Const(0.0)))


def _parts(selector: Node) -> list[Node]:
    """The selectors that a conjunction is made of; none for all pairs."""
    if isinstance(selector, And):
        return [*_parts(selector.left), *_parts(selector.right)]
    return [] if selector is FULL else [selector]
