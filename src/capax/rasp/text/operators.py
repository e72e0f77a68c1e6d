"""The operators of the text language on all kinds of values."""

from collections.abc import Callable, Iterable
from typing import Any

from capax.errors import CapaxError, Span
from capax.rasp.ir import build, build_triples
from capax.rasp.ir.build import describe_value
from capax.rasp.ir.describe import describe_atom
from capax.rasp.ir.nodes import TableKind
from capax.rasp.ir.ops import OPS, Prefix, apply_op
from capax.rasp.ir.triple_sum import SumTest, TripleSum, sum_operator, wrong_test
from capax.rasp.ir.types import is_atom
from capax.rasp.meaning.sequence import Matrix, Sequence, Triples
from capax.rasp.python.program import Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector
from capax.rasp.text.text_values import Builtin, Function, Value

SUMS = (TripleSum, SumTest)
"""What stands in the test of a `select3`."""

_full = build.select(1, 1, "==")
"""The selector of everything that `atom in s-op` looks through."""

_PREFIXES = {op.notation.sign: symbol for symbol, op in OPS.items() if isinstance(op.notation, Prefix)}
"""The operation of each prefix sign or word."""


def plain(value: Value) -> Value:
    """The value, with the result of an application as a list."""
    if isinstance(value, (Sequence, Matrix, Triples)):
        return list(value)
    return value


def binary(op: str, left: Value, right: Value, span: Span) -> Value:
    """`left op right`."""
    if op == "in":
        return contains(left, right, span)
    left, right = plain(left), plain(right)
    if isinstance(left, SUMS) or isinstance(right, SUMS):
        return _at(span, sum_operator, op, left, right)
    if isinstance(left, TripleSelector) or isinstance(right, TripleSelector):
        return _triples(op, left, right, span)
    selectors = isinstance(left, Selector) + isinstance(right, Selector)
    if op in ("and", "or"):
        if selectors == 2:
            return (build.select_and if op == "and" else build.select_or)(left, right, span)
        if selectors == 1:
            raise CapaxError(
                "mixed-selector",
                f"`{op}` joins two selectors or two s-ops, not a selector and something else",
                span,
                "make a selector of the other side with `select`",
            )
    elif selectors:
        raise CapaxError(
            "selector-operator",
            f"selectors have no `{op}`",
            span,
            "selectors are joined with `and`, `or` and `not`",
            op=op,
        )
    if isinstance(left, SOp) or isinstance(right, SOp):
        return build.elementwise(op, left, right, span=span)
    if op in ("and", "or"):
        return (left and right) if op == "and" else (left or right)
    return _apply(span, op, left, right)


def _triples(op: str, left: Value, right: Value, span: Span) -> TripleSelector:
    """`left op right`, where one of the two is a selector over triples."""
    if op not in ("and", "or"):
        what = f"selectors have no `{op}`"
        raise CapaxError("selector-operator", what, span, "selectors are joined with `and`, `or` and `not`", op=op)
    one, two = build_triples.expect_triples(left, span), build_triples.expect_triples(right, span)
    return (build_triples.triple_and if op == "and" else build_triples.triple_or)(one, two, span)


def unary(op: str, value: Value, span: Span) -> Value:
    """`op value` for a prefix operator."""
    value = plain(value)
    if op == "not" and isinstance(value, Selector):
        return build.select_not(value, span)
    if op == "not" and isinstance(value, TripleSelector):
        return build_triples.triple_not(value, span)
    return operation(_PREFIXES[op], [value], span)


def operation(symbol: str, args: Iterable[Value], span: Span) -> Value:
    """An operation of the op table on s-ops or single values; infix operators aside, which selectors may have too."""
    op, values = OPS[symbol], [plain(a) for a in args]
    if any(isinstance(v, SUMS) for v in values):
        raise wrong_test(f"`{symbol}` of `{next(v for v in values if isinstance(v, SUMS))}`").at(span)
    if any(isinstance(v, (Selector, TripleSelector)) for v in values) and not op.sops_only:
        sign = op.notation.sign if isinstance(op.notation, Prefix) else symbol
        raise CapaxError("selector-operator", f"selectors have no `{sign}`", span, op=sign)
    if any(isinstance(v, SOp) for v in values):
        return build.elementwise(symbol, *values, span=span)
    if op.sops_only:
        raise CapaxError(
            "expected-sop",
            f"{symbol} needs an s-op, not {describe_value(values[0])}",
            span,
            "use `1 if x else 0` for a single value",
            operator=symbol,
            value=values[0],
        )
    return _apply(span, symbol, *values)


