"""Counts that a program takes by averages: as widths, which the compiler and the check know better."""

from functools import reduce
from typing import Final

from capax.rasp.analysis.value_set import value_set
from capax.rasp.ir.describe import FULL, LENGTH
from capax.rasp.ir.nodes import (
    COMPARISONS,
    Aggregate,
    And,
    Best,
    Comparison,
    Const,
    Indices,
    Map,
    Node,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Width,
)
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.rules.selector_rules import fingerprint

FIRST: Final = Map("indicator", (Map("==", (Indices(), Const(0))),))
AT_START: Final = Select(Indices(), Const(0), "==")
SO_FAR: Final = Select(Indices(), Indices(), "<=")
FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
MOST_WIDTHS = 2
"""A sum is taken as so many widths at most: each has a head of its own."""
LARGEST: Final = 2**20
"""Values that are summed up are at most so large: then the product of their mean and their number rounds to the sum."""


def recognise_counts(node: Node) -> Node:
    """The width, the sum of widths, or the comparison of a width, that a node is; any other node as it is."""
    match node:
        case Map(op="round", args=(Map(op="/", args=(Const(value=one), Aggregate() as mean)),)) if one == 1:
            # how many keys are selected, where key 0 surely is
            return _count(mean.selector) if mean.value is FIRST and _selects_first(mean.selector) else node
        case Map(op="round", args=(Map(op="*", args=(one, two)),)):
            sums = (_sum(mean, count) for mean, count in ((one, two), (two, one)) if isinstance(mean, Aggregate))
            return next((s for s in sums if s is not None), node)
        case Map() if node.op in COMPARISONS:
            return _comparison(node.op, *node.args) or node
    return node


def _comparison(op: Comparison, left: SOpNode, right: SOpNode) -> SOpNode | None:
    """A comparison of means, or of a mean with a number, as one of counts or of a difference."""
    match left, right:
        case (Aggregate() as one, Aggregate() as two):
            return _difference(one, op, two)
        case Map(op="-", args=(Aggregate() as one, Aggregate() as two)), Const(value=zero) if _is_zero(zero):
            return _difference(one, op, two)  # a difference of floats is above, at or below 0 as they are
        case (Aggregate(value=Map(op="-"), default=default) as copy, Const(value=zero)) if _is_zero(
            zero
        ) and not isinstance(default, str):
            return _copied_outcome(copy, op)
        case (Aggregate() as mean, Const() as bound):
            return _compared(mean, op, bound.value)
        case (Const() as bound, Aggregate() as mean):
            return _compared(mean, FLIPPED.get(op, op), bound.value)
    return None


def _is_zero(value: Atom) -> bool:
    return not isinstance(value, str) and value == 0


def _count(selector: SelectorNode) -> SOpNode:
    """How many keys a selector selects that surely selects key 0.

    Of `s or select(indices, 0, ==)` they are key 0 and those others that s selects: no disjunction is left.
    """
    pair = selector.operands if isinstance(selector, Or) else ()
    for one, other in (pair, pair[::-1]) if pair else ():
        if other is AT_START and isinstance(one, SelectorNode):
            return Map("+", (Width(And(one, Select(Indices(), Const(0), ">"))), Const(1)))
    return Width(selector)


def _selects_first(selector: SelectorNode) -> bool:
    parts, selects = [selector], False
    while parts:
        part = parts.pop()
        if isinstance(part, Or):
            parts += [part.left, part.right]
        selects = selects or part is FULL or part is AT_START
    return selects


def _compared(mean: Aggregate, op: str, bound: Atom) -> SOpNode | None:
    """A mean of 0s and 1s compared with 0, or with 1, as the number of 1s, or of 0s, compared with 0.

    Right because the mean is above 0 where there is a 1 among the numbers, and else it is 0; and below 1 where there is
    a 0. Where nothing is selected, the default must give what no number gives.
    """
    if (
        isinstance(bound, str)
        or bound not in (0, 1)
        or op not in ("==", "!=", "<" if bound else ">", ">=" if bound else "<=")
    ):
        return None
    values = _integers(mean.value)
    if values is None or not values <= {0, 1}:
        return None
    if not _surely_selects(mean.selector) and (isinstance(mean.default, str) or mean.default != bound):
        return None
    others = Width(And(Select(mean.value, Const(0 if bound else 1), "=="), mean.selector))
    return Map("==" if op in ("==", ">=" if bound else "<=") else "!=", (others, Const(0)))


def _difference(one: Aggregate, op: str, two: Aggregate) -> SOpNode | None:
    """A comparison of two means over the same keys as one of the mean of the difference with 0.

    Right because both are sums of integers divided by the same number, and their difference is above, at or below 0 as
    that of the sums is; quotients of different sums below 2^50 by one number are different floats, in the same order.
    The operands are put in order, so that comparisons of the same two means have one difference.
    """
    same_default = type(one.default) is type(two.default) and one.default == two.default
    if one.selector is not two.selector or not (same_default or _surely_selects(one.selector)):
        return None
    if _integers(one.value) is None or _integers(two.value) is None or one.value is two.value:
        return None
    if fingerprint(one.value) > fingerprint(two.value):
        one, two, op = two, one, FLIPPED.get(op, op)
    difference = Aggregate(one.selector, Map("-", (one.value, two.value)), 0)
    return Map(op, (difference, Const(0)))


def _copied_outcome(copy: Aggregate, op: Comparison) -> SOpNode | None:
    """A comparison with 0 of a difference of two means that one key has, as a copy of the outcome at that key.

    Right because at most one key is selected. The difference has many values, the outcome two.
    """
    match copy.selector, copy.value:
        case Best() | Select(key=Indices(), op="=="), Map(args=(Aggregate() as one, Aggregate() as two)):
            outcome = _difference(one, op, two)
        case _:
            return None
    if outcome is None:
        return None
    flag = Map("where", (outcome, Const(1), Const(0)))
    return Map("==", (Aggregate(copy.selector, flag, int(apply_op(op, copy.default, 0))), Const(1)))


def _integers(node: SOpNode) -> set[int] | None:
    """The values of an s-op, if they are known to be integers, none of them large."""
    values = value_set(node)
    if not values or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return None
    integers = {int(v) for v in values if not isinstance(v, str) and abs(v) <= LARGEST and v == int(v)}
    return integers if len(integers) == len(set(values)) else None


def _surely_selects(selector: SelectorNode) -> bool:
    """Whether every query selects a key, where the selector alone tells."""
    return selector is FULL or selector in (SO_FAR, Select(Indices(), Indices(), ">="))


def _sum(mean: Aggregate, count: SOpNode) -> SOpNode | None:
    """The sum of what is averaged, as widths, where the mean is multiplied by the number of values in it.

    That is the sum of v times the number of selected keys with the value v, over all v. Right because a mean of k
    integers is the float nearest to their sum divided by k, and k times it is off by less than 1/2 from the sum, as
    long as this is below 2^50: rounding gives the sum, an integer as widths are. Something is surely selected, so the
    default does not matter. Each width fails where the values do, and only there.
    """
    if not _counts(count, mean.selector):
        return None
    terms = sorted((_integers(mean.value) or set()) - {0}, reverse=True)
    if not 0 < len(terms) <= MOST_WIDTHS:
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
    return selector is SO_FAR and count in (Map("+", (Indices(), Const(1))), Map("+", (Const(1), Indices())))
