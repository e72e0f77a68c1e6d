"""Element-wise operations on columns of values: at once on plain numbers, one by one otherwise."""

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from capax.certify.values.coded_values import MANY, Values, coded, numbered
from capax.model.parts import Array
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.types import Atom

AT_ONCE: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "neg": operator.neg,
}
"""The operations that numpy rounds, or does not round, as the language does."""

LOGIC: dict[str, Callable[..., Any]] = {"and": np.logical_and, "or": np.logical_or, "not": np.logical_not}
"""Those that take only booleans at once."""

SMALL = 2**26
"""Products of two smaller integers are exact in floats, too."""


def apply_rowwise(op: str | None, function: Callable[..., Any], columns: Sequence[Array]) -> Array:
    """The values of a function on rows of columns, as objects; `op` is its symbol if it is an operation."""
    if op == "where":
        return np.where(columns[0].astype(bool), columns[1], columns[2])
    if op in LOGIC and all(set(map(type, c.tolist())) == {bool} for c in columns):
        return np.asarray(LOGIC[op](*(c.astype(bool) for c in columns)), object)
    at_once = _at_once(op, columns) if op in AT_ONCE else None
    if at_once is not None:
        return at_once
    keep = lru_cache(maxsize=None)(lambda *a: function(*(x for _, x in a)))
    apply = np.frompyfunc(lambda *a: keep(*((type(x), x) for x in a)), len(columns), 1)
    with np.errstate(all="ignore"):  # numpy warns of flags that Python's own floats have set
        results: Array = np.asarray(apply(*columns), object)
    return results


def _at_once(op: str, columns: Sequence[Array]) -> Array | None:
    """The values of an operation on columns of small numbers; None for any others."""
    numbers: list[Array] = []
    whole: Array = np.ones(len(columns[0]), bool)
    for column in columns:
        listed = column.tolist()
        kinds = set(map(type, listed))
        if not kinds <= {int, float} or not max(map(abs, listed)) < SMALL:
            return None
        numbers.append(np.array(listed, np.float64))
        if float in kinds:
            whole &= np.array([type(v) is int for v in listed])
    results: Array = AT_ONCE[op](*numbers)
    objects: Array = results.astype(object)
    if results.dtype != bool and whole.any():  # an integer stays one; so small, floats hold it exactly
        objects[whole] = results[whole].astype(np.int64).astype(object)
    return objects


assert {*AT_ONCE, *LOGIC} <= set(OPS)


def coded_at_once(
    op: str | None, listed: Sequence[Sequence[Atom]], codes: Sequence[Array]
) -> tuple[Array, tuple[Atom, ...]] | None:
    """The codes of an operation's values, and the list of these, for many rows of arguments.

    `listed` has the values of each argument, `codes` which of them each row has. None where the values are not those of
    numpy, or of several types. The result is that of `coded` on the values one by one.
    """
    if op not in AT_ONCE or len(codes[0]) < MANY:
        return None
    numbers: list[Array] = []
    whole: Array = np.ones(len(codes[0]), bool)
    for values, which in zip(listed, codes, strict=True):
        kinds = set(map(type, values))
        if not kinds <= {int, float} or not max(map(abs, values)) < SMALL:  # type: ignore[arg-type]
            return None
        numbers.append(np.array(values, np.float64)[which])
        if float in kinds:
            whole &= np.array([type(v) is int for v in values])[which]
    results: Array = np.asarray(AT_ONCE[op](*numbers))
    if results.dtype == bool:
        both = results.any() and not results.all()
        return results.astype(np.int64) * both, (False, True) if both else (bool(results[0]),)
    if whole.all():
        integers = results.astype(np.int64)
        low = int(integers.min())
        found, at = numbered(integers - low, int(integers.max()) - low + 1)
        return at(np.arange(len(found))), tuple((found + low).tolist())
    if whole.any():
        return None
    bits, own = np.unique(results.view(np.int64), return_inverse=True)
    return own.reshape(-1), tuple(bits.view(np.float64).tolist())


def coded_results(
    op: str | None, function: Callable[..., Any], parts: Sequence[Values], columns: Sequence[Array]
) -> tuple[Array, tuple[Atom, ...]]:
    """The codes of a function's values for rows of arguments, and the list of the values; all at once if that will do.

    `columns` has the codes of each argument; `op` is the symbol of the function if it is an operation.
    """
    at_once = coded_at_once(op, [part.listed for part in parts], columns)
    if at_once is not None:
        return at_once
    values = [part.at(codes) for part, codes in zip(parts, columns, strict=True)]
    return coded(apply_rowwise(op, function, values).tolist())