def ternary(condition: Value, then: Value, otherwise: Value, span: Span) -> SOp:
    """`then if condition else otherwise` for an s-op condition, position by position."""
    return build.elementwise("where", condition, plain(then), plain(otherwise), span=span)


def index(target: Value, at: Value, span: Span, length: Value = None) -> Value:
    """`target[at]`."""
    target, at = plain(target), plain(at)
    match target:
        case SOp():
            return build.value_at(target, at, span, build.length if length is None else length)
        case list() | str():
            return _index_list(target, at, span)
        case dict():
            return _index_dict(target, at, span)
        case _:
            raise CapaxError(
                "not-indexable",
                f"only lists, dictionaries, strings and s-ops can be indexed, not {describe_value(target)}",
                span,
                value=target,
            )


def _index_list(target: list[Value] | str, at: Value, span: Span) -> Value:
    kind: TableKind = "list" if isinstance(target, list) else "string"
    if isinstance(at, SOp):
        return build.table(kind, list(enumerate(target)), at, span)
    if not isinstance(at, int):
        raise CapaxError(
            "index-type",
            f"a {kind} is indexed by an integer or an s-op, not {describe_value(at)}",
            span,
            container=kind,
            value=at,
        )
    if not -len(target) <= at < len(target):
        raise CapaxError(
            "index-range",
            f"index {at} is out of range for a {kind} of length {len(target)}",
            span,
            f"use 0 to {len(target) - 1}, or -1 to {-len(target)} from the end" if target else "it is empty",
            index=at,
            container=kind,
            size=len(target),
        )
    return target[at]


def _index_dict(target: dict[Any, Value], at: Value, span: Span) -> Value:
    if isinstance(at, SOp):
        return build.table("dict", list(target.items()), at, span)
    if not is_atom(at):
        raise CapaxError(
            "index-type",
            f"a dictionary is indexed by a string, number, boolean or s-op, not {describe_value(at)}",
            span,
            container="dict",
            value=at,
        )
    if at not in target:
        known = ", ".join(describe_atom(k) for k in list(target)[:6])
        raise CapaxError(
            "missing-key",
            f"the key {describe_atom(at)} is not in the dictionary",
            span,
            f"its keys are {known}{', ...' if len(target) > 6 else ''}" if target else "it is empty",
            key=at,
        )
    return target[at]


def contains(item: Value, box: Value, span: Span) -> Value:
    """`item in box`."""
    item, box = plain(item), plain(box)
    if isinstance(item, SOp):
        if not isinstance(box, list) or not all(map(is_atom, box)):
            raise _no_contains("`s-op in X` needs a list of single values for X", item, box, span)
        return build.members(item, box, span)
    if is_atom(item):
        if isinstance(box, list):
            return any(is_atom(v) and v == item for v in box)
        if isinstance(box, SOp):
            here = build.elementwise("indicator", build.elementwise("==", box, item, span=span), span=span)
            return build.elementwise(">", build.aggregate(_full, here, span=span), 0, span=span)
        raise _no_contains("`value in X` needs a list or an s-op for X", item, box, span)
    if isinstance(item, (Selector, TripleSelector, Function, Builtin)):
        raise _no_contains("selectors and functions cannot be compared, so `in` cannot find them", item, box, span)
    raise _no_contains("`A in X` needs an s-op or a single value for A", item, box, span)


def _no_contains(what: str, item: Value, box: Value, span: Span) -> CapaxError:
    test = f"{describe_value(item)} in {describe_value(box)}"
    return CapaxError("contains", f"{what}; this is {test}", span, item=item, box=box)


def _apply(span: Span, op: str, *args: Value) -> Value:
    return _at(span, apply_op, op, *args)


def _at(span: Span, function: Callable[..., Value], *args: Value) -> Value:
    """The result of a call; an error gets the location."""
    try:
        return function(*args)
    except CapaxError as error:
        raise error.at(span) from None
