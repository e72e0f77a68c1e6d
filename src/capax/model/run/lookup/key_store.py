"""The lookup: a store of keys and values that answers as the scan does, and sooner when keys are many."""

from typing import Any, Final

import numpy as np

from capax.model.arithmetic.interface import Arithmetic
from capax.model.numbers import Float, Integer, parse
from capax.model.parts import HARD_KINDS, Array, HardKind, Head
from capax.model.run.cache import KeyValueStore, array_store
from capax.model.run.lookup.exact_sums import FloatSums, IntegerSums, rounded_mean
from capax.model.run.lookup.forest import Forest, Found, Score
from capax.model.run.lookup.scan import ScanStore, hard_scores

MANY: Final = 64
"""Distinct keys of one score from which on a query that reads only some coordinates gets a view of its own."""
VIEWS: Final = 8
PLAIN: Final = 10240
"""Keys up to which the scan is about as fast, unless many have the same score."""


class _View:
    """The keys as queries see them that read only some coordinates: equal ones once, with where they stand."""

    def __init__(
        self, coordinates: Array | None, k: int, plain: ScanStore, dtype: np.dtype[Any], averaging: bool
    ) -> None:
        self._coordinates = coordinates
        """Which are read; None for all."""
        self._plain = plain
        self._known: dict[bytes, int] = {}
        self._forest = Forest(k if coordinates is None else len(coordinates), dtype.name)
        self._first: Array = np.zeros(16, np.int64)
        self._last: Array = np.zeros(16, np.int64)
        self._count: Array = np.zeros(16, np.int64)
        self._sums: FloatSums | IntegerSums | None = None
        """Of the values of keys that came more than once."""
        if averaging:
            self._sums = FloatSums() if dtype.kind == "f" else IntegerSums()

    def add(self, key: Array, position: int, squares: Array) -> None:
        """Add a key of all coordinates, with the position at which its value is."""
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
            self._first[number] = self._last[number] = position
            self._count[number] = 1
            self._forest.add(key, squares)
            return
        if self._sums is not None:
            if self._count.item(number) == 1:
                self._sums.add(number, self._value(number))
            self._sums.add(number, self._plain.row(position)[1])
        self._last[number] = position
        self._count[number] += 1

    def __len__(self) -> int:
        return len(self._known)

    @property
    def finite(self) -> bool:
        """Whether all keys are."""
        return self._forest.finite

    def best(self, query: Array) -> tuple[Score, Found]:
        """The highest score, and the numbers of the distinct keys that have it."""
        return self._forest.best(query if self._coordinates is None else query[self._coordinates])

    def first(self, numbers: Found) -> int:
        """The first position of some keys."""
        return int(self._first.item(numbers) if isinstance(numbers, int) else self._first[numbers].min())

    def last(self, numbers: Found) -> int:
        """The last position of some keys."""
        return int(self._last.item(numbers) if isinstance(numbers, int) else self._last[numbers].max())

    def mean(self, numbers: Found, sink: Array | None, dtype: np.dtype[Any]) -> Array:
        """The mean of all values of some keys, and of the sink's if there is one."""
        assert self._sums is not None, "sums are kept for averages"
        if isinstance(numbers, int):
            listed, count = [numbers], self._count.item(numbers)
            if count == 1 and sink is None:  # the mean of one; a sum of zeros is 0.0, also of -0.0
                return np.asarray(self._value(numbers) + 0)
        else:
            listed, count = numbers.tolist(), int(self._count[numbers].sum())
        rows = [number for number in listed if self._count.item(number) > 1]
        single = [self._value(number) for number in listed if self._count.item(number) == 1]
        more = single if sink is None else [*single, sink]
        return rounded_mean(self._sums.total(rows, more), count + (sink is not None), dtype)

    def _value(self, number: int) -> Array:
        """The first value of a key."""
        return self._plain.row(self._first.item(number))[1]


