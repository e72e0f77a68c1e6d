"""Bounds of integer s-ops that hold on every word: linear in the length n and the position i, with 0 <= i < n.

`indices` is at least 0 and at most n - 1, a width at least 0 and at most n. So `indices < 0` is false on every word,
and `indices < length` true. All arithmetic here is on integers, which the language does not round.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isfinite
from typing import Final
from weakref import WeakKeyDictionary

from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import (
    COMPARISONS,
    Comparison,
    Const,
    Indices,
    Map,
    Node,
    Select,
    SOpNode,
    Width,
)


@dataclass(frozen=True, slots=True)
class Form:
    """a n + b i + c."""

    a: Fraction
    b: Fraction
    c: Fraction

    def plus(self, other: "Form", sign: int = 1) -> "Form":
        """The sum, or the difference where the sign is -1."""
        return Form(self.a + sign * other.a, self.b + sign * other.b, self.c + sign * other.c)

    def times(self, factor: int | Fraction) -> "Form":
        """A multiple."""
        return Form(factor * self.a, factor * self.b, factor * self.c)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Two forms between which an s-op is at every position of every word, bounds included."""

    low: Form
    high: Form


def _form(a: int, b: int, c: int) -> Form:
    return Form(Fraction(a), Fraction(b), Fraction(c))


def _constant(value: Fraction) -> Form:
    return Form(Fraction(0), Fraction(0), value)


_ZERO: Final = _constant(Fraction(0))
_ONE: Final = _constant(Fraction(1))
_known: WeakKeyDictionary[Node, Bounds | None] = WeakKeyDictionary()
"""Bounds already found. A node never changes, so this only saves time."""


def linear_bounds(root: SOpNode) -> Bounds | None:
    """The bounds of an s-op whose values are surely integers or booleans, or of a constant; None if none are known."""
    for node in postorder([root], lambda n: [o for o in n.operands if o not in _known and isinstance(o, SOpNode)]):
        _known[node] = _bounds(node)
    return _known[root]


def _bounds(node: Node) -> Bounds | None:
    match node:
        case Indices():
            return Bounds(_form(0, 1, 0), _form(0, 1, 0))
        case Width():
            most = _form(1, 0, 0)
            return Bounds(most if node.selector is FULL else _ZERO, most)
        case Const(value=value) if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
            return Bounds(_constant(Fraction(value)), _constant(Fraction(value)))
        case Map():
            return _bounds_of_map(node)
        case _:
            return None


def _bounds_of_map(node: Map) -> Bounds | None:
    """The bounds of an operation, by those of its operands."""
    match node:
        case Map() if node.op in COMPARISONS or node.op in ("and", "or", "not", "indicator"):
            return Bounds(_ZERO, _ONE)
        case Map(op="%", args=(_, Const(value=value))) if type(value) is int and value > 0 and _of_integers(node):
            return Bounds(_ZERO, _constant(Fraction(value - 1)))
        case Map(op="round", args=(Map(op="/", args=(x, Const(value=by))),)) if not isinstance(by, str) and by >= 1:
            return _of_rounded_share(x)
        case Map(op="//", args=(x, Const(value=by))) if type(by) is int and by > 0 and _of_integers(node):
            return _of_floor(x, by)
        case Map(op="where") if all(_known[a] is not None and _is_integral(a) for a in node.args[1:]):
            return _of_choice(*node.args)
        case Map() if _of_integers(node):
            return _of_map(node.op, [bounds for a in node.args if (bounds := _known[a]) is not None])
        case _:
            return None


def _of_integers(node: Map) -> bool:
    """Whether all operands have bounds and are no floats."""
    return all(_known[a] is not None and not (isinstance(a, Const) and isinstance(a.value, float)) for a in node.args)


def _of_rounded_share(x: SOpNode) -> Bounds | None:
    """The bounds of the integer nearest to x divided by a number from 1 on, where x is at least 0."""
    bounds = _known[x]  # rounding keeps the order of numbers: the quotient is from 0 to x
    if bounds is None or isinstance(x, Const) or not _always_negative(_constant(Fraction(-1)), bounds.low):
        return None
    return Bounds(_ZERO, bounds.high)


def _of_floor(x: SOpNode, by: int) -> Bounds:
    """The bounds of x // by: from (x - by + 1) / by to x / by."""
    bounds = _known[x]
    assert bounds is not None
    share = Fraction(1, by)
    return Bounds(bounds.low.plus(_constant(Fraction(1 - by))).times(share), bounds.high.times(share))


def _of_map(op: str, args: list[Bounds]) -> Bounds | None:
    x, y = args[0], args[-1]
    match op:
        case "+":
            return Bounds(x.low.plus(y.low), x.high.plus(y.high))
        case "-":
            return Bounds(x.low.plus(y.high, -1), x.high.plus(y.low, -1))
        case "neg":
            return Bounds(x.high.times(-1), x.low.times(-1))
        case "*":
            for one, two in ((x, y), (y, x)):
                if one.low == one.high and one.low.a == one.low.b == 0:
                    ends = [two.low.times(int(one.low.c)), two.high.times(int(one.low.c))]
                    return Bounds(*(ends if one.low.c >= 0 else ends[::-1]))
            return None
        case _:
            return None


