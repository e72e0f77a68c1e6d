"""Counts that comparisons of positions restrict, by what a mask shows and by few positions beside it.

A head with a mask sees all keys up to the query, or from it on. Those up to three positions before it are all of these
without the last three: as a score of one head that would take a product for each position.
"""

from collections.abc import Mapping
from functools import reduce
from math import inf
from typing import Final

from capax.rasp.analysis.offsets import Offsets, offsets_of
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import conjuncts, postorder
from capax.rasp.ir.nodes import (
    And,
    Comparison,
    Const,
    Indices,
    Map,
    Node,
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Width,
)

LENGTH: Final = Width(Select(Const(1), Const(1), "=="))
POSITIONS: Final[Mapping[Comparison, SOpNode]] = {
    "==": Const(1),
    "!=": Map("-", (LENGTH, Const(1))),
    "<": Indices(),
    "<=": Map("+", (Indices(), Const(1))),
    ">": Map("-", (Map("-", (LENGTH, Const(1))), Indices())),
    ">=": Map("-", (LENGTH, Indices())),
}
"""How many positions compare so with a position."""

SEEN: Final[Mapping[Offsets, SelectorNode]] = {
    Offsets(): FULL,
    **{Offsets(((-inf, end),)): Select(Indices(), Indices(), op) for end, op in ((0, "<="), (-1, "<"))},
    **{Offsets(((start, inf),)): Select(Indices(), Indices(), op) for start, op in ((0, ">="), (1, ">"))},
}
"""The offsets that masks show."""


def count_positions(node: Node) -> Node:
    """How many positions are at some offsets, by the index and the length; no head has to count them."""
    match node:
        case Width(selector=Select(key=Indices(), query=Indices(), op=op)):
            return POSITIONS[op]
        case Width(selector=selector) if selector is not FULL and (offsets := offsets_of(selector)) is not None:
            if -inf < offsets.low < 0 < offsets.high < inf:
                return node  # both ends of the word would have to be looked at
            counts: list[SOpNode] = [Map("-", (_inside(high + 1), _inside(low))) for low, high in offsets.ranges]
            return reduce(lambda one, two: Map("+", (one, two)), counts) if counts else Const(0)
        case _:
            return node


def _inside(offset: float) -> SOpNode:
    """The position with an offset, or the end of the word that is nearest to it: from 0 to the length."""
    if offset in (-inf, inf):
        return LENGTH if offset > 0 else Const(0)
    position = shifted(int(offset))
    if offset < 0:
        return Map("where", (Map("<", (position, Const(0))), Const(0), position))
    return position if offset <= 1 else Map("where", (Map(">", (position, LENGTH)), LENGTH, position))


def shifted(offset: int) -> SOpNode:
    """The position with an offset."""
    return Map("+" if offset > 0 else "-", (Indices(), Const(abs(offset)))) if offset else Indices()


def count_beside_masks(node: Node) -> Node:
    """A width over all positions but a few, or over those that a mask shows and a few more, as a sum or difference.

    Right because every key is counted as often as it is selected, once or never.
    """
    if not isinstance(node, Width):
        return node
    parts = [(part, offsets_of(part)) for part in conjuncts(node.selector)]
    rest = [part for part, offsets in parts if offsets is None]
    window = reduce(Offsets.__and__, (offsets for _, offsets in parts if offsets is not None), Offsets())
    if window in SEEN or not rest or not window.ranges:
        return node
    seen = min(SEEN, key=lambda mask: ((window & ~mask).size + (mask & ~window).size, mask.ranges))
    more, less = window & ~seen, seen & ~window
    if more.size + less.size == inf:
        return node  # a few positions alone
    total: SOpNode = Width(reduce(And, [*rest, *([SEEN[seen]] if SEEN[seen] is not FULL else [])]))
    for op, offsets in (("+", more), ("-", less)):
        if offsets.ranges:
            total = Map(op, (total, _count(rest, offsets)))
    return total


def _count(rest: list[SelectorNode], offsets: Offsets) -> SOpNode:
    """How many keys at a few offsets are selected; at the query's own position that is asked there."""
    if list(offsets) == [0]:
        return Map("indicator", (at_self(reduce(And, rest)),))
    return Width(reduce(And, [*rest, reduce(Or, [_between(int(low), int(high)) for low, high in offsets.ranges])]))


def _between(low: int, high: int) -> SelectorNode:
    """The keys at the offsets from one to another."""
    if low == high:
        return Select(Indices(), shifted(low), "==")
    return And(Select(Indices(), shifted(low), ">="), Select(Indices(), shifted(high), "<="))


def at_self(selector: SelectorNode) -> SOpNode:
    """Whether a selector without a `best` selects the query's own position."""
    known: dict[Node, SOpNode] = {}
    for node in postorder([selector], lambda n: [o for o in n.operands if isinstance(o, SelectorNode)]):
        match node:
            case Select():
                known[node] = Map(node.op, (node.key, node.query))
            case And() | Or():
                known[node] = Map("and" if isinstance(node, And) else "or", (known[node.left], known[node.right]))
            case Not():
                known[node] = Map("not", (known[node.inner],))
            case _:
                raise AssertionError(node)
    return known[selector]
