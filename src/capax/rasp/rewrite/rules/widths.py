"""The rule that finds a width written by hand."""

from typing import Final

from capax.rasp.ir.nodes import Aggregate, And, Const, Indices, Map, Node, Or, Select, SelectorNode, Width

AT_START: Final = Select(Indices(), Const(0), "==")
IS_START: Final = Map("indicator", (Map("==", (Indices(), Const(0))),))


def width_by_averages(node: Node) -> Node | None:
    """`round(1 / aggregate(s or at_start, is_start)) - 1 + aggregate(s and at_start, is_start)` is the width of `s`.

    Here `at_start` is `select(indices, 0, ==)` and `is_start` is `indicator(indices == 0)`. Right because the first
    mean is 1/m, with m the number of positions that `s` selects, counted with the first; the quotient 1/(1/m) is off
    by less than 1/2 for all m below 2^50, so rounding gives m, an integer; the second aggregate is the integer 1 or 0
    (its default) as `s` selects the first position or not. Both are integers, as the width is. The shape must be the
    library's, except that the operands of `or` and `and` may be exchanged. It is looked for before all other rules,
    since these simplify the two selectors differently.
    """
    match node:
        case Map(op="+", args=(Map(op="-", args=(Map(op="round", args=(inverse,)), less)), first)):
            selectors = [s for s in _joined_with_start(_inverted(inverse), Or) if s in _joined_with_start(first, And)]
            return Width(selectors[0]) if selectors and less is Const(1) else None
        case _:
            return None


def _inverted(node: Node) -> Node | None:
    """What 1 is divided by, if the node is such a quotient."""
    match node:
        case Map(op="/", args=(one, below)) if one is Const(1):
            return below
        case _:
            return None


def _joined_with_start(node: Node | None, joined: type[Or] | type[And]) -> list[SelectorNode]:
    """What is joined with the start in an aggregate of `is_start` whose default is the integer 0."""
    if not isinstance(node, Aggregate) or node.value is not IS_START or Const(node.default) is not Const(0):
        return []
    pair = node.selector.operands
    if not isinstance(node.selector, joined) or AT_START not in pair:
        return []
    return [s for s, other in (pair, pair[::-1]) if other is AT_START and isinstance(s, SelectorNode)]