def _of_choice(condition: SOpNode, then: SOpNode, otherwise: SOpNode) -> Bounds | None:
    """The bounds of a choice: those of the branches, with what the condition says of each of them."""
    ends = [_under(condition, then, holds=True), _under(condition, otherwise, holds=False)]
    pairs = list(product(*ends))
    low = (_first(_never_above, one.low, two.low) for one, two in pairs)
    high = (_first(lambda x, y: _never_above(y, x), one.high, two.high) for one, two in pairs)
    least, most = next(filter(None, low), None), next(filter(None, high), None)
    return None if least is None or most is None else Bounds(least, most)


def _first(comes_first: Callable[[Form, Form], bool], one: Form, two: Form) -> Form | None:
    return one if comes_first(one, two) else two if comes_first(two, one) else None


def _under(condition: SOpNode, node: SOpNode, *, holds: bool) -> list[Bounds]:
    """Bounds of a node where a condition holds, or does not: of u, u + w or u - w where u >= v or u < v; best first."""
    bounds = _known[node]
    assert bounds is not None
    if not isinstance(condition, Map) or condition.op not in ("<", ">="):
        return [bounds]
    u, v = condition.args
    limits = _known[v]
    if _known[u] is None or limits is None or not (_is_integral(u) and _is_integral(v)):
        return [bounds]
    if node is not u:
        if not isinstance(node, Map) or node.op not in ("+", "-") or node.args[0] is not u:
            return [bounds]
        other = _known[node.args[1]]
        assert other is not None
        same = node.op == "-" and node.args[1] is v
        limits = Bounds(_ZERO, _ZERO) if same else _of_map(node.op, [limits, other]) or bounds
    if holds is (condition.op == ">="):
        return [Bounds(limits.low, bounds.high), bounds]
    return [Bounds(bounds.low, limits.high.plus(_ONE, -1)), bounds]


def _never_above(one: Form, two: Form) -> bool:
    """Whether one - two <= 0 at all positions."""
    d = one.plus(two, -1)
    return d.a + d.c <= 0 and d.a <= 0 and d.a + d.b <= 0


def decided(op: Comparison, left: SOpNode, right: SOpNode) -> bool | None:
    """The outcome of a comparison of two s-ops at one position, if it is the same on every word."""
    return _decided(op, left, right, _always_negative)


def always_below(left: SOpNode, right: SOpNode) -> bool:
    """Whether bounds show that one s-op is below another at every position; both are integers or booleans there."""
    one, two = linear_bounds(left), linear_bounds(right)
    return one is not None and two is not None and _always_negative(one.high, two.low)


def is_position(node: SOpNode) -> bool:
    """Whether bounds show that an s-op is the index of a position on every word: from 0 to the length less one."""
    return not isinstance(node, Const) and always_below(Const(-1), node) and always_below(node, Width(FULL))


def decided_selector(node: Select) -> bool | None:
    """Whether a comparison selects all pairs (True) or none (False) on every word; None if neither is known."""
    return _decided(node.op, node.key, node.query, _always_negative_apart)


def _decided(op: str, left: SOpNode, right: SOpNode, negative: Callable[[Form, Form], bool]) -> bool | None:
    one, two = linear_bounds(left), linear_bounds(right)
    if one is None or two is None:
        return None
    below, above = negative(one.high, two.low), negative(two.high, one.low)
    if below or above:
        return {"<": below, "<=": below, ">": above, ">=": above, "==": False, "!=": True}[op]
    # of integers one that is below the other plus 1 is at most equal
    if op in ("<=", ">") and all(_is_integral(n) for n in (left, right)):
        return op == "<=" if negative(one.high, two.low.plus(_ONE)) else None
    if op in (">=", "<") and all(_is_integral(n) for n in (left, right)):
        return op == ">=" if negative(two.high, one.low.plus(_ONE)) else None
    return None


def _is_integral(node: SOpNode) -> bool:
    return not isinstance(node, Const) or not isinstance(node.value, float)


def _always_negative(one: Form, two: Form) -> bool:
    """Whether one - two < 0 at all positions: at n = 1, and not growing in either direction of the cone of (n, i)."""
    d = one.plus(two, -1)
    return d.a + d.c < 0 and d.a <= 0 and d.a + d.b <= 0


def _always_negative_apart(one: Form, two: Form) -> bool:
    """The same where the two are at any two positions of one word."""
    a, c = one.a - two.a, one.c - two.c
    rise = max(one.b, Fraction(0)) + max(-two.b, Fraction(0))
    return a + c < 0 and a + rise <= 0
