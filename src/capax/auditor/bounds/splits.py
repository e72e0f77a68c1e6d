"""Ways to cut a class of words into smaller ones: by counts, by the letter at a position, by slices of the outputs.

The children of each cut cover the class, so the least of their bounds is a bound for it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from capax.auditor.bounds.oracle import WordClasses, support
from capax.auditor.bounds.paths import CountPaths, Paths, count_paths, state_paths
from capax.auditor.bounds.tables import AnswerQuery
from capax.auditor.spec import SpecStates
from capax.model.parts import Array

SAMPLES: Final = 64
"""Words of a class that its shape is estimated from."""


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The words of a class with p . y in an interval; `shares` proposes multipliers (see `oracle.Slices`)."""

    direction: Array
    low: float
    high: float
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
    rounding: float = 0.0
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
        return children

    def by_slice(self, node: ClassNode) -> list[ClassNode]:
        """Two halves along the gradient of the worst margin, or along the direction of the slice that it is."""
        assert node.direction is not None
        low, high = self.extent(node)
        p = node.direction if node.slice is None else node.slice.direction
        shares = self._shares(node, p) if node.slice is None else node.slice.shares
        middle = (low + high) / 2
        halves = ((low, middle), (middle, high))
        return [_child(node, slice=Slice(p, *ends, shares), cut="slice") for ends in halves]

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

    def extent(self, node: ClassNode) -> tuple[float, float]:
        """The ends of p . y in a class, along its slice or the gradient of its worst margin."""
        if node.slice is not None:
            return node.slice.low, node.slice.high
        assert node.direction is not None
        classes = WordClasses(node.paths, node.letters[None], node.goal[None])
        ends = support(self.query, classes, np.zeros(2, np.int64), np.stack([node.direction, -node.direction]))
        return -float(ends[1]), float(ends[0])

    def influence(self, node: ClassNode) -> Array:
        """How much the letter at each position (N,) can move the worst margin."""
        push = self._pushes(node)
        high = np.where(node.letters, push, -np.inf).max(axis=1, initial=-np.inf)
        return np.asarray(high - np.where(node.letters, push, np.inf).min(axis=1, initial=np.inf))

    def _pushes(self, node: ClassNode) -> Array:
        """How much each letter at each position (N, alphabet) moves the worst margin."""
        assert node.direction is not None
        assert node.middle is not None
        total, start = np.zeros((self.size, self.alphabet)), 0
        for head in self.query.heads:
            k = head.value.shape[2]
            p, y = node.direction[start : start + k], node.middle[start : start + k]
            least = head.constant_weight + np.where(node.letters, head.weight, np.inf).min(axis=1).sum()
            total += head.weight * ((head.value - y) @ p) / max(least, 1e-300)
            start += k
        return total

    def _shares(self, node: ClassNode, p: Array) -> Array:
        """The regression of u . y on p . y as a vector (m,), estimated from words of the class."""
        gains = self._random.standard_normal((self.size, self.alphabet, SAMPLES))
        gains = np.where(node.letters[..., None], gains, -np.inf)
        words = node.paths.words(gains, np.repeat(node.goal[None], SAMPLES, axis=0))
        y = self.query.outputs(words)
        y = y - y.mean(axis=0)
        along = y @ p
        return np.asarray(along @ y / max(float(along @ along), 1e-300))


def _child(node: ClassNode, **changes: Any) -> ClassNode:
    """A class inside another one, whose bound holds for it too."""
    return replace(node, before=node.bound, **changes)
