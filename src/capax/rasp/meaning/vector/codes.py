"""Codes for keys and queries: numbers that compare as the values do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from capax.rasp.meaning.vector.column import SAFE, Bools, Column, Ints
from capax.rasp.meaning.vector.terms import ANY

Codes = tuple[NDArray[Any], NDArray[Any]]


def pair_codes(key: Column, query: Column, *, ordered: bool) -> Codes | None:
    """Arrays for keys and queries that compare as the values do; None if no key equals any query."""
    if key.kind == "str" and query.kind == "str":
        if not ordered:
            return key.data, query.data
        ranks = key.vocabulary.ranks()
        return ranks[key.data], ranks[query.data]
    if {key.kind, query.kind} <= {"int", "bool"}:
        return key.data.astype(np.int64, copy=False), query.data.astype(np.int64, copy=False)
    if key.numeric and query.numeric and max(_whole(key), _whole(query)) <= SAFE:
        return key.floats(), query.floats()
    if "object" not in (key.kind, query.kind) and not (key.numeric and query.numeric):
        return None
    return _ranked(key.values(), query.values())


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


def dense(keys: NDArray[Any], queries: NDArray[Any]) -> tuple[Ints, Ints, int]:
    """Small codes from 0 that compare as the given ones do, and how many there may be."""
    size = len(keys) + len(queries)
    if keys.dtype != np.float64 and size:
        low = int(min(keys.min(initial=0), queries.min(initial=0)))
        high = int(max(keys.max(initial=0), queries.max(initial=0)))
        if high - low <= 2 * size + 1024:
            return keys - low, queries - low, high - low + 1
    return dense_joint(keys, queries)


def combined(parts: list[tuple[Ints, Ints, int]]) -> tuple[Ints, Ints, int]:
    """One code for several: equal where all are equal, in the order of the first, then the second, and so on."""
    keys, queries, count = parts[0]
    for more_keys, more_queries, more in parts[1:]:
        if count * more > 1 << 62:
            keys, queries, count = dense_joint(keys, queries)
        keys, queries, count = keys * more + more_keys, queries * more + more_queries, count * more
    return keys, queries, count


def dense_joint(keys: NDArray[Any], queries: NDArray[Any]) -> tuple[Ints, Ints, int]:
    """Codes from 0 without gaps."""
    known, inverse = np.unique(np.concatenate([keys, queries]), return_inverse=True)
    inverse = inverse.reshape(-1).astype(np.int64)
    return inverse[: len(keys)], inverse[len(keys) :], max(len(known), 1)


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
