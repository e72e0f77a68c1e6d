"""Branch and bound over classes of words: a class whose bound is too low is cut into smaller ones, the worst first.

The first classes are the states of the specification. Every word that the optimiser returns is evaluated: a margin of
0 or less refutes. Which cut is taken is decided by trying: the one that leaves the smallest share of children open.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count as counter
from typing import Final, TypeAlias

import numpy as np

from capax.auditor.bounds.choices.cut_choices import CutChoices, Open
from capax.auditor.bounds.class_bound import ClassBounds, Demands, evaluate
from capax.auditor.bounds.class_nodes import ClassNode, stacked
from capax.auditor.bounds.oracle import WordClasses, extreme_words
from capax.auditor.bounds.paths import state_paths
from capax.auditor.bounds.ranges import basis_of
from capax.auditor.bounds.splits import Splitter
from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.parts import Array

FLOOR: Final = 1e-9
"""A class is proved if its bound exceeds the rounding by more than this, which covers the audit's own arithmetic."""

BATCH: Final = 64
"""Classes that are evaluated at once."""

HOPE: Final = 20.0
"""Exact ranges are tried where boxes miss by less than this many margins; wider classes are cut at once."""

TOGETHER: Final = 16
"""Open classes that are cut at once."""


@dataclass(slots=True)
class Findings:
    """What a search over classes has found: the least margin seen with its word, words that fail, nodes looked at."""

    margin: float = np.inf
    word: Array | None = None
    position: int = 0
    failing: list[tuple[int, Array, float]] = field(default_factory=list)
    nodes: int = 0
    proved: bool = True
    bound: float = np.inf
    rounding: float = 0.0

    def give_up(self) -> None:
        """Takes note that some class was not looked at: nothing is known of it."""
        self.proved, self.bound, self.rounding = False, -np.inf, 0.0

    def closed(self, bound: float, rounding: float) -> None:
        """Takes note of a class and its bound: the one with the least difference is kept."""
        if bound - rounding < self.bound - self.rounding:
            self.bound, self.rounding = bound, rounding


RoundingFunction: TypeAlias = Callable[[ClassBounds, Demands, Array], Array]
"""The most (selected,) by which rounding changes a margin, for the selected classes of an evaluation."""


