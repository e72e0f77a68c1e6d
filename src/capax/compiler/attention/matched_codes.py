"""Codes for an equality of values of which few can be equal: of a position and a mean, for instance.

A mean of positions has thousands of values, of which those that are no integers equal no position. So all values
between two that both sides have are one: the codes go up by such values, and differ between the sides elsewhere. A
staircase has two jumps for each common value, and a mean need not be listed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from capax.compiler.analysis.value_sets import Finite, Interval, finite, rational
from capax.compiler.encode.elementwise import compare
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.signals import SignalSum
from capax.rasp.ir.nodes import Const, Select, SOpNode
from capax.rasp.ir.types import Atom

FEWER = 2
"""These codes pay where there are so many times fewer of them than values of both sides."""

STEP = 3
"""The codes of neighbouring common values differ by this: between them is one code for each side."""


@dataclass(frozen=True, slots=True)
class MatchedCodes:
    """The values that both sides of an equality have, in order, among all that are listed; codes are around zero."""

    common: Finite
    order: Finite

    @property
    def middle(self) -> int:
        """What is taken off all codes."""
        return STEP * len(self.common) // 2

    @property
    def largest(self) -> int:
        """No code is larger."""
        return STEP * len(self.common) + 1 - self.middle

    def code(self, value: Atom, *, of_key: bool) -> float:
        """The code of a listed value of one side."""
        rank = self.order.rank(value)
        below = sum(self.order.rank(v) < rank for v in self.common.values)
        own = 2 if value in self.common else int(of_key)
        return float(STEP * below + own - self.middle)


def matched_codes(builder: FeatureBuilder, node: Select) -> MatchedCodes | None:
    """The codes of an equality; None where they do not pay, or the values of neither side are listed."""
    sets = [builder.analysis.values(n) for n in (node.key, node.query)]
    lists = [s for s in sets if isinstance(s, Finite)]
    if not lists or all(builder.is_column(n) for n in (node.key, node.query)):
        return None
    other = next((s for s in sets if isinstance(s, Interval)), lists[-1])
    common = finite(v for v in lists[0].values if _may_be(v, other))
    order = finite(v for s in lists for v in s.values)
    if len(lists) == 2 and FEWER * STEP * (len(common) + 1) > len(order):
        return None
    return MatchedCodes(common, order)


def _may_be(value: Atom, values: Finite | Interval) -> bool:
    """Whether a value can be one of a set."""
    if isinstance(values, Finite):
        return value in values
    if isinstance(value, str) or not values.low <= rational(value) <= values.high:
        return False
    return (rational(value) / values.unit).denominator <= values.most


def matched_feature(
    builder: FeatureBuilder, node: Select, side: str, codes: MatchedCodes, function: Callable[[float], float], name: str
) -> SignalSum:
    """A function of the code of one side, for a head to read; of an interval by comparisons with common values."""
    of_key = side == "key"
    sop = node.key if of_key else node.query
    if isinstance(builder.analysis.values(sop), Finite):
        return builder.stream_feature(sop, lambda v: function(codes.code(v, of_key=of_key)), name)
    # between two common values, and at each: the classes of `by_thresholds`
    classes = [STEP * (k // 2) + (2 if k % 2 else int(of_key)) - codes.middle for k in range(2 * len(codes.common) + 1)]
    return by_thresholds(builder, sop, codes.common, [function(float(c)) for c in classes], name)


def by_thresholds(builder: FeatureBuilder, node: SOpNode, at: Finite, outputs: Sequence[float], name: str) -> SignalSum:
    """A function of a number that need not be listed, for a head to read: it changes at some values only.

    `outputs` are those below the first value, at it, between it and the next, and so on.
    """
    total = SignalSum(constant=float(outputs[0]))
    for rank, value in enumerate(at.values):
        for op, number in ((">=", 2 * rank), (">", 2 * rank + 1)):
            change = float(outputs[number + 1] - outputs[number])
            if change:
                total += compare(builder, node, Const(value), op, builder.layer(node)).signal * change
    return builder.in_stream(total, node, name)
