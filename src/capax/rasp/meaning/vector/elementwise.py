"""Element-wise operations on columns: array rules where they are exact, the op table elsewhere.

A rule is used only where numpy does exactly what Python does on every element. Everything else goes
through the op table once per distinct combination of operands.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.rasp.ir.ops import apply_op
from capax.rasp.meaning.vector.arrays import SAFE, WIDE, Bools, Ints
from capax.rasp.meaning.vector.column import FLOAT, INT, Column, factorized, from_values, tagged

Result = tuple[Column, Bools | None]
"""A column, and the places at which the operation failed, if any (their values mean nothing)."""

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}


def apply_columns(op: str, args: list[Column]) -> Result:
    """The operation at every place."""
    quick = _quick(op, args)
    return _distinct(lambda *values: apply_op(op, *values), args) if quick is None else quick


def _quick(op: str, args: list[Column]) -> Result | None:
    if op == "where":
        return _where(*args)
    if op in ("and", "or", "not", "indicator"):
        return _logic(op, args)
    if op in _COMPARE:
        made = compare(op, args[0], args[1])
        return None if made is None else (Column("bool", made, args[0].vocabulary), None)
    if not all(a.numeric for a in args):
        return None
    if op in ("neg", "pos", "round"):
        return _unary(op, args[0])
    return _arithmetic(op, args[0], args[1])


def compare(op: str, left: Column, right: Column) -> Bools | None:
    """A comparison by arrays, or None where only Python can tell."""
    function = _COMPARE[op]
    if left.kind == "str" and right.kind == "str":
        if op in ("==", "!="):
            return np.asarray(function(left.data, right.data))
        ranks = left.vocabulary.ranks()
        return np.asarray(function(ranks[left.data], ranks[right.data]))
    if {left.kind, right.kind} <= {"int", "bool"}:
        return np.asarray(function(left.data, right.data))
    if left.numeric and right.numeric:
        if max(_largest_int(left), _largest_int(right)) > SAFE:
            return None
        return np.asarray(function(left.floats(), right.floats()))
    if "object" not in (left.kind, right.kind) and op in ("==", "!="):
        return np.full(len(left), op == "!=")
    return None


def _largest_int(column: Column) -> int | float:
    return column.largest() if column.kind == "int" else 0


def truth(column: Column) -> Bools:
    """The truth value at every place."""
    if column.kind == "str":
        known = np.array([bool(s) for s in column.vocabulary.strings] or [False])
        return np.asarray(known[column.data])
    return column.data.astype(np.bool_)


def _logic(op: str, args: list[Column]) -> Result:
    bits = [truth(a) for a in args]
    vocabulary = args[0].vocabulary
    match op:
        case "and":
            return Column("bool", bits[0] & bits[1], vocabulary), None
        case "or":
            return Column("bool", bits[0] | bits[1], vocabulary), None
        case "not":
            return Column("bool", ~bits[0], vocabulary), None
        case _:
            return Column("int", bits[0].astype(np.int64), vocabulary), None


def _where(condition: Column, then: Column, otherwise: Column) -> Result:
    return choose(truth(condition), then, otherwise), None


def choose(condition: Bools, then: Column, otherwise: Column) -> Column:
    """One column where the condition holds, the other elsewhere."""
    vocabulary = then.vocabulary
    if condition.all():
        return then
    if not condition.any():
        return otherwise
    if then.kind == otherwise.kind and then.kind != "mixed":
        return Column(then.kind, np.where(condition, then.data, otherwise.data), vocabulary)
    if then.numeric and otherwise.numeric and max(_largest_int(then), _largest_int(otherwise)) <= SAFE:
        data = np.where(condition, then.floats(), otherwise.floats())
        return tagged(data, np.where(condition, then.tag_array(), otherwise.tag_array()), vocabulary)
    pairs = zip(condition.tolist(), then.values(), otherwise.values(), strict=True)
    return from_values([a if c else b for c, a, b in pairs], vocabulary)


def _unary(op: str, arg: Column) -> Result | None:
    if arg.kind in ("int", "bool"):
        if arg.largest() > WIDE:
            return None
        data = arg.data.astype(np.int64)
        return Column("int", -data if op == "neg" else data, arg.vocabulary), None
    if op == "round":
        if not np.isfinite(arg.data).all() or arg.largest() > SAFE:
            return None
        return Column("int", np.rint(arg.data).astype(np.int64), arg.vocabulary), None
    if arg.kind == "float":
        return Column("float", -arg.data if op == "neg" else arg.data, arg.vocabulary), None
    return None


def _arithmetic(op: str, left: Column, right: Column) -> Result | None:
    whole = {left.kind, right.kind} <= {"int", "bool"}
    if op == "^":
        return None
    if whole and op != "/":
        return _whole(op, left, right)
    if max(_largest_int(left), _largest_int(right)) > SAFE:
        return None
    if left.kind == "mixed" or right.kind == "mixed":
        return _mixed(op, left, right)
    return _float(op, left, right)


def _whole(op: str, left: Column, right: Column) -> Result | None:
    a, b = left.data.astype(np.int64), right.data.astype(np.int64)
    bound = left.largest() * right.largest() if op == "*" else left.largest() + right.largest()
    if bound > WIDE:
        return None
    if op == "%":
        failed = b == 0
        return Column("int", np.mod(a, np.where(failed, 1, b)), left.vocabulary), _if_any(failed)
    function = {"+": np.add, "-": np.subtract, "*": np.multiply}[op]
    return Column("int", function(a, b), left.vocabulary), None


def _float(op: str, left: Column, right: Column) -> Result:
    a, b = left.floats(), right.floats()
    failed: Bools | None = None
    with np.errstate(all="ignore"):
        if op in ("/", "%"):
            failed = b == 0
            b = np.where(failed, 1.0, b)
            data = a / b if op == "/" else np.mod(a, b)
        else:
            data = {"+": np.add, "-": np.subtract, "*": np.multiply}[op](a, b)
    return Column("float", data, left.vocabulary), None if failed is None else _if_any(failed)


def _mixed(op: str, left: Column, right: Column) -> Result | None:
    made, failed = _float(op, left, right)
    if op == "/":
        return made, failed
    tags = np.where((left.tag_array() == FLOAT) | (right.tag_array() == FLOAT), FLOAT, INT).astype(np.uint8)
    whole = made.data[tags == INT]
    if len(whole) and float(np.abs(whole).max()) > SAFE:
        return None
    data = np.where((tags == INT) & (made.data == 0), 0.0, made.data)  # integers have no negative zero
    return tagged(data, tags, left.vocabulary), failed


def _if_any(failed: Bools) -> Bools | None:
    return failed if failed.any() else None


def _distinct(function: Callable[..., Any], args: list[Column]) -> Result:
    """A Python function once per distinct combination of operands."""
    parts = [factorized(a) for a in args]
    combined: Ints = parts[0][0]
    for codes, known in parts[1:]:
        combined = combined * len(known) + codes
    _, first, inverse = np.unique(combined, return_index=True, return_inverse=True)
    tables = [[known[c] for c in codes[first].tolist()] for codes, known in parts]
    results: list[Any] = []
    bad = np.zeros(len(first), dtype=np.bool_)
    for i, values in enumerate(zip(*tables, strict=True)):
        try:
            results.append(function(*values))
        except CapaxError:
            results.append(None)
            bad[i] = True
    inverse = inverse.reshape(-1)
    if bad.any():
        filler = next((r for r, b in zip(results, bad, strict=True) if not b), 0)
        results = [filler if b else r for r, b in zip(results, bad, strict=True)]
        return from_values(results, args[0].vocabulary).take(inverse), bad[inverse]
    return from_values(results, args[0].vocabulary).take(inverse), None


def apply_function(function: Callable[[Any], Any], arg: Column) -> Result:
    """A Python function of one value at every place, computed once per distinct value."""
    return _distinct(function, [arg])
