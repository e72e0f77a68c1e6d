"""Rules for s-ops: constants, choices, and aggregates whose answer is known.

Each rule is a function from a node to a simpler one, or to None where it does not apply. Every sequence has values of
one type and none of them is nan, or its word is an error already; the arguments below use this. A rule may drop an
operand, and with it the operand's errors, but never brings in an error of its own.
"""

import math
from typing import Any, Final

from capax.errors import CapaxError
from capax.rasp.analysis.linear_bounds import decided
from capax.rasp.analysis.value_set import always_boolean
from capax.rasp.ir.nodes import (
    COMPARISONS,
    Aggregate,
    And,
    Const,
    Indices,
    Map,
    Node,
    Or,
    Select,
    SelectorNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import is_atom
from capax.rasp.meaning.reference import look_up
from capax.rasp.rewrite.rules.selector_rules import EMPTY

LARGEST_CONSTANT = 1000
"""Longer strings, and integers of more bits than four times this, are left to be computed."""


def fold_constants(node: Node) -> Node | None:
    """An operation or table applied to constants is the constant it gives.

    Right because the same atoms stand at every position. Left alone where it would raise, and where the result is no
    value of the language (complex, nan) or is large: there the error has to come when the program runs.
    """
    match node:
        case Map() if all(isinstance(a, Const) for a in node.args):
            return _constant(apply_op, node.op, *(a.parts[0] for a in node.args))
        case Table(arg=Const()):
            return _constant(look_up, node.kind, dict(node.entries), node.arg.parts[0])
        case _:
            return None


def _constant(function: Any, *args: Any) -> Node | None:
    try:
        value = function(*args)
    except CapaxError:
        return None
    if not is_atom(value) or (isinstance(value, float) and math.isnan(value)):
        return None
    size = len(value) if isinstance(value, str) else value.bit_length() // 4 if isinstance(value, int) else 0
    return Const(value) if size <= LARGEST_CONSTANT else None


def same_branches(node: Node) -> Node | None:
    """`x if c else x` is `x`.

    Right because the value chosen is the same at every position, with its type; an error of `c` is dropped.
    """
    if isinstance(node, Map) and node.op == "where" and node.args[1] is node.args[2]:
        return node.args[1]
    return None


def constant_condition(node: Node) -> Node | None:
    """`x if c else y` with a constant `c` is `x` or `y`.

    Right because the same branch is taken at every position; errors of the other branch are dropped. Truth is
    Python's: 0, 0.0, False and "" are false.
    """
    if isinstance(node, Map) and node.op == "where" and isinstance(node.args[0], Const):
        return node.args[1] if node.args[0].value else node.args[2]
    return None


def same_operands(node: Node) -> Node | None:
    """`x == x`, `x <= x` and `x >= x` are true, `x != x`, `x < x` and `x > x` false.

    Right because every value is equal to itself (there is no nan); errors of `x` are dropped.
    """
    if isinstance(node, Map) and node.op in COMPARISONS and node.args[0] is node.args[1]:
        return Const(node.op in ("==", "<=", ">="))
    return None


def known_comparison(node: Node) -> Node | None:
    """`indices < 0` is false and `indices < length` is true: comparisons of integers whose bounds decide them.

    Right because the bounds hold at every position of every word; errors of the operands are dropped.
    """
    if not isinstance(node, Map) or node.op not in COMPARISONS:
        return None
    outcome = decided(node.op, *node.args)
    return None if outcome is None else Const(outcome)


def constant_logic(node: Node) -> Node | None:
    """`False and x` is False, `True or x` is True; `True and x` and `False or x` are `x` where that is a boolean.

    Right because both are decided by truth values alone and give booleans; errors of `x` are dropped.
    """
    if not isinstance(node, Map) or node.op not in ("and", "or"):
        return None
    for constant, other in (node.args, node.args[::-1]):
        if isinstance(constant, Const) and bool(constant.value) is (node.op == "or"):
            return Const(node.op == "or")
        if isinstance(constant, Const) and always_boolean(other):
            return other
    return None


def double_not(node: Node) -> Node | None:
    """`not not x` is `x` where every value of `x` is known to be a boolean.

    Right because negation is its own inverse on True and False. On other values it is not: `not not 3` is True.
    """
    match node:
        case Map(op="not", args=(Map(op="not", args=(inner,)),)) if always_boolean(inner):
            return inner
        case _:
            return None


def nothing_selected(node: Node) -> Node | None:
    """Over the empty selector an aggregate is its default and a width is 0.

    Right because the default is what an aggregate gives where nothing is selected, and here that is everywhere; errors
    of the value are dropped.
    """
    match node:
        case Aggregate() if node.selector is EMPTY:
            return Const(node.default)
        case Width() if node.selector is EMPTY:
            return Const(0)
        case _:
            return None


def look_at_self(node: Node) -> Node | None:
    """`aggregate(select(indices, indices, ==), x)` is `x`.

    Right because each position selects exactly itself: one value is selected, so it is taken as it is, without a mean
    or the default.
    """
    if isinstance(node, Aggregate) and node.selector is SELF:
        return node.value
    return None


SELF = Select(Indices(), Indices(), "==")
"""Each position selects itself."""


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
