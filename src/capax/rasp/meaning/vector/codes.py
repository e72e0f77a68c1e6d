"""Codes for keys and queries: numbers that compare as the values do.

Where keys and queries are the same column, their codes are one array, and what is computed from them is computed once.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from capax.rasp.meaning.vector.column import SAFE, Column
from capax.rasp.meaning.vector.distinct import Bools, Ints, distinct, sortable, table_pays
from capax.rasp.meaning.vector.terms import ANY

Codes = tuple[NDArray[Any], NDArray[Any]]

MOST_CODES = 1 << 62
"""Codes below are combined in 64 bits."""

Part = tuple[Ints, Ints, int]
"""Codes of keys, codes of queries, and how many codes there may be."""


def pair_codes(key: Column, query: Column, *, ordered: bool) -> Codes | None:
    """Arrays for keys and queries that compare as the values do; None if no key equals any query."""
    if key.kind == "str" and query.kind == "str":
        if not ordered:
            return _wide(key.data, query.data)
        if key is query:
            (ranks,) = key.vocabulary.ranks(key.data)
            return _wide(ranks, ranks)
        return _wide(*key.vocabulary.ranks(key.data, query.data))
    if key.kind in ("int", "bool") and query.kind in ("int", "bool"):
        return _wide(key.data, query.data)
    if key.numeric and query.numeric and max(_whole(key), _whole(query)) <= SAFE:
        return key.floats(), query.floats()
    if "object" not in (key.kind, query.kind) and not (key.numeric and query.numeric):
        return None
    return _ranked(key.values(), query.values())


def _wide(keys: NDArray[Any], queries: NDArray[Any]) -> Codes:
    """Both as int64; one array if they are one."""
    wide = keys.astype(np.int64, copy=False)
    return wide, wide if keys is queries else queries.astype(np.int64, copy=False)


def _whole(column: Column) -> int | float:
    return column.largest() if column.kind == "int" else 0


def _ranked(keys: list[Any], queries: list[Any]) -> Codes:
    """Ranks found by Python's own comparison; strings rank above numbers, which no order compares."""
    known = dict.fromkeys(keys)
    known.update(dict.fromkeys(queries))
    order = sorted(v for v in known if not isinstance(v, str)) + sorted(v for v in known if isinstance(v, str))
    rank = {value: i for i, value in enumerate(order)}
    size = len(keys)
    return (
        np.fromiter((rank[v] for v in keys), dtype=np.int64, count=size),
        np.fromiter((rank[v] for v in queries), dtype=np.int64, count=len(queries)),
    )


def dense(keys: NDArray[Any], queries: NDArray[Any]) -> Part:
    """Small codes from 0 that compare as the given ones do, and how many there may be."""
    size = len(keys) + len(queries)
    if keys.dtype != np.float64 and size:
        low, high = int(keys.min(initial=0)), int(keys.max(initial=0))
        if keys is not queries:
            low, high = min(low, int(queries.min(initial=0))), max(high, int(queries.max(initial=0)))
        if high - low <= 2 * size + 1024:
            if not low:
                return keys, queries, high + 1
            shifted = keys - low
            return shifted, shifted if keys is queries else queries - low, high - low + 1
    return dense_joint(keys, queries)


def combined(parts: list[Part]) -> Part:
    """One code for several: equal where all are equal, in the order of the first, then the second, and so on."""
    keys, queries, count = parts[0]
    for more_keys, more_queries, more in parts[1:]:
        if count * more > MOST_CODES:
            keys, queries, count = dense_joint(keys, queries)
        if count * more > MOST_CODES:
            more_keys, more_queries, more = dense_joint(more_keys, more_queries)
        same = keys is queries and more_keys is more_queries
        joined = keys * more + more_keys
        keys, queries, count = joined, joined if same else queries * more + more_queries, count * more
    return keys, queries, count


def combined_small(parts: list[Part]) -> Part:
    """One code for several, of which there are so few that a table of them pays."""
    keys, queries, count = combined(parts)
    return (keys, queries, count) if table_pays(count, len(keys) + len(queries)) else dense_joint(keys, queries)


def dense_joint(keys: NDArray[Any], queries: NDArray[Any]) -> Part:
    """Codes from 0 without gaps."""
    same = keys is queries
    together = keys if same else np.concatenate([keys, queries])
    known, inverse = distinct(sortable(together) if together.dtype == np.float64 else together)
    count = max(len(known), 1)
    return (inverse, inverse, count) if same else (inverse[: len(keys)], inverse[len(keys) :], count)


def allowed(mask: int, key: NDArray[Any], query: NDArray[Any]) -> Bools:
    """Whether the comparison of codes has one of the outcomes of a mask."""
    match mask:
        case 1:
            return np.asarray(key < query)
        case 2:
            return np.asarray(key == query)
        case 4:
            return np.asarray(key > query)
        case 3:
            return np.asarray(key <= query)
        case 6:
            return np.asarray(key >= query)
        case 5:
            return np.asarray(key != query)
        case _:
            assert mask == ANY
            return np.ones(np.broadcast_shapes(key.shape, query.shape), dtype=np.bool_)
