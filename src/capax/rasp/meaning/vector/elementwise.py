"""Element-wise operations on columns: array rules where they are exact, the op table elsewhere.

A rule is used only where numpy does exactly what Python does on every element. Everything else goes
through the op table once per distinct combination of operands.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, Const, Map, Node, SOpNode
from capax.rasp.ir.ops import OPS, Op, apply_op
from capax.rasp.meaning.vector.column import (
    FLOAT,
    INT,
    SAFE,
    WIDE,
    Bools,
    Column,
    Ints,
    constant,
    factorized,
    from_values,
    tagged,
)

Result = tuple[Column, Bools | None]
"""A column, and the positions at which the operation failed, if any (their values mean nothing)."""


def apply_columns(op: str, args: list[Column]) -> Result:
    """The operation at every position."""
    row = OPS[op]
    quick = _by_arrays(row, args)
    return _distinct(lambda *values: apply_op(op, *values), args) if quick is None else quick


def _by_arrays(op: Op, args: list[Column]) -> Result | None:
    """The operation by its array form, or None where only Python can tell."""
    vocabulary = args[0].vocabulary
    if op.result == "branch":
        return choose(truth(args[0]), args[1], args[2]), None
    if op.array is None:
        return None if op.expand is None else _by_expansion(op.expand, args)
    if op.reads_truth:
        return Column("bool" if op.result == "bool" else "int", op.array(*map(truth, args)), vocabulary), None
    if op.symbol in COMPARISONS:
        bits = compare(op.symbol, args[0], args[1])
        return None if bits is None else (Column("bool", bits, vocabulary), None)
    return _numeric(op, op.array, args) if all(a.numeric for a in args) else None


def _by_expansion(expand: Callable[..., SOpNode], args: list[Column]) -> Result:
    """An operation by the operations it is written with, of which one fails only where it does."""
    operands = [Const(f"operand {i}") for i in range(len(args))]
    columns: dict[Node, Column] = dict(zip(operands, args, strict=True))
    failed: Bools = np.zeros(len(args[0]), dtype=np.bool_)
    expansion = expand(*operands)
    for node in topological(expansion):
        if isinstance(node, Const) and node not in columns:
            columns[node] = constant(node.value, len(args[0]), args[0].vocabulary)
        elif isinstance(node, Map):
            columns[node], bad = apply_columns(node.op, [columns[a] for a in node.args])
            failed = failed if bad is None else failed | bad
    return columns[expansion], _if_any(failed)


def compare(op: str, left: Column, right: Column) -> Bools | None:
    """A comparison by arrays, or None where only Python can tell."""
    function = OPS[op].apply
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
    """The truth value at every position."""
    if column.kind == "str":
        known = np.array([bool(s) for s in column.vocabulary.strings] or [False])
        return np.asarray(known[column.data])
    return column.data.astype(np.bool_)


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


def _numeric(op: Op, array: Callable[..., Any], args: list[Column]) -> Result | None:
    """An operation on numbers, where it is exact or rounded as Python rounds."""
    vocabulary = args[0].vocabulary
    if op.result != "float" and {a.kind for a in args} <= {"int", "bool"}:
        if op.bound(a.largest() for a in args) > WIDE:
            return None
        data, failed = _divided(op, array, [a.data.astype(np.int64) for a in args])
        return Column("int", data, vocabulary), failed
    if max(map(_largest_int, args)) > SAFE:
        return None
    floats = [a.floats() for a in args]
    if op.result == "int":
        if not all(np.isfinite(f).all() for f in floats) or max(a.largest() for a in args) > SAFE:
            return None
        return Column("int", array(*floats).astype(np.int64), vocabulary), None
    data, failed = _divided(op, array, floats)
    if op.result == "float" or all(a.kind != "mixed" for a in args):
        return Column("float", data, vocabulary), failed
    some_float = np.logical_or.reduce([a.tag_array() == FLOAT for a in args])
    tags = np.where(some_float, FLOAT, INT).astype(np.uint8)
    whole = data[tags == INT]
    if len(whole) and float(np.abs(whole).max()) > SAFE:
        return None
    data = np.where((tags == INT) & (data == 0), 0.0, data)  # integers have no negative zero
    return tagged(data, tags, vocabulary), failed


def _divided(op: Op, array: Callable[..., Any], operands: list[NDArray[Any]]) -> tuple[NDArray[Any], Bools | None]:
    """The array form, and where it divides by zero."""
    failed: Bools | None = None
    if op.divides:
        failed = np.asarray(operands[1] == 0)
        operands = [operands[0], np.where(failed, 1, operands[1])]
    with np.errstate(all="ignore"):
        return array(*operands), None if failed is None else _if_any(failed)


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
    """A Python function of one value at every position, computed once per distinct value."""
    return _distinct(function, [arg])
