"""Distinct keys in enclosed leaves, searched by branch and bound."""

import math
from typing import Final, TypeAlias

import numpy as np

from capax.model.parts import Array
from capax.model.run.lookup.group_bounds import AXES, ROUNDING, bounds, enclosures, importance, in_halves
from capax.model.run.lookup.scan import accumulated, hard_scores

LEAF: Final = 128
"""Keys in a leaf: numpy scores them in about the time that its calls take."""
BRANCH: Final = 8
"""Blocks of one size that are ordered anew as one; the leaves of the smallest."""
BOUGH: Final = 16
"""Leaves of one bough; a block has 8, 64, 512, ... leaves, so from 64 on it consists of whole boughs."""
FLAT: Final = 1024
"""Leaves up to which the bounds of all are computed at once."""
BATCH: Final = 8

Score: TypeAlias = float | int
Found: TypeAlias = int | Array
"""The number of one key, or those of several."""


class Forest:
    """Distinct keys, numbered 0, 1, ... as they come, and the search for those of the highest score.

    BRANCH leaves of LEAF keys each, as they come, are a block; BRANCH blocks of one size become one of the next size.
    In a block, keys that lie together share a leaf. So a key is moved a logarithmic number of times. The blocks lie one
    after the other, the largest first. After them come leaves that are being filled and always looked at: free slots
    of the last repeat its first key.
    """

    def __init__(self, k: int, dtype: str) -> None:
        self._rounding = ROUNDING[dtype]
        self._count = 0
        self._leaves = 0
        self._blocks: list[int] = []
        self._largest = 0.0
        self._keys: Array = np.zeros((k, BOUGH, LEAF), dtype)
        self._numbers: Array = np.zeros((BOUGH, LEAF), np.int64)
        self._leaf_frames: Array = np.zeros((2 * k, 1 + AXES, BOUGH))
        self._bough_frames: Array = np.zeros((2 * k, 1 + AXES, 1))

    @property
    def finite(self) -> bool:
        """Whether all keys are finite."""
        return self._largest < math.inf

    def add(self, key: Array, squares: Array) -> None:
        """Add a key; `squares` sums up the squares of the queries' coordinates so far."""
        leaf, slot = divmod(self._count, LEAF)
        if not slot:
            if leaf == len(self._numbers):
                self._reserve()
            self._keys[:, leaf] = key[:, None]
            self._numbers[leaf] = self._count
        else:
            self._keys[:, leaf, slot] = key
            self._numbers[leaf, slot] = self._count
        self._count += 1
        listed = key.tolist()
        self._largest = max(self._largest, *map(abs, listed), 0.0) if all(map(math.isfinite, listed)) else math.inf
        if self._count == (self._leaves + BRANCH) * LEAF:
            self._store(np.sqrt(squares))

    def _reserve(self) -> None:
        self._keys = np.concatenate([self._keys, np.zeros_like(self._keys)], axis=1)
        self._numbers = np.concatenate([self._numbers, np.zeros_like(self._numbers)])
        self._leaf_frames, self._bough_frames = (
            np.concatenate([frames, np.zeros_like(frames)], axis=2)
            for frames in (self._leaf_frames, self._bough_frames)
        )

    def _store(self, weights: Array) -> None:
        start, size = self._leaves, BRANCH
        self._leaves += BRANCH
        while self._blocks[1 - BRANCH :] == [size] * (BRANCH - 1):
            del self._blocks[1 - BRANCH :]
            start -= (BRANCH - 1) * size
            size *= BRANCH
        self._blocks.append(size)
        if self._largest < self._rounding.limit:
            self._arrange(start, size, weights)

    def _arrange(self, start: int, size: int, weights: Array) -> None:
        """Order the keys of a block anew and enclose them."""
        own = slice(start, start + size)
        k = len(self._keys)
        keys = self._keys[:, own].reshape(k, -1)
        real = keys.astype(np.float64)
        centred = real - (real.min(axis=1, keepdims=True) + real.max(axis=1, keepdims=True)) / 2
        factors = importance(centred, weights)
        order = in_halves(centred * factors, LEAF)
        real = real[:, order]
        self._keys[:, own] = keys[:, order].reshape(k, size, LEAF)
        self._numbers[own] = self._numbers[own].reshape(-1)[order].reshape(size, LEAF)
        leaves = real.reshape(k, size, LEAF).swapaxes(0, 1)
        self._leaf_frames[:, :, own] = enclosures(leaves, factors, self._rounding)
        if size >= BOUGH:
            boughs = real.reshape(k, size // BOUGH, BOUGH * LEAF).swapaxes(0, 1)
            own = slice(start // BOUGH, (start + size) // BOUGH)
            self._bough_frames[:, :, own] = enclosures(boughs, factors, self._rounding)

    def best(self, query: Array) -> tuple[Score, Found]:
        """The highest score, and the numbers of all keys that have it; there is at least one key."""
        if not len(query):
            return 0, 0
        if self._count == 1:
            return hard_scores(query, self._keys[:, 0, :1]).item(), 0
        listed = query.tolist()
        sizes = [abs(x) for x in listed]
        limit = self._rounding.limit
        if not (self._largest < limit and sum(sizes) * self._largest < limit):
            return self._scan(query)
        search = _Search(query, self._keys, self._numbers)
        filling = list(range(self._leaves, -(-self._count // LEAF)))
        if not self._leaves:
            search.visit(filling)
        else:
            self._descend(search, np.array(listed + sizes, np.float64), filling)
        return search.found()

    def _scan(self, query: Array) -> tuple[Score, Found]:
        leaves = -(-self._count // LEAF)
        scores = hard_scores(query, self._keys[:, :leaves].reshape(len(query), -1))
        best = scores.max()
        return best, np.unique(self._numbers[:leaves].reshape(-1)[scores == best])

    def _descend(self, search: "_Search", query: Array, filling: list[int]) -> None:
        full = sum(size for size in self._blocks if size >= BOUGH) if self._leaves > FLAT else 0
        if full < self._leaves:
            above, middle = bounds(self._leaf_frames[:, :, full : self._leaves] if full else self._leaf_frames, query)
            rest = self._leaves - full
            self._visit(search, full, (above[:rest], middle[:rest]), filling)
        elif filling:
            search.visit(filling)
        if not full:
            return
        above, _ = bounds(self._bough_frames[:, :, : full // BOUGH], query)
        above += self._rounding.least
        rows = (above >= search.floor).nonzero()[0]
        while rows.size:
            if rows.size > 2:
                rows = rows[above[rows].argpartition(-2)[-2:]]
            leaves = (rows[:, None] * BOUGH + np.arange(BOUGH)).reshape(-1)
            self._visit(search, leaves, bounds(self._leaf_frames.take(leaves, axis=2), query), [])
            above[rows] = -np.inf
            rows = (above >= search.floor).nonzero()[0]

    def _visit(self, search: "_Search", leaves: Array | int, bounded: tuple[Array, Array], also: list[int]) -> None:
        """Score the leaves whose bounds are not below the best score: some leaves, or those from a number on.

        First come those that are above the score at any centre, since most likely a key has about that score; others
        follow in growing batches.
        """
        above, middle = bounded
        above += self._rounding.least
        batch = BATCH
        rows = (above >= max(search.floor, middle.item(middle.argmax()))).nonzero()[0]
        if not rows.size or rows.size > batch:
            rows = np.array([above.argmax()])
            if above[rows] < search.floor:
                rows = rows[:0]
        while rows.size or also:
            chosen = (rows + leaves if isinstance(leaves, int) else leaves[rows]).tolist()
            search.visit(chosen + also)
            also = []
            above[rows] = -np.inf
            rows = (above >= search.floor).nonzero()[0]
            batch *= BATCH
            if rows.size > batch:
                rows = rows[above[rows].argpartition(-batch)[-batch:]]


class _Search:
    """The highest score that was seen so far, and where."""

    def __init__(self, query: Array, keys: Array, numbers: Array) -> None:
        self._query = query
        self._keys = keys
        self._numbers = numbers
        self._best: Score | None = None
        self._found: list[Found] = []
        self.floor = -np.inf
        """Leaves bounded below this hold no key of the highest score."""

    def visit(self, leaves: list[int]) -> None:
        """Score the keys of some leaves."""
        scores = accumulated(self._query, self._keys.take(leaves, axis=1).reshape(len(self._query), -1))
        at = int(scores.argmax())
        top = scores.item(at)
        if self._best is None or top > self._best:
            self._best, self._found = top, []
            # a float64 holds every score of floats, but not every integer
            self.floor = top if isinstance(top, float) else float(np.nextafter(float(top), -np.inf))
        elif top < self._best:
            return
        hits = scores == top
        if np.count_nonzero(hits) == 1:
            leaf, slot = divmod(at, LEAF)
            self._found.append(self._numbers.item(leaves[leaf], slot))
        else:
            self._found.append(self._numbers.take(leaves, axis=0).reshape(-1)[hits])

    def found(self) -> tuple[Score, Found]:
        """The highest score and the numbers of the keys that have it, each once."""
        assert self._best is not None, "something was visited"
        if len(self._found) == 1 and isinstance(self._found[0], int):
            return self._best, self._found[0]
        return self._best, np.unique(np.concatenate([np.atleast_1d(numbers) for numbers in self._found]))
