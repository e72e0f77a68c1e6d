"""Which cut is tried: of the ways that `splits` offers, the cheap ones first.

Counts narrow classes most where a head averages; letters at single positions, where it looks at few; slices along the
gradient of the margin, everywhere.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np

from capax.auditor.bounds.class_nodes import ClassNode
from capax.auditor.bounds.oracle import WordClasses, support
from capax.auditor.bounds.splits import Splitter

Open: TypeAlias = list[tuple[float, int, ClassNode]]
"""Classes that are not proved: bound, order of arrival, class."""

SHARP: Final = 0.8
"""A position is cut before a slice if the mean extent of the children is below this share of the parent's."""

STEP: Final = 0.5
"""A slice is cut by a position only if a letter moves the stream at least by this share of the slice."""


class CutChoices(ABC):
    """The ways to cut a class, in the order in which they are tried."""

    def __init__(self, splitter: Splitter) -> None:
        self.split, self.query = splitter, splitter.query

    @abstractmethod
    def _open(self, nodes: Sequence[ClassNode], exact: bool = False) -> Open:
        """The nodes, evaluated, that are not proved."""

    @abstractmethod
    def _classes(self, nodes: Sequence[ClassNode]) -> WordClasses:
        """Nodes of the same paths as classes for the oracle."""

    def _likely(self, node: ClassNode) -> list[ClassNode]:
        """The children of a node by the letter at a position if that narrows them much, else by slices.

        A slice that did not help much is cut by a position, too, if one letter moves the stream as far as the slice.
        """
        if node.slice is not None:
            if _helped(node) or self.split.largest_step(node) < STEP * self.split.effects(node, node.slice).max():
                return self.split.by_slice(node)
            return self.split.by_position(node)
        children = self.split.by_position(node)
        enough = SHARP ** np.log2(max(len(children), 2))  # as much as two children each
        return children if self._narrowed(node, children) < enough else self.split.by_slice(node)

    def _narrowed(self, node: ClassNode, children: Sequence[ClassNode]) -> float:
        """The mean extent of children along the gradient of their parent's worst margin, as a share of the parent's."""
        assert node.direction is not None
        rows = np.stack([node.direction, -node.direction] * (len(children) + 1))
        of = np.repeat(np.arange(len(children) + 1), 2)
        ends = support(self.query, self._classes([node, *children]), of, rows).reshape(-1, 2).sum(axis=1)
        ends = np.where(np.isneginf(ends), 0.0, ends)
        return float(ends[1:].mean() / ends[0]) if ends[0] > 0 else 0.0

    def _ways(self, node: ClassNode) -> Iterator[list[ClassNode]]:
        """Ways to cut a node, cheap ones first; counts that need more states only if some of them would help.

        Which of a letter and a slice is better is seen in the classes that they leave, and the children follow.
        """
        labels = [] if node.counted else list(self.split.labels(node))
        for one in labels:
            yield self.split.by_count(node, one, sorting=True)
        likely = self._likely(node)
        yield likely
        if node.slice is None:
            yield self.split.by_slice(node) if likely[0].cut == "position" else self.split.by_position(node)
        for one in labels:
            children = self.split.by_count(node, one, sorting=False)
            few = children[:: max(1, len(children) // 6)]
            if len(children) > 1 and (len(few) == len(children) or len(self._open(few)) <= len(few) / 2):
                yield children


def _helped(node: ClassNode) -> bool:
    """Whether the last cut took a third of what its class was short of a tenth of the margin that was seen."""
    goal = 0.1 * max(node.margin, 0.0)
    return goal - node.bound <= 0.7 * (goal - node.before)
