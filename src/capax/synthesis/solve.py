"""The goals of a search, cheapest first, each looked up in the bank: programs larger than all that were enumerated."""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from capax.synthesis.goals import MOVED, TESTS, Goal, peel, root_goal
from capax.synthesis.grammar import ValueKind
from capax.synthesis.grow import Ground
from capax.synthesis.sketch import ProgramSketch, sketch_of

Array: TypeAlias = Any
LARGEST_OPERAND: Final = 4
"""Steps with known operands of up to so many nodes are taken off."""
MOST_HITS: Final = 3
"""So many entries that meet one goal are looked at, the smallest."""


class Lookup:
    """Rows of bytes (rows, positions) in which those are found that are right everywhere."""

    def __init__(self, rows: Array, positions: int, numbers: Array, sizes: Array) -> None:
        self.rows, self.positions, self.numbers, self.sizes = rows, positions, numbers, sizes
        self.counts = np.stack([np.bincount(rows[:, p], minlength=256) for p in range(positions)])
        self._orders: dict[int, tuple[Array, Array]] = {}

    def right(self, table: Array, largest: int) -> Array:
        """The indices of the rows of at most a size that are right at every position, smallest first."""
        fitting = (self.counts * table[: self.positions]).sum(axis=1)
        order = np.argsort(fitting, kind="stable")
        if not fitting[order[0]]:
            return order[:0]
        some = self._at(int(order[0]), table[order[0]])
        some = some[self.sizes[some] <= largest]
        for p in order[1:]:
            if not len(some):
                break
            some = some[table[p][self.rows[some, p]]]
        return some[np.argsort(self.sizes[some], kind="stable")]

    def _at(self, position: int, right: Array) -> Array:
        """The rows with a right value at one position."""
        if position not in self._orders:
            column = self.rows[:, position]
            order = np.argsort(column, kind="stable").astype(np.int32)
            self._orders[position] = order, np.concatenate([[0], np.cumsum(self.counts[position])])
        order, ends = self._orders[position]
        values = np.flatnonzero(right & (self.counts[position] > 0))
        return np.concatenate([order[ends[v] : ends[v + 1]] for v in values])


@dataclass(frozen=True, slots=True)
class Hit:
    """A program that may be right, and whether it is for sure on the sample."""

    sketch: ProgramSketch
    size: int


class Solver:
    """Looks goals up in a bank; the look-up tables are made once."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.checked = 0
        sample, bank = ground.sample, ground.bank
        self._lookups: dict[ValueKind | None, Lookup] = {}
        for kind in (ValueKind.TOKEN, ValueKind.COUNT, ValueKind.TRUTH):
            numbers = np.flatnonzero(bank.sops.kinds == int(kind))
            rows = np.clip(bank.sops.rows[numbers] + MOVED, 0, 255).astype(np.uint8)
            self._lookups[kind] = Lookup(rows, sample.size, numbers, bank.sops.sizes[numbers])
        numbers = np.arange(len(bank.selectors))
        self._lookups[None] = Lookup(bank.selectors.rows, sample.size, numbers, bank.selectors.sizes)

    def hits(self, most_goals: int, largest: Callable[[], int], stop: Callable[[], bool]) -> Iterator[Hit]:
        """The programs that meet goals, cheapest goals first; of at most `largest()` nodes each."""
        root = root_goal(self.ground.sample)
        if root is None:
            return
        yield from self._share_hits(largest())
        seen: set[tuple[ValueKind | None, int]] = set()
        queue: list[tuple[int, int, Goal, int]] = [(1, 0, root, 0)]
        count = 0
        while queue and self.checked < most_goals and not stop():
            cost, _, goal, operand = heapq.heappop(queue)
            if cost >= largest():
                return
            if operand < LARGEST_OPERAND:
                count += 1
                heapq.heappush(queue, (goal.cost + 1 + operand + 1, count, goal, operand + 1))
            for child in peel(self.ground, goal, operand):
                key = (child.kind, hash(child.right[: self.ground.sample.size].tobytes()))
                if key in seen:
                    continue
                seen.add(key)
                self.checked += 1
                yield from self._met(child, largest())
                count += 1
                heapq.heappush(queue, (child.cost + 1, count, child, 0))

    def _share_hits(self, largest: int) -> Iterator[Hit]:
        """The comparisons of a share of the bank with a literal share that are right everywhere.

        Shares have no table of 256 values, so no goal asks for one.
        """
        sample, sops = self.ground.sample, self.ground.bank.sops
        if sample.kind is not ValueKind.TRUTH:
            return
        shares = np.flatnonzero(sops.kinds == int(ValueKind.SHARE))
        literals = shares[sops.literal[shares]]
        some = shares[~sops.literal[shares] & (sops.sizes[shares] + 2 <= largest)]
        for literal in literals.tolist():
            level, known = int(sops.rows[literal][0]), sketch_of(self.ground.bank, literal, selector=False)
            for step, first, test in TESTS:
                right = self._where_right(some, test, level)
                for number in right[np.argsort(sops.sizes[right], kind="stable")][:MOST_HITS].tolist():
                    part = sketch_of(self.ground.bank, number, selector=False)
                    sides = (part, known) if first else (known, part)
                    sketch = ProgramSketch(step, sides, kind=ValueKind.TRUTH)
                    yield Hit(sketch, sketch.size)

    def _where_right(self, numbers: Array, test: Callable[[Array, int], Array], level: int) -> Array:
        """The entries for which a comparison with a level is the answer at every position that has one."""
        sample, rows = self.ground.sample, self.ground.bank.sops.rows
        for p in np.flatnonzero(sample.stated):
            if not len(numbers):
                break
            numbers = numbers[test(rows[numbers, p], level) == (sample.target[p] != 0)]
        return numbers

    def _met(self, goal: Goal, largest: int) -> Iterator[Hit]:
        lookup = self._lookups[goal.kind]
        for index in lookup.right(goal.right, largest - goal.cost)[:MOST_HITS]:
            part = sketch_of(self.ground.bank, int(lookup.numbers[index]), selector=goal.kind is None)
            sketch = goal.wrap(part)
            yield Hit(sketch, sketch.size)
