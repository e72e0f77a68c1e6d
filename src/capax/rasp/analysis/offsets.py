"""Comparisons of positions: which offsets j - i between key and query they select."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, product
from typing import assert_never

from capax.rasp.analysis.linear_bounds import linear_bounds
from capax.rasp.ir.graph import conjuncts, postorder
from capax.rasp.ir.nodes import And, Comparison, Not, Or, Select, SelectorNode, SOpNode

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Offsets:
    """A set of offsets, as ranges in order that do not touch, ends included."""

    ranges: tuple[Range, ...] = ((-math.inf, math.inf),)

    def __and__(self, other: "Offsets") -> "Offsets":
        pairs = ((max(a, c), min(b, d)) for (a, b), (c, d) in product(self.ranges, other.ranges))
        return Offsets(tuple((low, high) for low, high in pairs if low <= high))

    def __or__(self, other: "Offsets") -> "Offsets":
        return ~(~self & ~other)

    def __invert__(self) -> "Offsets":
        ends = [-math.inf, *chain.from_iterable((low - 1, high + 1) for low, high in self.ranges), math.inf]
        pairs = zip(ends[::2], ends[1::2], strict=True)
        return Offsets(tuple((low, high) for low, high in pairs if low <= high and low < math.inf > -high))

    def __contains__(self, offset: float) -> bool:
        return any(low <= offset <= high for low, high in self.ranges)

    def __iter__(self) -> Iterator[int]:
        assert self.size < math.inf, self
        return chain.from_iterable(range(int(low), int(high) + 1) for low, high in self.ranges)

    @property
    def low(self) -> float:
        """The least offset."""
        return self.ranges[0][0] if self.ranges else math.inf

    @property
    def high(self) -> float:
        """The greatest offset."""
        return self.ranges[-1][1] if self.ranges else -math.inf

    @property
    def size(self) -> float:
        """How many offsets there are."""
        return sum(high - low + 1 for low, high in self.ranges)


def compared(op: Comparison, key: int, query: int) -> Offsets:
    """The offsets j - i for which j + key compares so with i + query."""
    bound = query - key
    match op:
        case "<":
            return Offsets(((-math.inf, bound - 1),))
        case "<=":
            return Offsets(((-math.inf, bound),))
        case ">":
            return Offsets(((bound + 1, math.inf),))
        case ">=":
            return Offsets(((bound, math.inf),))
        case "==":
            return Offsets(((bound, bound),))
        case "!=":
            return Offsets(((-math.inf, bound - 1), (bound + 1, math.inf)))
        case _:
            assert_never(op)


def shift_of(node: SOpNode) -> int | None:
    """c where a node is the position plus an integer c on every word."""
    bounds = linear_bounds(node)
    if bounds is None or bounds.low != bounds.high or [bounds.low.a, bounds.low.b] != [Fraction(0), Fraction(1)]:
        return None
    return int(bounds.low.c)


def offsets_of(selector: SelectorNode, shift: Callable[[SOpNode], int | None] = shift_of) -> Offsets | None:
    """The offsets that comparisons of shifted positions select together; None where a selector has others.

    >>> from capax import indices, select
    >>> offsets_of(select(indices, indices - 3, ">").node)
    Offsets(ranges=((-2, inf),))
    """
    known: dict[SelectorNode, Offsets] = {}
    for node in postorder([selector], lambda n: [o for o in n.operands if isinstance(o, SelectorNode)]):
        match node:
            case Select():
                key = shift(node.key)
                query = None if key is None else shift(node.query)
                if key is None or query is None:
                    return None
                known[node] = compared(node.op, key, query)
            case And():
                known[node] = known[node.left] & known[node.right]
            case Or():
                known[node] = known[node.left] | known[node.right]
            case Not():
                known[node] = ~known[node.inner]
            case _:
                return None
    return known[selector]


def window_of(selector: SelectorNode) -> Offsets:
    """The offsets to which what a conjunction says of positions alone restricts it."""
    return reduce(Offsets.__and__, filter(None, map(offsets_of, conjuncts(selector))), Offsets())
