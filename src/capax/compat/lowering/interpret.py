"""The value of an expression on a word, with plain lists."""

import math
from collections.abc import Iterable
from typing import Any

from capax.compat.lowering.expression import (
    AggregateExpr,
    ApplyExpr,
    CombineExpr,
    ConstantExpr,
    Expression,
    IndicesExpr,
    LengthExpr,
    ListedValues,
    Reduction,
    SelectExpr,
    SelectorRows,
    TokensExpr,
    WidthExpr,
    in_order,
)
from capax.errors import CapaxError


def interpret(root: Expression, word: Iterable[Any], *, causal: bool = False) -> list[Any]:
    """The values of an s-op, or the rows (one per query) of a selector; causal selectors see no later key.

    An error of a user's function is raised as it is.
    """
    tokens = list(word)
    known: dict[Expression, list[Any]] = {}
    for expression in in_order(root):
        values = _value(expression, tokens, known)
        if causal and isinstance(expression, (SelectExpr, CombineExpr, SelectorRows)):
            values = [[bool(cell) and j <= i for j, cell in enumerate(row)] for i, row in enumerate(values)]
        known[expression] = values
    return known[root]


def _value(expression: Expression, tokens: list[Any], known: dict[Expression, list[Any]]) -> list[Any]:
    n = len(tokens)
    match expression:
        case TokensExpr():
            return tokens
        case IndicesExpr():
            return list(range(n))
        case LengthExpr():
            return [n] * n
        case ConstantExpr():
            return [expression.value] * n
        case ListedValues():
            _check_length(expression.exact, len(expression.values), n)
            return list(expression.values)
        case ApplyExpr():
            columns = [known[a] for a in expression.args]
            return [
                None if expression.skips_none and None in map(_is_none, values) else expression.function(*values)
                for values in zip(*columns, strict=False)
            ]
        case AggregateExpr():
            values = known[expression.value]
            return [
                reduce(
                    [v for v, selected in zip(values, row, strict=False) if selected],
                    expression.default,
                    expression.reduction,
                )
                for row in known[expression.selector]
            ]
        case WidthExpr():
            return [sum(map(bool, row)) for row in known[expression.selector]]
        case _:
            return _rows(expression, n, known)


def _is_none(value: Any) -> Any:
    """None for None and 0 for all else: arrays and other odd values are never asked whether they equal None."""
    return None if value is None else 0


def _rows(expression: Expression, n: int, known: dict[Expression, list[Any]]) -> list[Any]:
    match expression:
        case SelectExpr():
            keys, queries = known[expression.key], known[expression.query]
            return [[bool(expression.predicate(k, q)) for k in keys] for q in queries]
        case CombineExpr():
            parts = [known[p] for p in expression.parts]
            return [
                [bool(expression.function(*cells)) for cells in zip(*rows, strict=False)]
                for rows in zip(*parts, strict=False)
            ]
        case SelectorRows():
            _check_length(expression.exact, len(expression.rows), n)
            return [list(row) for row in expression.rows]
        case _:
            raise AssertionError(expression)


class ListedLengthError(CapaxError, ValueError):
    """A listed constant meets a word of another length; in Tracr, too, that is a ValueError."""


def _check_length(exact: bool, count: int, n: int) -> None:
    if exact and count != n:
        raise ListedLengthError(
            "word-length",
            f"a constant that is listed for {count} positions, on a word of {n}",
            hint="give a word of that length, or check_length=False",
        )


def reduce(picked: list[Any], default: Any, reduction: Reduction) -> Any:
    """What an aggregate gives for the values of the selected keys: a mean is the correctly rounded sum by the count."""
    if not picked:
        return default
    if len(picked) == 1:
        return picked[0]
    if not all(isinstance(v, (int, float)) for v in picked):
        raise CapaxError(
            "average-of-non-numbers",
            f"{len(picked)} values are selected, and not all are numbers: {picked!r:.80}",
            hint="select one position only, or make numbers of the values first",
            values=picked,
        )
    if reduction in ("max", "min"):
        return (max if reduction == "max" else min)(picked)
    total = math.fsum(picked) if any(isinstance(v, float) for v in picked) else sum(picked)
    return total if reduction == "sum" else total / len(picked)
