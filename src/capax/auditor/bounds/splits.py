"""Ways to cut a class of words into smaller ones: by counts, by the letter at a position, by slices of the outputs.

The children of each cut cover the class, so the least of their bounds is a bound for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from capax.auditor.bounds.oracle import Slices, WordClasses, support
from capax.auditor.bounds.paths import CountPaths, Paths, count_paths, state_paths
from capax.auditor.bounds.tables import AnswerQuery
from capax.auditor.spec import SpecStates
from capax.model.parts import Array

SAMPLES: Final = 64
"""Words of a class that its shape is estimated from."""

MOST_DIRECTIONS: Final = 3
"""Directions along which a class is sliced."""


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The words of a class with p . y in intervals (D,) along directions (D, m).

    `shares` (D, m) proposes multipliers (see `oracle.Slices`).
    """

    direction: Array
    low: Array
    high: Array
    shares: Array


@dataclass(frozen=True, slots=True, eq=False)
class ClassNode:
    """A class: its paths, letters (N, alphabet), goal states, the number of its answer, and what is known of it."""

    paths: Paths
    letters: Array
    goal: Array
    answer: int
    counted: bool = False
    slice: Slice | None = None
    bound: float = -np.inf
    rounding: float = np.inf
    """Infinite as long as it was not computed, for the class or one that it is a part of."""
    margin: float = np.inf
    """Of the word that its forms expect to be the worst."""
    before: float = -np.inf
    """The bound of its parent."""
    direction: Array | None = None
    """The linear part (m,) of the worst margin."""
    middle: Array | None = None
    """The middle (m,) of the outputs."""
    cut: str = ""
    """How its parent was cut."""

    @property
    def free(self) -> Array:
        """The positions (N,) where several letters may stand."""
        return np.asarray(self.letters.sum(axis=1) > 1)


