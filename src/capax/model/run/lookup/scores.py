"""Scores of one query against many keys, in one fixed order of operations."""

from typing import Final

import numpy as np

from capax.model.parts import Array

_INT_LIMIT: Final = 2.0**62
_LOWEST: Final = {np.dtype(kind).char: np.finfo(kind).min for kind in (np.float64, np.float32)}


def hard_scores(query: Array, keys: Array) -> Array:
    """The scores (n,) of keys (k, n): q_0 k_0, then + q_1 k_1, then + q_2 k_2 and so on.

    Each product and each sum is rounded to the arrays' own type, so a key's score depends on that key and the query
    alone, and not on how many keys are scored at once, as it may in a matrix product. A score that is not a number
    (two infinities met) or minus infinity counts as the lowest number. Integers are exact: where int64 might not hold a
    score, Python's integers do.
    """
    if keys.dtype.kind == "i" and not _fits(query, keys):
        query, keys = query.astype(object), keys.astype(object)
    if not len(keys):
        return np.zeros(keys.shape[1:], keys.dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        total = accumulated(query, keys)
    if keys.dtype.kind == "f":
        np.fmax(total, _LOWEST[keys.dtype.char], out=total)
    return total


def accumulated(query: Array, keys: Array) -> Array:
    """The sum of hard_scores for at least one coordinate, for numbers that are known not to overflow."""
    terms = keys * query[:, None]
    total: Array = terms[0]
    for term in terms[1:]:
        total += term
    return total


def _fits(query: Array, keys: Array) -> bool:
    if not keys.size:
        return True
    sizes = np.abs(keys.astype(np.float64)).max(axis=1)
    return bool(sizes @ np.abs(query.astype(np.float64)) < _INT_LIMIT)
