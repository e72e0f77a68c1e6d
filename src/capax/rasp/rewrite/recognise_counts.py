"""Counts that a program takes by averages: as widths, which the compiler and the check know better."""

from functools import reduce
from typing import Final

from capax.rasp.analysis.value_set import value_set
from capax.rasp.ir.describe import FULL, LENGTH
from capax.rasp.ir.nodes import Aggregate, And, Const, Indices, Map, Node, Or, Select, SelectorNode, SOpNode, Width

FIRST: Final = Map("indicator", (Map("==", (Indices(), Const(0))),))
MOST_WIDTHS = 2
"""A sum is taken as so many widths at most: each has a head of its own."""
LARGEST: Final = 2**20
"""Values that are summed up are at most so large: then the product of their mean and their number rounds to the sum."""


def recognise_counts(node: Node) -> Node:
    """The width, or the sum of widths, that a node is; any other node as it is."""
    if not isinstance(node, Map) or node.op != "round":
        return node
    match node.args[0]:
        case Map(op="/", args=(Const(value=one), Aggregate() as mean)) if one == 1:
            # how many keys are selected, where key 0 surely is
            return Width(mean.selector) if mean.value is FIRST and _selects_first(mean.selector) else node
        case Map(op="*", args=(one, two)):
            sums = (_sum(mean, count) for mean, count in ((one, two), (two, one)) if isinstance(mean, Aggregate))
            return next((s for s in sums if s is not None), node)
    return node


def _selects_first(selector: SelectorNode) -> bool:
    parts, selects = [selector], False
    while parts:
        part = parts.pop()
        if isinstance(part, Or):
            parts += [part.left, part.right]
        selects = selects or part is FULL or part is Select(Indices(), Const(0), "==")
    return selects


def _sum(mean: Aggregate, count: SOpNode) -> SOpNode | None:
    """The sum of what is averaged, as widths, where the mean is multiplied by the number of values in it.

    That is the sum of v times the number of selected keys with the value v, over all v. Right because a mean of k
    integers is the float nearest to their sum divided by k, and k times it is off by less than 1/2 from the sum, as
    long as this is below 2^50: rounding gives the sum, an integer as widths are. Something is surely selected, so the
    default does not matter. Each width fails where the values do, and only there.
    """
    if not _counts(count, mean.selector):
        return None
    values = value_set(mean.value)
    if values is None or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return None
    numbers = {int(v) for v in values if not isinstance(v, str) and abs(v) <= LARGEST and v == int(v)}
    terms = sorted(numbers - {0}, reverse=True)
    if len(numbers) < len(set(values)) or not 0 < len(terms) <= MOST_WIDTHS:
        return None
    parts = [(v, Width(And(Select(mean.value, Const(v), "=="), mean.selector))) for v in terms]
    return reduce(_added, parts, None)


def _added(total: SOpNode | None, part: tuple[int, SOpNode]) -> SOpNode:
    """A sum and a width times a number."""
    number, width = part
    sign = "-" if number < 0 and total is not None else "+"
    factor = abs(number) if total is not None else number
    term = width if factor == 1 else Map("*", (Const(factor), width))
    return term if total is None else Map(sign, (total, term))


def _counts(count: SOpNode, selector: SelectorNode) -> bool:
    """Whether a node is how many keys a selector selects, one at least."""
    if selector is FULL:
        return count in (LENGTH, Width(FULL))
    so_far = Map("+", (Indices(), Const(1))), Map("+", (Const(1), Indices()))
    return selector is Select(Indices(), Indices(), "<=") and count in so_far
