"""Functions of tuples as functions of what the tuples hold: `f((x, y, z))`, gathered step by step, is f of three s-ops.

A tuple of values has as many values as there are combinations, and no transformer has to hold it.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from capax.compat.lowering.expression import ApplyExpr, Expression, in_order
from capax.compat.lowering.interpret import interpret


def without_tuples(root: Expression, vocabulary: Sequence[Any], length: int) -> Expression:
    """The expression without tuples on the way; as it is where the result itself is one, or functions treat None apart.

    That a function gives tuples is seen on one word. Whatever it gives, the composition is the same function.
    """
    word = [vocabulary[i % len(vocabulary)] for i in range(min(length, 3))]
    new: dict[Expression, Expression] = {}
    for expression in in_order(root):
        rebuilt = _with(expression, new)
        new[expression] = _joined(rebuilt, word) if isinstance(rebuilt, ApplyExpr) else rebuilt
    return new[root]


def _with(expression: Expression, new: dict[Expression, Expression]) -> Expression:
    """The expression over operands that have changed."""
    changes: dict[str, Any] = {}
    for entry in fields(expression):
        value = getattr(expression, entry.name)
        if isinstance(value, Expression) and new.get(value, value) is not value:
            changes[entry.name] = new[value]
        elif isinstance(value, tuple) and any(isinstance(v, Expression) and new.get(v, v) is not v for v in value):
            changes[entry.name] = tuple(new.get(v, v) for v in value)
    return replace(expression, **changes) if changes else expression


def _joined(expression: ApplyExpr, word: list[Any]) -> Expression:
    """A function of tuples as one of their members."""
    inner = [a if isinstance(a, ApplyExpr) and _gives_tuples(a, word) else None for a in expression.args]
    if not any(inner) or any(a is not None and a.skips_none != expression.skips_none for a in inner):
        return expression
    args: list[Expression] = []
    parts: list[tuple[Callable[..., Any] | None, int]] = []
    for arg, made in zip(expression.args, inner, strict=True):
        members = (arg,) if made is None else made.args
        args += members
        parts.append((None if made is None else made.function, len(members)))
    return replace(expression, function=_composed(expression.function, parts), args=tuple(args))


def _composed(outer: Callable[..., Any], parts: list[tuple[Callable[..., Any] | None, int]]) -> Callable[..., Any]:
    """The function that gathers some of its arguments by other functions first."""

    def function(*values: Any) -> Any:
        given, at = [], 0
        for gather, count in parts:
            some = values[at : at + count]
            given.append(some[0] if gather is None else gather(*some))
            at += count
        return outer(*given)

    return function


def _gives_tuples(expression: ApplyExpr, word: list[Any]) -> bool:
    try:
        values = [value for value in interpret(expression, word) if value is not None]
    except Exception:  # a user's function may fail in any way
        return False
    return bool(values) and all(isinstance(value, tuple) for value in values)