class Splitter:
    """Cuts the classes of one query."""

    def __init__(self, query: AnswerQuery, states: SpecStates, layer: int) -> None:
        self.query, self.states, self.layer = query, states, layer
        self.size = len(query.heads[0].weight) if query.heads else layer
        self.alphabet = states.step.shape[1]
        self._paths: dict[tuple[bytes, bool], Paths | None] = {}
        self._random = np.random.default_rng(0)

    def by_position(self, node: ClassNode) -> list[ClassNode]:
        """One child for each letter at the free position that moves the worst margin most."""
        at = int(np.where(node.free, self.influence(node), -1.0).argmax())
        children = []
        for a in np.flatnonzero(node.letters[at]):
            letters = node.letters.copy()
            letters[at] = np.arange(self.alphabet) == a
            children.append(_child(node, letters=letters, cut="position"))
        return children if node.slice is None else [y for x in children if (y := self._tightened(x)) is not None]

    def _tightened(self, node: ClassNode) -> ClassNode | None:
        """A class with its slice no wider than the outputs of its words; None if no word is in the slice."""
        assert node.slice is not None
        p = node.slice.direction
        classes = WordClasses(node.paths, node.letters[None], node.goal[None])
        ends = support(self.query, classes, np.zeros(2 * len(p), np.int64), np.concatenate([-p, p]))
        low, high = np.maximum(node.slice.low, -ends[: len(p)]), np.minimum(node.slice.high, ends[len(p) :])
        if (low > high).any():
            return None
        return replace(node, slice=Slice(p, low, high, self._shares(node, p)))

    def by_slice(self, node: ClassNode) -> list[ClassNode]:
        """Two halves along the gradient of the worst margin; in a slice, along the direction that matters most."""
        assert node.direction is not None
        if node.slice is None:
            slice_ = self._with_direction(node, node.direction)
            return self._halves(node, slice_, 0)
        effects = self.effects(node, node.slice)
        if len(effects) < MOST_DIRECTIONS:
            wide = self._with_direction(node, self._other_direction(node, node.slice.direction))
            more = self.effects(node, wide)
            if more[-1] > effects.max():
                return self._halves(node, wide, len(more) - 1)
        return self._halves(node, node.slice, int(effects.argmax()))

    def effects(self, node: ClassNode, slice_: Slice) -> Array:
        """How far (D,) the stream can move along each direction of a slice, as the words of the class do."""
        return np.asarray((slice_.high - slice_.low) * np.linalg.norm(slice_.shares @ self.query.output, axis=1))

    def largest_step(self, node: ClassNode) -> float:
        """How far one letter can move the stream, about."""
        steps, start = np.zeros((self.size, self.alphabet, self.query.output.shape[1])), 0
        for head, weight in zip(self.query.heads, self._shares_of_keys(node), strict=True):
            k = head.value.shape[2]
            away = head.value - self._middle(node)[start : start + k]
            steps += (weight[..., None] * away) @ self.query.output[start : start + k]
            start += k
        high = np.where(node.letters[..., None], steps, -np.inf).max(axis=1)
        low = np.where(node.letters[..., None], steps, np.inf).min(axis=1)
        return float(np.linalg.norm(np.where(node.free[:, None], high - low, 0.0), axis=1).max(initial=0.0))

    def _halves(self, node: ClassNode, slice_: Slice, at: int) -> list[ClassNode]:
        middle = (slice_.low[at] + slice_.high[at]) / 2
        low, high = slice_.low.copy(), slice_.high.copy()
        low[at] = high[at] = middle
        halves = replace(slice_, high=high), replace(slice_, low=low)
        return [_child(node, slice=one, cut="slice") for one in halves]

    def _with_direction(self, node: ClassNode, p: Array) -> Slice:
        """The slice of a class with another direction, along which it is not cut yet."""
        low, high = self.extent(node, p)
        before = node.slice
        if before is None:
            directions, lows, highs = p[None], np.array([low]), np.array([high])
        else:
            directions = np.concatenate([before.direction, p[None]])
            lows, highs = np.append(before.low, low), np.append(before.high, high)
        return Slice(directions, lows, highs, self._shares(node, directions))

    def by_count(self, node: ClassNode, labels: Array, *, sorting: bool) -> list[ClassNode]:
        """One child for each number of labelled letters; none where the paths would not be of the kind asked for."""
        key = (labels.tobytes(), sorting)
        if key not in self._paths:
            maker = count_paths if sorting else state_paths
            self._paths[key] = maker(self.states, self.size, self.layer, labels)
        paths = self._paths[key]
        if paths is None:
            return []
        goals = np.isin(paths.state, node.paths.state[node.goal])
        if isinstance(node.paths, CountPaths) or node.counted:
            return []
        counts = np.unique(paths.count[goals])
        return [_child(node, paths=paths, goal=goals & (paths.count == k), counted=True, cut="count") for k in counts]

    def labels(self, node: ClassNode) -> Iterator[Array]:
        """Labels (N, alphabet) that may be worth counting: each letter, then what pushes the margin up."""
        push = self._pushes(node)
        middle = (push.max(axis=1, keepdims=True) + push.min(axis=1, keepdims=True)) / 2
        every = range(self.alphabet) if self.alphabet > 2 else range(1, 2)
        labels = [np.tile((np.arange(self.alphabet) == a).astype(np.int64), (self.size, 1)) for a in every]
        seen: set[bytes] = set()
        for one in (*labels, np.where(push > middle, 1, 0)):
            if one.tobytes() not in seen and (1 - one).tobytes() not in seen:
                seen.add(one.tobytes())
                yield one

    def extent(self, node: ClassNode, p: Array) -> tuple[float, float]:
        """The ends of p . y in a class."""
        classes = WordClasses(node.paths, node.letters[None], node.goal[None], stacked([node.slice]))
        ends = support(self.query, classes, np.zeros(2, np.int64), np.stack([p, -p]))
        low, high = -float(ends[1]), float(ends[0])
        return (low, high) if low <= high else (low, low)  # no word is in the slice

    def influence(self, node: ClassNode) -> Array:
        """How much the letter at each position (N,) can move the worst margin."""
        push = self._pushes(node)
        high = np.where(node.letters, push, -np.inf).max(axis=1, initial=-np.inf)
        return np.asarray(high - np.where(node.letters, push, np.inf).min(axis=1, initial=np.inf))

    def _middle(self, node: ClassNode) -> Array:
        assert node.middle is not None
        return node.middle

    def _shares_of_keys(self, node: ClassNode) -> Iterator[Array]:
        """For each head the greatest shares (N, alphabet) that keys can have, about."""
        for head in self.query.heads:
            least = head.constant_weight + np.where(node.letters, head.weight, np.inf).min(axis=1).sum()
            yield head.weight / max(least, 1e-300)

    def _pushes(self, node: ClassNode) -> Array:
        """How much each letter at each position (N, alphabet) moves the worst margin."""
        assert node.direction is not None
        total, start = np.zeros((self.size, self.alphabet)), 0
        for head, share in zip(self.query.heads, self._shares_of_keys(node), strict=True):
            k = head.value.shape[2]
            p, y = node.direction[start : start + k], self._middle(node)[start : start + k]
            total += share * ((head.value - y) @ p)
            start += k
        return total

    def _samples(self, node: ClassNode) -> Array:
        """The outputs (words, m) on words of a class in which letters are rare or frequent, minus their mean."""
        shape = (self.size, self.alphabet, SAMPLES)
        gains = self._random.standard_normal(shape) + 1.5 * self._random.standard_normal(shape[1:])
        gains = np.where(node.letters[..., None], gains, -np.inf)
        words = node.paths.words(gains, np.repeat(node.goal[None], SAMPLES, axis=0))
        y = self.query.outputs(words)
        return np.asarray(y - y.mean(axis=0))

    def _shares(self, node: ClassNode, directions: Array) -> Array:
        """The regression of u . y on p . y for directions p (D, m), as vectors (D, m), from words of the class."""
        y = self._samples(node)
        return np.asarray(np.linalg.lstsq(y @ directions.T, y, rcond=1e-12)[0])

    def _other_direction(self, node: ClassNode, directions: Array) -> Array:
        """The direction (m,) in which words move the stream most, apart from what directions (D, m) explain."""
        y = self._samples(node)
        along = y @ directions.T
        rest = y - along @ np.linalg.lstsq(along, y, rcond=1e-12)[0]
        main = np.linalg.svd(rest @ self.query.output, full_matrices=False)[2][0]
        return np.asarray(self.query.output @ main)


def stacked(slices: Sequence[Slice | None]) -> Slices | None:
    """The slices of classes together, filled up to as many directions; None if there are none."""
    some = [x for x in slices if x is not None]
    if not some:
        return None
    most = max(len(x.low) for x in some)

    def filled(array: Array) -> Array:
        return np.concatenate([array, np.zeros((most - len(array), *array.shape[1:]))])

    parts = (np.stack([filled(getattr(x, name)) for x in some]) for name in ("direction", "low", "high", "shares"))
    return Slices(*parts)


def _child(node: ClassNode, **changes: Any) -> ClassNode:
    """A class inside another one, whose bound holds for it too."""
    return replace(node, before=node.bound, **changes)
