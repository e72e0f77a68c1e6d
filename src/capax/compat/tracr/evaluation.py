"""The meaning of Tracr's expressions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from capax.compat.lowering import expression as core
from capax.compat.lowering.interpret import interpret
from capax.compat.tracr import selectors, sops
from capax.compat.tracr.annotations import RASPExpr
from capax.errors import CapaxError
from capax.rasp.ir.graph import postorder


def evaluate(expr: RASPExpr, xs: Sequence[Any]) -> list[Any]:
    """The value of an expression on a word: the values of an s-op, the rows (one per query) of a selector."""
    return interpret(to_core(expr), xs)


def to_core(root: RASPExpr) -> core.Expression:
    """The expression in the words that the dialects have in common."""
    by_id: dict[int, core.Expression] = {}
    for expr in postorder([root], _parts):
        name = None if expr.name == expr.kind else expr.name
        by_id[id(expr)] = _one(expr, [by_id[id(c)] for c in _parts(expr)], name)
    return by_id[id(root)]


def _parts(expr: RASPExpr) -> list[RASPExpr]:
    """What an expression has its meaning from."""
    return [expr.whole] if isinstance(expr, selectors.FoldedSelect) else expr.children


def _one(expr: RASPExpr, parts: list[core.Expression], name: str | None) -> core.Expression:
    match expr:
        case sops.TokensType():
            return core.TokensExpr(name=name)
        case sops.IndicesType():
            return core.IndicesExpr(name=name)
        case sops.LengthType():
            return core.LengthExpr(name=name)
        case sops.Full():
            return core.ConstantExpr(expr.fill, name=name)
        case sops.ConstantSOp():
            return core.ListedValues(expr.value, expr.check_length, name=name)
        case sops.Map() | sops.SequenceMap():
            return core.ApplyExpr(expr.f, tuple(parts), skips_none=True, name=name)
        case sops.Aggregate():
            return core.AggregateExpr(parts[0], parts[1], expr.default, name=name)
        case sops.SelectorWidth():
            return core.WidthExpr(parts[0], name=name)
        case selectors.FoldedSelect():
            return parts[0] if name is None else replace(parts[0], name=name)
        case selectors.Select():
            return core.SelectExpr(parts[0], parts[1], selectors.known_predicate(expr.predicate), name=name)
        case selectors.SelectorAnd():
            return core.CombineExpr(lambda a, b: a and b, tuple(parts), name=name)
        case selectors.SelectorOr():
            return core.CombineExpr(lambda a, b: a or b, tuple(parts), name=name)
        case selectors.SelectorNot():
            return core.CombineExpr(lambda a: not a, tuple(parts), name=name)
        case selectors.ConstantSelector():
            return core.SelectorRows(expr.value, expr.check_length, name=name)
        case _:
            raise CapaxError(
                "not-callable",
                f"{type(expr).__name__} is not an expression that can be evaluated by itself",
                hint="use the classes of the module, such as Map, Select and Aggregate",
            )
