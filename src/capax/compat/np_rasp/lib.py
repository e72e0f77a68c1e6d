"""np-rasp's library, written with its core."""

from typing import Any

from capax.compat.lowering.functions import CHOOSE
from capax.compat.np_rasp.core import aggr_max, equals, full, gt, indices, kqv, sel_width, select, seq_map
from capax.compat.np_rasp.traced import Traced, applied


def shift_right(x: Any, n: int, default: Any = 0) -> Any:
    """The values, moved n positions to the right."""
    return kqv(indices(x) + n, indices(x), x, equals, default=default)


def cumsum(bool_array: Any) -> Any:
    """How many positions up to each one have true."""
    return sel_width(select(bool_array, bool_array, lambda k, q: k))


def where(condition: Any, x_if: Any, y_else: Any) -> Any:
    """One value where a condition holds, another elsewhere, as integers."""
    if any(isinstance(v, Traced) for v in (condition, x_if, y_else)):
        branches = [v.astype(int) if isinstance(v, Traced) and v.boolean else v for v in (x_if, y_else)]
        return applied(CHOOSE, condition, *branches)
    chosen = seq_map(x_if, condition, lambda x, holds: x if holds else 0)
    return chosen + seq_map(y_else, condition, lambda y, holds: 0 if holds else y)


def mask(x: Any, bool_mask: Any, mask_val: Any = 0) -> Any:
    """The values where the mask holds, another value elsewhere."""
    return where(bool_mask, x, full(x, mask_val))


def maximum(x: Any) -> Any:
    """The greatest value up to each position."""
    return aggr_max(select(full(x, 1), full(x, 1), equals), x)


def minimum(x: Any) -> Any:
    """The least value up to each position."""
    return -maximum(-x)


def argmax(x: Any) -> Any:
    """The last position so far of the greatest value so far."""
    return kqv(x, maximum(x), indices(x), equals, reduction="max")


def argmin(x: Any) -> Any:
    """The last position so far of the least value so far."""
    return argmax(-x)


def num_prev(x: Any, queries: Any) -> Any:
    """How many positions up to each one have the value that the query asks for."""
    return sel_width(select(x, queries, equals))


def has_seen(x: Any, queries: Any) -> Any:
    """1 where the value that the query asks for has come, 0 elsewhere."""
    return kqv(x, queries, full(x, 1), equals, default=0)


def firsts(x: Any, queries: Any, default: Any = -1) -> Any:
    """The first position so far of the value that the query asks for."""
    return kqv(x, queries, indices(x), equals, default=default, reduction="min")


def lasts(x: Any, queries: Any, default: Any = -1) -> Any:
    """The last position so far of the value that the query asks for."""
    return kqv(x, queries, indices(x), equals, default=default, reduction="max")


def index_select(x: Any, idx: Any, default: Any = 0) -> Any:
    """The value at the position that the index asks for, if that is not later than the position itself."""
    return kqv(indices(x), idx, x, equals, default=default)


def first_true(x: Any, default: Any = -1) -> Any:
    """The first position so far that has 1 (or True)."""
    seen = kqv(x, full(x, 1), full(x, 1), equals, default=0)
    begins = seq_map(seen, shift_right(seen, 1), lambda now, before: now and not before)
    return kqv(begins, full(x, 1), indices(x), equals, default=default)


def mode(x: Any) -> Any:
    """The most frequent value so far; of several the one that came to its count last."""
    return index_select(x, argmax(sel_width(select(x, x, equals))))


def binary_mode(x: Any) -> Any:
    """1 where 1 is more frequent than 0 so far, 0 elsewhere."""
    ones, zeros = (sel_width(select(x, full(x, bit), equals)) for bit in (1, 0))
    return seq_map(ones, zeros, gt)


def induct_kqv(k: Any, q: Any, v: Any, offset: int, default: Any = 0, null_val: int = -999) -> Any:
    """The value that came `offset` positions after the first position with the key that the query asks for."""
    return index_select(v, firsts(shift_right(k, offset, default=null_val), q, default=null_val), default=default)


def induct(k: Any, q: Any, offset: int, default: Any = 0, null_val: int = -999) -> Any:
    """The same, with the keys as values."""
    return induct_kqv(k, q, k, offset=offset, default=default, null_val=null_val)


def induct_prev(k: Any, q: Any, offset: int, default: Any = 0, null_val: int = -999) -> Any:
    """The same for negative offsets."""
    return index_select(k, firsts(k, q, default=null_val) + offset, default=default)
