"""Python functions as operations of capax, where they are nothing else.

A function is *traced*: called with s-ops for its arguments. If it gives an s-op back, that is the operation it
stands for, unless it looked at its arguments in a way that tracing cannot see; so the result is compared with the
function on every combination of values before it is used. A `Known` function needs no comparison.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.ir.graph import rebuild, topological
from capax.rasp.ir.nodes import Const, Input, Map, Node, SOpNode
from capax.rasp.ir.ops import apply_op, write_out
from capax.rasp.ir.types import plain_atom
from capax.rasp.python.program import SOp


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """A function of which it is known what it is on s-ops: `symbolic` gives the same, written with operations."""

    function: Callable[..., Any]
    symbolic: Callable[..., SOp]

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def operation(op: str, function: Callable[..., Any]) -> Known:
    """A function that is an operation of the language."""
    return Known(function, lambda *args: build.elementwise(op, *args))


OPERATORS: dict[str, Known] = {
    "+": operation("+", operator.add),
    "-": operation("-", operator.sub),
    "*": operation("*", operator.mul),
    "/": operation("/", operator.truediv),
    "%": operation("%", operator.mod),
    "==": operation("==", operator.eq),
    "!=": operation("!=", operator.ne),
    "<": operation("<", operator.lt),
    ">": operation(">", operator.gt),
    "<=": operation("<=", operator.le),
    ">=": operation(">=", operator.ge),
}
"""Python's operators between two values as known functions; not every dialect has all of them."""
NEGATIVE = operation("neg", operator.neg)
LOGICAL_NOT = operation("not", operator.not_)


def after(outer: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    """The composition of two functions, known if both are."""

    def composed(*args: Any) -> Any:
        return outer(inner(*args))

    if isinstance(outer, Known) and isinstance(inner, Known):
        f, g = outer.symbolic, inner.symbolic
        return Known(composed, lambda *args: f(g(*args)))
    return composed


PLACEHOLDERS: tuple[Input, ...] = (Input("asis"), Input("str"), Input("int"), Input("float"), Input("bool"))
"""The nodes that stand for arguments while a function is traced."""


def trace(function: Callable[..., Any], count: int) -> SOpNode | None:
    """The operation that a function is, on placeholders for its arguments; None if tracing does not tell."""
    if count > len(PLACEHOLDERS):
        return None
    called = function.symbolic if isinstance(function, Known) else function
    args = [build.inputs[f"tokens_{p.kind}"] for p in PLACEHOLDERS[:count]]
    try:
        traced = called(*args)
    except Exception:  # the function needs values, not s-ops: whatever it raises says only that
        return None
    if not isinstance(traced, SOp) or not all(_usable(n, count) for n in topological(traced.node)):
        return None
    return rebuild(traced.node, write_out)[traced.node]  # type: ignore[return-value]


def _usable(node: Node, count: int) -> bool:
    return isinstance(node, (Map, Const)) or node in PLACEHOLDERS[:count]


def filled(template: SOpNode, args: Sequence[SOp]) -> SOp:
    """The operation with s-ops in place of its arguments."""
    arguments: dict[Node, Node] = {p: a.node for p, a in zip(PLACEHOLDERS, args, strict=False)}
    node = rebuild(template, lambda node: arguments.get(node, node))[template]
    assert isinstance(node, SOpNode)
    return build.sop(node, *args)


def value_of(template: SOpNode, values: Sequence[Any]) -> Any:
    """The operation's value for some values; an error is a CapaxError."""
    known: dict[Node, Any] = dict(zip(PLACEHOLDERS, values, strict=False))
    for node in topological(template):
        if isinstance(node, Map):
            known[node] = apply_op(node.op, *(known[a] for a in node.args))
        elif isinstance(node, Const):
            known[node] = node.value
    return known[template]


def agrees(template: SOpNode, function: Callable[..., Any], values: Sequence[Any]) -> bool:
    """Whether the operation gives what the function gives; where the function fails, the operation may do anything."""
    try:
        expected = function(*values)
    except Exception:  # a user's function may fail in any way
        return True
    try:
        return same(value_of(template, values), expected)
    except CapaxError:
        return False


def same(one: Any, two: Any) -> bool:
    """Whether two values are one: 1, 1.0 and True are; other values go by what they print."""
    one, two = (value if plain_atom(value) is None else plain_atom(value) for value in (one, two))
    if isinstance(one, (int, float)) and isinstance(two, (int, float)):
        return one == two or (one != one and two != two)
    return type(one) is type(two) and repr(one) == repr(two)


def _comparison(op: str) -> Known:
    return operation(op, lambda a, b: apply_op(op, a, b))


COMPARISONS = {op: _comparison(op) for op in ("==", "!=", "<", ">", "<=", ">=")}
"""The six comparisons as known functions."""

CHOOSE = Known(
    lambda condition, then, otherwise: then if condition else otherwise,
    lambda *args: build.elementwise("where", *args),
)
"""One of two values, by a condition."""