class Search(CutChoices):
    """The search over the classes of one query."""

    def __init__(
        self,
        splitter: Splitter,
        demands: Demands,
        rounding: RoundingFunction,
        findings: Findings,
        used: Callable[[], float],
    ) -> None:
        super().__init__(splitter)
        self.demands, self.rounding, self.findings, self.used = demands, rounding, findings, used
        self.basis = basis_of(self.query)
        self.order = counter()

    def run(self, roots: Sequence[ClassNode]) -> None:
        """Searches until every class is proved, a word fails, or the time is used; the findings are updated."""
        heap = self._open(roots)
        heapq.heapify(heap)
        if heap and not self._over():
            self._look_around([node for _, _, node in heap])
        stuck: Open = []
        while heap and not self._over():
            batch = [heapq.heappop(heap) for _ in range(min(TOGETHER, len(heap)))]
            children, rest = self._cut([node for _, _, node in batch])
            if self._over():  # the children may not have been looked at
                heap += batch
                break
            stuck += [item for item in batch if item[2] in rest]
            for child in children:
                heapq.heappush(heap, child)
        for _, _, node in heap + stuck:
            self.findings.proved = False
            self.findings.closed(node.bound, node.rounding if np.isfinite(node.rounding) else 0.0)

    def _look_around(self, nodes: Sequence[ClassNode]) -> None:
        """Evaluates the extreme words of open classes along every direction of the basis, for words that fail."""
        classes = self._classes(nodes)
        rows = np.concatenate([self.basis.directions, -self.basis.directions])
        of = np.repeat(np.arange(len(nodes)), len(rows))
        words = extreme_words(self.query, classes, of, np.tile(rows, (len(nodes), 1)))
        demands = self.demands.select(np.array([node.answer for node in nodes])[of])
        self._note(words, demands.margins(self.query.logits(words)))

    def _over(self) -> bool:
        return bool(self.findings.failing) or self.used() >= 1

    def _open(self, nodes: Sequence[ClassNode], exact: bool = False) -> Open:
        """The nodes, evaluated, that are not proved: first by boxes, then with exact ranges."""
        open_ = []
        for node in self._evaluated(nodes, exact):
            if node.bound > node.rounding + FLOOR:
                self.findings.closed(node.bound, node.rounding)
            else:
                open_.append(node)
        if not exact and not self._over():
            hopeful = [node for node in open_ if node.bound > -HOPE * max(1.0, abs(node.margin))]
            if hopeful:
                rest = [node for node in open_ if not node.bound > -HOPE * max(1.0, abs(node.margin))]
                return self._open(hopeful, exact=True) + [(node.bound, next(self.order), node) for node in rest]
        result = [(node.bound, next(self.order), node) for node in open_]
        return result

    def _classes(self, nodes: Sequence[ClassNode]) -> WordClasses:
        slices = stacked([node.slice for node in nodes])
        letters, goals = np.stack([node.letters for node in nodes]), np.stack([node.goal for node in nodes])
        return WordClasses(nodes[0].paths, letters, goals, slices)

    def _evaluated(self, nodes: Sequence[ClassNode], exact: bool) -> Iterator[ClassNode]:
        """The nodes with their bounds; classes without words are left out. All have the same paths.

        What is left when the search is over is given back as it is.
        """
        for start in range(0, len(nodes), BATCH):
            part = nodes[start : start + BATCH]
            if start and self._over():
                yield from part
                continue
            demands = self.demands.select(np.array([node.answer for node in part]))
            result = evaluate(self.query, self._classes(part), demands, self.basis, exact=exact)
            self.findings.nodes += len(part)
            self._note(result.words, result.margins)
            # The bound and the rounding of the parent hold for a child, too; what is not computed is unlimited.
            bound = np.maximum(result.bound, [node.bound for node in part])
            rounding, near = np.array([node.rounding for node in part]), np.flatnonzero(bound > FLOOR)
            if len(near):
                rounding[near] = np.fmin(rounding[near], self.rounding(result, demands, near))
            for k in np.flatnonzero(~result.empty).tolist():
                yield replace(
                    part[k],
                    bound=float(bound[k]),
                    rounding=float(rounding[k]),
                    margin=float(result.margins[k]),
                    direction=result.direction[k],
                    middle=result.ranges.middle[k],
                )

    def _note(self, words: Array, margins: Array) -> None:
        """Keeps the worst words."""
        found = self.findings
        worst = int(margins.argmin())
        if margins[worst] < found.margin:
            found.margin, found.word = float(margins[worst]), words[worst].copy()
            found.position = self.query.position
        for k in np.argsort(margins)[:8]:
            if margins[k] <= 0:
                found.failing.append((self.query.position, words[k].copy(), float(margins[k])))

    def _cut(self, nodes: Sequence[ClassNode]) -> tuple[Open, list[ClassNode]]:
        """The open children of nodes, and those nodes that cannot be cut: single words."""
        children: list[ClassNode] = []
        single, result = [], []
        for node in nodes:
            if not node.free.any():
                single.append(node)
            elif node.cut in ("position", "slice"):
                children += self._likely(node)
            else:
                result += self._best(node)
        for group in _groups(children):
            result += self._open(group, exact=group[0].slice is not None)
        return result, single

    def _best(self, node: ClassNode) -> Open:
        """The open children of a node by the cut that leaves the smallest share of them open; of equals, the higher."""
        best: Open | None = None
        rank = (np.inf, np.inf)
        for children in self._ways(node):
            if len(children) < 2:
                continue
            result = self._open(children, exact=children[0].slice is not None)
            if self._over() or not result:
                return result
            new = (len(result) / len(children), -min(bound for bound, _, _ in result))
            if new < rank:
                best, rank = result, new
            if rank[0] <= 0.5:
                break
        return [(node.bound, next(self.order), replace(node, cut="position"))] if best is None else best


def _groups(nodes: Sequence[ClassNode]) -> Iterator[list[ClassNode]]:
    """Nodes that can be evaluated together: of the same paths, with slices or without."""
    groups: dict[tuple[int, bool], list[ClassNode]] = {}
    for node in nodes:
        groups.setdefault((id(node.paths), node.slice is None), []).append(node)
    yield from groups.values()


def roots(splitter: Splitter, allowed: Array) -> list[ClassNode]:
    """One class for each state that words can be in at the answer; `allowed` (states,) are those asked about."""
    states: SpecStates = splitter.states
    paths = state_paths(states, splitter.size, splitter.layer)
    letters = np.ones((splitter.size, splitter.alphabet), bool)
    query = splitter.query
    if query.letter is not None and query.position < splitter.size:
        letters[query.position] = np.arange(splitter.alphabet) == query.letter
    goals = np.eye(len(paths.state), dtype=bool)
    reached = [k for k, s in enumerate(paths.state) if allowed[s] and states.answer[s] != NOWHERE]
    return [ClassNode(paths, letters, goals[k], int(states.answer[paths.state[k]])) for k in reached]
