"""The scan: what a hard-attention head returns, by comparing the query with every key."""

import numpy as np

from capax.model.lookup.scores import HARD_KINDS, HardKind, hard_scores
from capax.model.lookup.sums import rounded_mean, rounded_sum
from capax.model.parts import Array


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
        keys, values = self._keys[:, : self._count], self._values[: self._count]
        if self._sink is not None:
            keys = np.concatenate([keys, self._sink[0][:, None]], axis=1).astype(keys.dtype)
            values = np.concatenate([values, self._sink[1][None]]).astype(values.dtype)
        if not len(values):
            return np.zeros_like(self._values[0])
        scores = hard_scores(np.asarray(query, keys.dtype), keys)
        best = scores == scores.max()
        if self._kind == "leftmost-hard":
            return np.array(values[int(best.argmax())])
        if self._kind == "rightmost-hard":
            return np.array(values[len(values) - 1 - int(best[::-1].argmax())])
        return mean(values[best])