class KeyStore:
    """The keys and values of one hard-attention head; what a query gets is what `ScanStore` gives, bit for bit.

    It sees vectors alone: keys and values as they are appended, and the queries, whose sizes decide along which
    coordinates keys are kept together. Equal keys are kept once. A query looks at groups of keys in the order of what
    their best score could be, and stops when that is below the best score found. Queries for which many groups stay
    in question cost as much as the scan, and none gets another answer. The first keys are scanned.
    """

    def __init__(
        self, kind: HardKind, k: int, v: int, dtype: str = "float64", *, sink: tuple[Array, Array] | None = None
    ) -> None:
        assert kind in HARD_KINDS, kind
        self._kind = kind
        self._dtype = np.dtype(dtype)
        self._sink = None if sink is None else (sink[0].astype(dtype)[:, None], sink[1].astype(dtype))
        self._plain = ScanStore(kind, k, v, dtype, sink=sink)
        self._squares: Array = np.zeros(k)
        self._asked = 0
        self._whole: _View | None = None
        self._views: dict[bytes, _View] = {}

    def __len__(self) -> int:
        return len(self._plain)

    def append(self, key: Array, value: Array) -> None:
        """Add a key (k,) and its value (v,) after the others."""
        at = len(self._plain)
        # adding 0 makes 0.0 of -0.0: their scores are equal, and so are then their bytes
        key = np.asarray(key, self._dtype) + 0
        self._plain.append(key, value)
        if self._whole is not None:
            self._whole.add(key, at, self._squares)
            for view in self._views.values():
                view.add(key, at, self._squares)
        elif at >= PLAIN:
            self._look_up()

    def _look_up(self) -> None:
        """Scan no more."""
        self._whole = self._view(np.ones(len(self._squares), bool))

    def _view(self, read: Array) -> _View:
        """The keys so far without the coordinates that are not read."""
        coordinates, averaging = None if read.all() else np.flatnonzero(read), self._kind == "average-hard"
        view = _View(coordinates, len(read), self._plain, self._dtype, averaging)
        for at in range(len(self._plain)):
            view.add(self._plain.row(at)[0], at, self._squares)
        return view

    def attend(self, query: Array) -> Array:
        """The value (v,) that a query (k,), already scaled, gets."""
        query = np.asarray(query, self._dtype)
        self._asked += 1
        if self._asked & 15 == 1:
            self._note(query)
        if self._whole is None:
            positions = self._plain.best(query)
            if len(positions) > MANY:
                self._look_up()
            return self._plain.mixed(positions)
        view = self._whole
        if self._views and view.finite:  # zero times infinity is not a number, and has to stay in the sum
            view = self._views.get((query != 0).tobytes(), view)
        # Of one key alone the score matters only beside a sink.
        score, numbers = view.best(query) if self._sink is not None or len(view) > 1 else (0, 0)
        if view is self._whole and not isinstance(numbers, int) and len(numbers) > MANY:
            self._add_view(query != 0)
        sink = None
        if self._sink is not None:
            own = hard_scores(query, self._sink[0])[0]
            if own > score or (own == score and self._kind == "rightmost-hard"):
                # the mean of one: a sum of zeros is 0.0, also of -0.0
                return self._sink[1] + 0 if self._kind == "average-hard" else self._sink[1].copy()
            sink = self._sink[1] if own == score else None
        if self._kind == "leftmost-hard":
            return self._plain.row(view.first(numbers))[1].copy()
        if self._kind == "rightmost-hard":
            return self._plain.row(view.last(numbers))[1].copy()
        return view.mean(numbers, sink, self._dtype)

    def _note(self, query: Array) -> None:
        """Remember the sizes of a query's coordinates; they only guide how keys are ordered."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            squares = np.square(query, dtype=np.float64)
            if not squares.sum() < 2.0**800:
                squares = np.nan_to_num(np.minimum(squares, 2.0**800))
        self._squares += squares

    def _add_view(self, read: Array) -> None:
        """Keep the keys once more for queries that read only some coordinates."""
        if len(self._views) < VIEWS and not read.all():
            self._views[read.tobytes()] = self._view(read)


MOST_DIMENSIONS: Final = 8
"""In more dimensions random keys leave nearly all groups in question, and the bounds only cost time."""


def lookup_store(head: Head, a: Arithmetic) -> KeyValueStore:
    """A lookup for a hard-attention head with small keys in float64, float32 or exact integers; else arrays.

    Scores are those of an uncached run, to the last bit; a mean of floats is rounded less often than there.
    """
    system = parse(a.name)
    exact = isinstance(system, Integer) or (isinstance(system, Float) and system.name in ("float64", "float32"))
    k = head.query.outputs
    for kind in HARD_KINDS:
        if kind == head.attention and exact and k <= MOST_DIMENSIONS:
            sink = None
            if head.sink is not None:
                sink = a.weights(head.sink.key, "a sink's key"), a.weights(head.sink.value, "a sink's value")
            return KeyStore(kind, k, head.value.outputs, a.dtype.name, sink=sink)
    return array_store(head, a)
