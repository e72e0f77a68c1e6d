"""The lookup: a store of keys and values that answers as the scan does, and sooner when keys are many."""

from typing import Final

import numpy as np

from capax.model.lookup.forest import Forest, Found, Score
from capax.model.lookup.scan import rounded_mean
from capax.model.lookup.scores import HARD_KINDS, HardKind, hard_scores
from capax.model.lookup.sums import ExactSums
from capax.model.parts import Array

MANY: Final = 64
"""Distinct keys of one score from which on a query that reads only some coordinates gets a view of its own."""
VIEWS: Final = 8


class _View:
    """The keys as queries see them that read only some coordinates: equal ones once, with where they stand."""

    def __init__(self, coordinates: Array | None, k: int, v: int, dtype: str, averaging: bool) -> None:
        self._coordinates = coordinates
        """Which are read; None for all."""
        self._known: dict[bytes, int] = {}
        self._forest = Forest(k if coordinates is None else len(coordinates), dtype)
        self._first: Array = np.zeros(16, np.int64)
        self._last: Array = np.zeros(16, np.int64)
        self._count: Array = np.zeros(16, np.int64)
        self._sums = ExactSums(v) if averaging else None

    def add(self, key: Array, value: Array, position: int, squares: Array) -> None:
        """Add a key of all coordinates, its value and its position."""
        if self._coordinates is not None:
            key, squares = key[self._coordinates], squares[self._coordinates]
        name = key.tobytes()
        number = self._known.get(name)
        if number is None:
            number = self._known[name] = len(self._known)
            if number == len(self._first):
                self._first, self._last, self._count = (
                    np.concatenate([a, np.zeros_like(a)]) for a in (self._first, self._last, self._count)
                )
            self._first[number] = position
            self._forest.add(key, squares)
        self._last[number] = position
        self._count[number] += 1
        if self._sums is not None:
            self._sums.add(number, value)

    def best(self, query: Array) -> tuple[Score, Found]:
        """The highest score, and the numbers of the distinct keys that have it."""
        return self._forest.best(query if self._coordinates is None else query[self._coordinates])

    def first(self, numbers: Found) -> int:
        """The first position of some keys."""
        return int(self._first.item(numbers) if isinstance(numbers, int) else self._first[numbers].min())

    def last(self, numbers: Found) -> int:
        """The last position of some keys."""
        return int(self._last.item(numbers) if isinstance(numbers, int) else self._last[numbers].max())

    def mean(self, numbers: Found, sink: Array | None, dtype: np.dtype[np.generic]) -> Array:
        """The mean of all values of some keys, and of the sink's if there is one."""
        assert self._sums is not None, "sums are kept for averages"
        rows = np.atleast_1d(numbers)
        count = int(self._count[rows].sum()) + (sink is not None)
        return rounded_mean(self._sums.total(rows, sink), count, dtype)


class KeyStore:
    """The keys and values of one hard-attention head; what a query gets is what `ScanStore` gives, bit for bit.

    It sees vectors alone: keys and values as they are appended, and the queries, whose sizes decide along which
    coordinates keys are kept together. Equal keys are kept once. A query looks at groups of keys in the order of what
    their best score could be, and stops when that is below the best score found. Queries for which many groups stay
    in question cost as much as the scan, and none gets another answer.
    """

    def __init__(
        self, kind: HardKind, k: int, v: int, dtype: str = "float64", *, sink: tuple[Array, Array] | None = None
    ) -> None:
        assert kind in HARD_KINDS, kind
        assert kind != "average-hard" or dtype.startswith("float"), "integers have no means"
        self.kind = kind
        self._sink = None if sink is None else (sink[0].astype(dtype)[:, None], sink[1].astype(dtype))
        self._dtype = dtype
        self._count = 0
        self._keys: Array = np.zeros((16, k), dtype)
        self._values: Array = np.zeros((16, v), dtype)
        self._squares: Array = np.zeros(k)
        self._asked = 0
        self._whole = self._view(None)
        self._views: dict[bytes, _View] = {}

    def _view(self, coordinates: Array | None) -> _View:
        (_, k), (_, v) = self._keys.shape, self._values.shape
        return _View(coordinates, k, v, self._dtype, self.kind == "average-hard")

    def __len__(self) -> int:
        return self._count

    def append(self, key: Array, value: Array) -> None:
        """Add a key (k,) and its value (v,) after the others."""
        at = self._count
        if at == len(self._values):
            self._keys, self._values = (np.concatenate([a, np.zeros_like(a)]) for a in (self._keys, self._values))
        # adding 0 makes 0.0 of -0.0: their scores are equal, and so are then their bytes
        np.add(key, 0, out=self._keys[at])
        self._values[at] = value
        self._count += 1
        self._whole.add(self._keys[at], self._values[at], at, self._squares)
        for view in self._views.values():
            view.add(self._keys[at], self._values[at], at, self._squares)

    def attend(self, query: Array) -> Array:
        """The value (v,) that a query (k,), already scaled, gets."""
        if not self._count:
            return np.zeros_like(self._values[0]) if self._sink is None else self._sink[1].copy()
        query = np.asarray(query, self._dtype)
        self._asked += 1
        if self._asked & 15 == 1:
            self._note(query)
        view = self._views.get((query != 0).tobytes(), self._whole) if self._views else self._whole
        score, numbers = view.best(query)
        if view is self._whole and not isinstance(numbers, int) and len(numbers) > MANY:
            self._add_view(query)
        sink = None
        if self._sink is not None:
            own = hard_scores(query, self._sink[0])[0]
            if own > score or (own == score and self.kind == "rightmost-hard"):
                return self._sink[1].copy()
            sink = self._sink[1] if own == score else None
        if self.kind == "leftmost-hard":
            return np.array(self._values[view.first(numbers)])
        if self.kind == "rightmost-hard":
            return np.array(self._values[view.last(numbers)])
        return view.mean(numbers, sink, self._values.dtype)

    def _note(self, query: Array) -> None:
        """Remember the sizes of a query's coordinates; they only guide how keys are ordered."""
        sizes = np.minimum(np.abs(query.astype(np.float64)), 2.0**400)
        self._squares += np.nan_to_num(sizes * sizes)

    def _add_view(self, query: Array) -> None:
        """Keep the keys once more, without the coordinates that this query does not read."""
        if len(self._views) == VIEWS or np.all(query != 0):
            return
        view = self._views[(query != 0).tobytes()] = self._view(np.flatnonzero(query))
        for at in range(self._count):
            view.add(self._keys[at], self._values[at], at, self._squares)
