"""Ways to cut a class of words into smaller ones: by counts, by the letter at a position, by slices of the outputs.

The children of each cut cover the class, so the least of their bounds is a bound for it.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from capax.auditor.bounds.choices.guidance import Guidance
from capax.auditor.bounds.class_nodes import ClassNode, Slice, stacked
from capax.auditor.bounds.oracle import WordClasses, support
from capax.auditor.bounds.paths import CountPaths, Paths, count_paths, state_paths
from capax.auditor.bounds.tables import AnswerQuery
from capax.auditor.spec import SpecStates
from capax.model.parts import Array

MOST_DIRECTIONS: Final = 3
"""Directions along which a class is sliced."""


class Splitter(Guidance):
    """Cuts the classes of one query."""

    def __init__(self, query: AnswerQuery, states: SpecStates, layer: int) -> None:
        super().__init__(query, len(query.heads[0].weight) if query.heads else layer, states.step.shape[1])
        self.states, self.layer = states, layer
        self._paths: dict[tuple[bytes, bool], Paths | None] = {}

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

    def extent(self, node: ClassNode, p: Array) -> tuple[float, float]:
        """The ends of p . y in a class."""
        classes = WordClasses(node.paths, node.letters[None], node.goal[None], stacked([node.slice]))
        ends = support(self.query, classes, np.zeros(2, np.int64), np.stack([p, -p]))
        low, high = -float(ends[1]), float(ends[0])
        return (low, high) if low <= high else (low, low)  # no word is in the slice


def _child(node: ClassNode, **changes: Any) -> ClassNode:
    """A class inside another one, whose bound holds for it too."""
    return replace(node, before=node.bound, **changes)
