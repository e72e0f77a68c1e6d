"""The scan: what a hard-attention head returns, by comparing the query with every key."""

from typing import Final

import numpy as np

from capax.model.parts import HARD_KINDS, Array, HardKind
from capax.model.run.lookup.exact_sums import rounded_mean, rounded_sum


def mean(values: Array) -> Array:
    """The mean (v,) of rows (n, v).

    Of floats: the exact sum, rounded to float64, divided by n in float64, rounded to their type. Of integers: the exact
    quotient, rounded to nearest, ties to even.
    """
    columns = values.T.tolist()
    total = [sum(c) for c in columns] if values.dtype.kind == "i" else [rounded_sum(c) for c in columns]
    return rounded_mean(total, len(values), values.dtype)


class ScanStore:
    """The keys and values of one hard-attention head, and the definition of what a query gets from them.

    Of all keys those of the highest score (see `hard_scores`) are attended to: the first, the last, or all in equal
    parts. A sink is a key (k,) and a value (v,) that come after all others, however many those are. Without it a query
    gets the zero vector before the first key.
    """

    def __init__(
        self, kind: HardKind, k: int, v: int, dtype: str = "float64", *, sink: tuple[Array, Array] | None = None
    ) -> None:
        assert kind in HARD_KINDS, kind
        self._kind = kind
        self._sink = sink
        self._count = 0
        self._keys: Array = np.zeros((k, 16), dtype)
        self._values: Array = np.zeros((16, v), dtype)

    def __len__(self) -> int:
        return self._count

    def row(self, position: int) -> tuple[Array, Array]:
        """The key (k,) and the value (v,) at a position."""
        return self._keys[:, position], self._values[position]

    def append(self, key: Array, value: Array) -> None:
        """Add a key (k,) and its value (v,) after the others."""
        if self._count == len(self._values):
            self._keys = np.concatenate([self._keys, np.zeros_like(self._keys)], axis=1)
            self._values = np.concatenate([self._values, np.zeros_like(self._values)])
        self._keys[:, self._count] = key
        self._values[self._count] = value
        self._count += 1

    def attend(self, query: Array) -> Array:
        """The value (v,) that a query (k,), already scaled, gets."""
        return self.mixed(self.best(np.asarray(query, self._keys.dtype)))

    def best(self, query: Array) -> Array:
        """The positions of the keys of the highest score, the sink's after the last."""
        keys = self._keys[:, : self._count]
        if self._sink is not None:
            keys = np.concatenate([keys, self._sink[0][:, None]], axis=1).astype(keys.dtype)
        if not keys.shape[1]:
            return np.zeros(0, np.int64)
        scores = hard_scores(query, keys)
        return np.asarray((scores == scores.max()).nonzero()[0])

    def mixed(self, positions: Array) -> Array:
        """The value (v,) of the first, of the last, or the mean of all; zeros if there are none."""
        if not positions.size:
            return np.zeros_like(self._values[0])
        if self._kind != "average-hard":
            position = int(positions[0] if self._kind == "leftmost-hard" else positions[-1])
            return np.array(self._value(position))
        if positions.size == 1:
            return np.asarray(self._value(int(positions[0])) + 0)  # the mean of one; a sum of zeros is 0.0
        if self._sink is None or positions[-1] < self._count:
            return mean(self._values[positions])
        return mean(np.concatenate([self._values[positions[:-1]], self._value(self._count)[None]]))

    def _value(self, position: int) -> Array:
        if self._sink is not None and position == self._count:
            return self._sink[1].astype(self._values.dtype)
        return np.asarray(self._values[position])


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
