"""Remainders by a number that is nearly as large, as `(indices - 1 + length) % length`, by comparisons and differences.

A remainder of two s-ops is a table over pairs of their values; a comparison and a difference are a few units.
"""

from typing import Final

from capax.rasp.analysis.linear_bounds import always_below, linear_bounds
from capax.rasp.ir.nodes import Const, Map, Node, SOpNode

MOST_TIMES: Final = 4
"""A number is subtracted at most so many times less one."""


def remainder_by_differences(node: Node) -> Node:
    """`x % d` with a d that is not constant, as x, x + d, x - d, or x - 2 d, whichever is from 0 to d - 1.

    Right where bounds show that x and d are integers, that d is at least 1, and that x is at least -d and below 4 d.
    """
    match node:
        case Map(op="%", args=(x, d)) if not isinstance(d, Const) and always_below(Const(0), d):
            times = next((k for k in range(1, MOST_TIMES + 1) if always_below(x, _times(k, d))), None)
            if times is None or linear_bounds(x) is None or not always_below(_times(-1, d), Map("+", (x, Const(1)))):
                return node
            result: SOpNode = x
            for k in range(1, times):
                result = Map("where", (Map(">=", (x, _times(k, d))), Map("-", (x, _times(k, d))), result))
            if not always_below(Const(-1), x):
                result = Map("where", (Map("<", (x, Const(0))), Map("+", (x, d)), result))
            return result
        case _:
            return node


def _times(factor: int, node: SOpNode) -> SOpNode:
    return node if factor == 1 else Map("*", (Const(factor), node))
