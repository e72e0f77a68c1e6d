"""Element-wise operations on columns: array rules where they are exact, the op table elsewhere.

A rule is used only where numpy does exactly what Python does on every element. Everything else goes
through the op table once per distinct combination of operands.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, Const, Map, Node, SOpNode
from capax.rasp.ir.ops import OPS, Op, apply_op
from capax.rasp.meaning.vector.column import (
    INT,
    SAFE,
    WIDE,
    Column,
    Kind,
    constant,
    factorized,
    from_values,
    tagged,
)
from capax.rasp.meaning.vector.distinct import Bools, Floats, distinct
from capax.rasp.meaning.vector.memo import Memo, Result, called, on_few

FEW = 200
"""Up to here equal operands are looked for by a dictionary, beyond by arrays."""


def apply_columns(op: str, args: list[Column], memo: Memo | None = None) -> Result:
    """The operation at every position; a column of one value has it everywhere."""
    quick = _by_arrays(OPS[op], args)
    size = max([len(arg.data) for arg in args])
    if quick is None:
        longer = [arg if len(arg) == size else arg.repeated(size) for arg in args]
        return _distinct(lambda *values: apply_op(op, *values), longer, memo)
    column, failed = quick
    if failed is not None and len(failed) != size:
        failed = np.repeat(failed, size)
    return column if len(column.data) == size else column.repeated(size), failed


def _by_arrays(op: Op, args: list[Column]) -> Result | None:
    """The operation by its array form, or None where only Python can tell."""
    vocabulary = args[0].vocabulary
    if op.result == "branch":
        return choose(truth(args[0]), args[1], args[2]), None
    if op.array is None:
        return None if op.expand is None else _by_expansion(op.expand, args)
    if op.reads_truth:
        kind: Kind = "bool" if op.result == "bool" else "int"
        return Column(kind, op.array(*[truth(a) for a in args]), vocabulary, None, 1), None
    if op.symbol in COMPARISONS:
        bits = compare(op.symbol, args[0], args[1])
        return None if bits is None else (Column("bool", bits, vocabulary), None)
    kinds = {a.kind for a in args}
    return _numeric(op, op.array, args, kinds) if kinds.isdisjoint(("str", "object")) else None


def _by_expansion(expand: Callable[..., SOpNode], args: list[Column]) -> Result:
    """An operation by the operations it is written with, of which one fails only where it does."""
    operands = [Const(f"operand {i}") for i in range(len(args))]
    columns: dict[Node, Column] = dict(zip(operands, args, strict=True))
    failed: Bools = np.zeros(1, dtype=np.bool_)
    expansion = expand(*operands)
    for node in topological(expansion):
        if isinstance(node, Const) and node not in columns:
            columns[node] = constant(node.value, 1, args[0].vocabulary)
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
        return np.asarray(function(*left.vocabulary.ranks(left.data, right.data)))
    if left.kind in ("int", "bool") and right.kind in ("int", "bool"):
        return np.asarray(function(left.data, right.data))
    if left.numeric and right.numeric:
        if max(_largest_int(left), _largest_int(right)) > SAFE:
            return None
        return np.asarray(function(left.floats(), right.floats()))
    if "object" not in (left.kind, right.kind) and op in ("==", "!="):
        return np.full(max(len(left), len(right)), op == "!=")
    return None


def _largest_int(column: Column) -> int | float:
    return column.largest() if column.kind == "int" else 0


def truth(column: Column) -> Bools:
    """The truth value at every position."""
    if column.kind == "bool":
        return column.data
    return column.vocabulary.truths(column.data) if column.kind == "str" else column.data.astype(np.bool_)


def choose(condition: Bools, then: Column, otherwise: Column) -> Column:
    """One column where the condition holds, the other elsewhere; one value stands for the same everywhere."""
    vocabulary = then.vocabulary
    holds = np.count_nonzero(condition)
    if holds == len(condition):
        return then
    if not holds:
        return otherwise
    if then.kind == otherwise.kind and then.kind != "mixed":
        bound = None if then.bound is None or otherwise.bound is None else max(then.bound, otherwise.bound)
        return Column(then.kind, np.where(condition, then.data, otherwise.data), vocabulary, None, bound)
    if then.numeric and otherwise.numeric and max(_largest_int(then), _largest_int(otherwise)) <= SAFE:
        data = np.where(condition, then.floats(), otherwise.floats())
        result = tagged(data, np.where(condition, then.tag_array(), otherwise.tag_array()), vocabulary)
        result.bound = None if then.bound is None or otherwise.bound is None else max(then.bound, otherwise.bound)
        return result
    size = len(condition)
    sides = [c.values() if len(c) == size else c.values() * size for c in (then, otherwise)]
    return from_values([a if c else b for c, a, b in zip(condition.tolist(), *sides, strict=True)], vocabulary)


def _numeric(op: Op, array: Callable[..., Any], args: list[Column], kinds: set[Kind]) -> Result | None:
    """An operation on numbers, where it is exact or rounded as Python rounds."""
    vocabulary = args[0].vocabulary
    if op.result != "float" and kinds.isdisjoint(("float", "mixed")):
        bound = None if op.bound is None else op.bound([a.largest() for a in args])
        if bound is None or bound > WIDE:
            return None
        data, failed = _divided(op, array, [a.data.astype(np.int64, copy=False) for a in args])
        return Column("int", data, vocabulary, None, bound), failed
    if max([_largest_int(a) for a in args]) > SAFE:
        return None
    floats = [a.floats() for a in args]
    if op.result == "int":
        sizes = [a.largest() for a in args]
        if not max(sizes) <= SAFE:  # infinite, for instance
            return None
        bound = None if op.bound is None else int(op.bound(sizes)) + 1
        return Column("int", array(*floats).astype(np.int64), vocabulary, None, bound), None
    bound = _bound_known(op, args)
    data, failed = (array(*floats), None) if bound is not None else _divided(op, array, floats)
    if op.result == "float" or "mixed" not in kinds:
        return Column("float", data, vocabulary, None, bound), failed
    column = _of_both_types(op, args, data, bound)
    return None if column is None else (column, failed)


def _bound_known(op: Op, args: list[Column]) -> int | float | None:
    """A bound on the size of all results, where it follows from what is known of the operands."""
    if op.bound is None or op.divides:
        return None
    sizes = [a.bound for a in args if a.bound is not None]
    bound = op.bound(sizes) if len(sizes) == len(args) else SAFE + 1
    return bound if bound <= SAFE else None


def _of_both_types(op: Op, args: list[Column], data: Floats, bound: int | float | None) -> Column | None:
    """The column of results of which those of integers are integers; None if some of these may be rounded."""
    tags = reduce(np.maximum, [a.tag_array() for a in args if a.kind in ("mixed", "float")])
    tags = np.maximum(tags, INT)
    if len(tags) != len(data):
        tags = np.repeat(tags, len(data))
    if bound is None:
        whole = data[tags == INT]
        if len(whole) and float(np.abs(whole).max()) > SAFE:
            return None
    if op.symbol not in ("+", "-"):
        data = np.where((tags == INT) & (data == 0), 0.0, data)  # integers have no negative zero
    result = tagged(data, tags, args[0].vocabulary)
    result.bound = bound
    return result


def _divided(op: Op, array: Callable[..., Any], operands: list[NDArray[Any]]) -> tuple[NDArray[Any], Bools | None]:
    """The array form, and where it divides by zero."""
    failed: Bools | None = None
    if op.divides:
        failed = _if_any(np.asarray(operands[1] == 0))
        if failed is not None:
            operands = [operands[0], np.where(failed, 1, operands[1])]
    if operands[0].dtype == operands[-1].dtype == np.int64:
        return array(*operands), failed
    with np.errstate(all="ignore"):
        return array(*operands), failed


def _if_any(failed: Bools) -> Bools | None:
    return failed if np.count_nonzero(failed) else None


def _distinct(function: Callable[..., Any], args: list[Column], memo: Memo | None) -> Result:
    """A Python function once per distinct combination of operands."""
    if len(args[0]) <= FEW:
        return on_few(function, args, memo)
    parts = [factorized(a) for a in args]
    combined, spans = parts[0][0], [len(known) for _, known in parts]
    for (codes, _), span in zip(parts[1:], spans[1:], strict=True):
        combined = combined * span + codes
    used, inverse = distinct(combined)
    tables: list[list[Any]] = []
    for _, known in reversed(parts):
        used, codes = np.divmod(used, len(known))
        tables.append([known[code] for code in codes.tolist()])
    results, bad = called(function, zip(*reversed(tables), strict=True))
    return from_values(results, args[0].vocabulary).take(inverse), None if bad is None else bad[inverse]


def apply_function(function: Callable[[Any], Any], arg: Column, memo: Memo | None = None) -> Result:
    """A Python function of one value at every position, computed once per distinct value."""
    return _distinct(function, [arg], memo)
