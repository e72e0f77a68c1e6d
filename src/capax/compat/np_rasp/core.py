"""np-rasp's core: functions of numpy arrays, causal, with integers as results.

Called with a traced sequence instead of an array, each gives a traced sequence.
"""

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from capax.compat.lowering import expression as ir
from capax.compat.lowering.functions import COMPARISONS, Known
from capax.compat.np_rasp.traced import Traced, TracedSelector, applied, cast, part
from capax.errors import CapaxError

Predicate = Callable[[Any, Any], Any]


def equals(x: Any, y: Any) -> Any:
    """Whether x == y."""
    return x == y


def leq(x: Any, y: Any) -> Any:
    """Whether x <= y."""
    return x <= y


def lt(x: Any, y: Any) -> Any:
    """Whether x < y."""
    return x < y


def geq(x: Any, y: Any) -> Any:
    """Whether x >= y."""
    return x >= y


def gt(x: Any, y: Any) -> Any:
    """Whether x > y."""
    return x > y


_SIGNS: dict[Any, str] = {equals: "==", leq: "<=", lt: "<", geq: ">=", gt: ">"}
_SIGNS |= {operator.eq: "==", operator.le: "<=", operator.lt: "<", operator.ge: ">=", operator.gt: ">"}
_SIGNS |= {operator.ne: "!="}
_ARRAYS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
}


def _known(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function; a comparison as the operation that it is."""
    try:
        return COMPARISONS[_SIGNS[function]]
    except (KeyError, TypeError):
        return function


def full(x: Any, const: Any) -> Any:
    """The same integer at every position."""
    return Traced(ir.ConstantExpr(int(const))) if isinstance(x, Traced) else np.full_like(x, const, dtype=int)


def indices(x: Any) -> Any:
    """The positions 0, 1, 2, ..."""
    return Traced(ir.IndicesExpr()) if isinstance(x, Traced) else np.arange(len(x), dtype=int)


def tok_map(x: Any, func: Callable[[Any], Any]) -> Any:
    """A function of the value at each position, as an integer."""
    if isinstance(x, Traced):
        return applied(cast(func), x)
    return np.array([func(xi) for xi in x]).astype(int)


def seq_map(x: Any, y: Any, func: Callable[[Any, Any], Any]) -> Any:
    """A function of the values of two sequences at each position, as an integer."""
    if isinstance(x, Traced) or isinstance(y, Traced):
        return applied(cast(_known(func)), x, y)
    return np.array([func(xi, yi) for xi, yi in zip(x, y, strict=False)]).astype(int)


_BEFORE = ir.SelectExpr(ir.IndicesExpr(), ir.IndicesExpr(), COMPARISONS["<="])


def select(k: Any, q: Any, pred: Predicate, causal: bool = True) -> Any:
    """The matrix of booleans with `pred(k[j], q[i])` in row i and column j; nothing right of the diagonal if causal."""
    if isinstance(k, Traced) or isinstance(q, Traced):
        selector: ir.Expression = ir.SelectExpr(part(k), part(q), _known(pred))
        return TracedSelector(ir.CombineExpr(lambda a, b: a and b, (selector, _BEFORE)) if causal else selector)
    k, q = np.asarray(k), np.asarray(q)
    known = _known(pred)
    if isinstance(known, Known):
        holds = _ARRAYS[_SIGNS[pred]](k[None, :], q[:, None])
    else:
        holds = _by_pairs(k, q, pred, causal)
    return np.tril(holds) if causal else holds


def _by_pairs(k: Any, q: Any, pred: Predicate, causal: bool) -> Any:
    """The matrix of a predicate, which is called once for each pair of different values that is seen."""
    (keys, key_at), (queries, query_at) = (np.unique(v, return_inverse=True) for v in (k, q))
    seen = np.zeros((len(queries), len(keys)), dtype=bool)
    rows, columns = np.tril_indices(len(k)) if causal else np.indices((len(q), len(k))).reshape(2, -1)
    seen[query_at[rows], key_at[columns]] = True
    holds = np.zeros_like(seen)
    for i, j in product(range(len(queries)), range(len(keys))):
        if seen[i, j]:
            holds[i, j] = bool(pred(keys[j], queries[i]))
    return holds[query_at][:, key_at]


sel = select


def sel_width(A: Any) -> Any:
    """For each query how many keys are selected."""
    if isinstance(A, TracedSelector):
        return Traced(ir.WidthExpr(A.expression))
    return np.asarray(A).sum(axis=1).astype(int)


def aggr_mean(A: Any, v: Any, default: Any = 0) -> Any:
    """For each query the mean of the selected values without its fraction, or the default for none.

    Of booleans numpy takes "any" for the sum, so that the mean of several is 0.
    """
    if isinstance(A, TracedSelector):
        return _traced_mean(A, v, default)
    width = sel_width(A)
    total = np.dot(A, v)
    out = np.divide(total, width, out=np.full_like(v, default, dtype=float), where=width != 0)
    return out.astype(int)


def _traced_mean(A: TracedSelector, v: Any, default: Any) -> Traced:
    if isinstance(v, Traced) and v.boolean:
        some, count = ir.AggregateExpr(A.expression, part(v), 0, "max"), ir.WidthExpr(A.expression)
        return Traced(ir.ApplyExpr(lambda any_, n: int(any_ / n) if n else int(default), (some, count)))
    return Traced(ir.ApplyExpr(cast(lambda x: x), (ir.AggregateExpr(A.expression, part(v), int(default)),)))


def aggr_max(A: Any, v: Any, default: Any = 0) -> Any:
    """For each query the greatest selected value, or the default for none (True or False for booleans)."""
    if isinstance(A, TracedSelector):
        boolean = isinstance(v, Traced) and v.boolean
        greatest = ir.AggregateExpr(A.expression, part(v), int(bool(default)) if boolean else int(default), "max")
        return Traced(ir.ApplyExpr(cast(lambda x: x), (greatest,))) if boolean else Traced(greatest)
    out = np.full_like(v, default)
    for i, row in enumerate(np.asarray(A)):
        if row.any():
            out[i] = np.max(np.asarray(v)[row])
    return out.astype(int)


def aggr_min(A: Any, v: Any, default: Any = 0) -> Any:
    """For each query the least selected value, or the default for none."""
    if isinstance(A, TracedSelector) and not (isinstance(v, Traced) and v.boolean):
        return Traced(ir.AggregateExpr(A.expression, part(v), int(default), "min"))
    return -aggr_max(A, -v, -default)


_REDUCTIONS = {"mean": aggr_mean, "max": aggr_max, "min": aggr_min}


def aggr(A: Any, v: Any, default: Any = 0, reduction: str = "mean") -> Any:
    """For each query the mean, greatest or least selected value, or the default for none."""
    if reduction not in _REDUCTIONS:
        raise CapaxError("bad-option", f"there is no reduction {reduction!r:.40}", hint="use mean, max or min")
    return _REDUCTIONS[reduction](A, v, default)


def kqv(k: Any, q: Any, v: Any, pred: Predicate, default: Any = 0, reduction: str = "mean") -> Any:
    """One head of causal attention: keys, queries and values, a predicate, a default and a reduction."""
    return aggr(select(k, q, pred), v, default=default, reduction=reduction)
