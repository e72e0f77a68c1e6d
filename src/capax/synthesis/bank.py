"""The bank: one s-op or selector for each behaviour on the sample, with pointers back to what it is made of.

Entries come in the order of their sizes. A new one is kept if no entry has the same values with at most as many
sublayers before it (and, where heads are limited, with the same heads or none). So whatever a program computes on the
sample, the bank has an entry that does the same and is at most as large and as deep.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, TypeAlias

import numpy as np

from capax.synthesis.grammar import ValueKind
from capax.synthesis.rows import HashSet, first_of_each, hashes

Array: TypeAlias = Any
NEVER: Final = 255
"""In place of a sublayer: the order has none for it."""


class SearchStep(IntEnum):
    """What an entry does with its parts."""

    LEAF = 0
    ADD = 1
    SUBTRACT = 2
    TIMES = 3
    MOD = 4
    INDICATOR = 5
    EQUAL = 6
    UNEQUAL = 7
    LESS = 8
    AT_MOST = 9
    BOTH = 10
    EITHER = 11
    NEGATE = 12
    WHERE = 13
    RECIPROCAL = 14
    ROUNDED = 15
    AGGREGATE = 16
    WIDTH = 17
    SELECT_EQ = 20
    SELECT_NE = 21
    SELECT_LT = 22
    SELECT_LE = 23
    SELECT_GT = 24
    SELECT_GE = 25
    SELECT_AND = 26
    SELECT_OR = 27
    SELECT_NOT = 28
    BEST = 29


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Entries that may be new: rows (entries, positions), their steps and parts (entries,); `kind` None for selectors.

    `at` is how many sublayers of the order they need, `heads` the sets of heads.
    """

    kind: ValueKind | None
    rows: Array
    step: Array
    parts: Array
    """The parts (entries, 3): numbers of entries, or for a default its number."""
    at: int
    heads: Array

    def chosen(self, which: Array) -> "Candidates":
        """Those of the candidates that an index or a mask chooses."""
        return Candidates(self.kind, self.rows[which], self.step[which], self.parts[which], self.at, self.heads[which])


@dataclass(frozen=True, slots=True)
class Group:
    """The numbers of entries of one size, type and sublayer."""

    size: int
    at: int
    numbers: Array


@dataclass(eq=False)
class Entries:
    """All s-ops, or all selectors, of a bank: the columns, entry by entry."""

    rows: Array
    kinds: Array = field(default_factory=lambda: np.empty(0, np.int8))
    steps: Array = field(default_factory=lambda: np.empty(0, np.int8))
    parts: Array = field(default_factory=lambda: np.empty((0, 3), np.int32))
    sizes: Array = field(default_factory=lambda: np.empty(0, np.int8))
    ats: Array = field(default_factory=lambda: np.empty(0, np.uint8))
    heads: Array = field(default_factory=lambda: np.empty(0, np.int32))
    literal: Array = field(default_factory=lambda: np.empty(0, bool))

    def __len__(self) -> int:
        return len(self.rows)

    def append(self, size: int, blocks: list[Candidates], literal: bool = False) -> None:
        """Adds blocks of entries of a size."""
        count = sum(len(b.rows) for b in blocks)
        kinds = [np.full(len(b.rows), -1 if b.kind is None else b.kind, np.int8) for b in blocks]
        ats = [np.full(len(b.rows), b.at, np.uint8) for b in blocks]
        self.rows = np.concatenate([self.rows, *[b.rows for b in blocks]])
        self.kinds = np.concatenate([self.kinds, *kinds])
        self.steps = np.concatenate([self.steps, *[b.step.astype(np.int8) for b in blocks]])
        self.parts = np.concatenate([self.parts, *[b.parts.astype(np.int32) for b in blocks]])
        self.sizes = np.concatenate([self.sizes, np.full(count, size, np.int8)])
        self.ats = np.concatenate([self.ats, *ats])
        self.heads = np.concatenate([self.heads, *[b.heads.astype(np.int32) for b in blocks]])
        self.literal = np.concatenate([self.literal, np.full(count, literal)])


class ProgramBank:
    """S-ops and selectors by size, each behaviour once."""

    def __init__(self, positions: int) -> None:
        padded = -(-positions // 8) * 8
        self.positions = positions
        self.sops = Entries(np.empty((0, padded), np.int16))
        self.selectors = Entries(np.empty((0, padded), np.uint8))
        self.seen: dict[tuple[int, int], HashSet] = {}
        self.candidates = 0
        self._pending: dict[bool, list[Candidates]] = {True: [], False: []}

    def __len__(self) -> int:
        return len(self.sops) + len(self.selectors)

    def megabytes(self) -> float:
        """How much memory the rows, columns and hashes take."""
        row = self.sops.rows.shape[1]
        waiting = sum(len(b.rows) for blocks in self._pending.values() for b in blocks)
        size: int = len(self.sops) * (2 * row + 40) + len(self.selectors) * (row + 40) + waiting * (2 * row + 40)
        return size / 1e6

    def offer(self, block: Candidates) -> None:
        """Keeps the candidates whose behaviour is new, for the size that is under way."""
        self.candidates += len(block.rows)
        block.rows[:, self.positions :] = 0  # padding is no behaviour
        keys = hashes(block.rows)
        first = first_of_each(keys ^ _mixed(block.heads))
        block, keys = block.chosen(first), keys[first]
        kind = -1 if block.kind is None else int(block.kind)
        fresh = np.ones(len(keys), dtype=bool)
        with_heads = keys ^ _mixed(block.heads)
        for at in range(block.at + 1):
            earlier = self.seen.get((kind, at))
            if earlier is not None:
                fresh &= ~earlier.contains(keys)
                if block.heads.any():
                    fresh &= ~earlier.contains(with_heads)
        if fresh.any():
            self.seen.setdefault((kind, block.at), HashSet()).add(with_heads[fresh])
            self._pending[block.kind is None].append(block.chosen(fresh))

    def settle(self, size: int, literal: bool = False) -> None:
        """Makes what was kept the entries of a size."""
        for selectors, entries in ((False, self.sops), (True, self.selectors)):
            if self._pending[selectors]:
                entries.append(size, self._pending[selectors], literal)
            self._pending[selectors] = []

    def drop_pending(self) -> None:
        """Forgets what was kept for a size that is not completed."""
        self._pending = {True: [], False: []}

    def remember(self) -> None:
        """Makes the hashes of all entries known, after the entries were read from a file."""
        for entries in (self.sops, self.selectors):
            keys = hashes(entries.rows) ^ _mixed(entries.heads) if len(entries) else np.empty(0, np.uint64)
            for kind in np.unique(entries.kinds):
                for at in np.unique(entries.ats[entries.kinds == kind]):
                    chosen = (entries.kinds == kind) & (entries.ats == at)
                    self.seen.setdefault((int(kind), int(at)), HashSet()).add(np.unique(keys[chosen]))

    def groups(self, size: int, kind: ValueKind | None) -> Iterator[Group]:
        """The entries of a size and type (selectors for None), by their sublayers."""
        entries = self.selectors if kind is None else self.sops
        start, end = np.searchsorted(entries.sizes, [size, size + 1])
        inside = np.arange(start, end)
        if kind is not None:
            inside = inside[entries.kinds[inside] == int(kind)]
        for at in np.unique(entries.ats[inside]):
            yield Group(size, int(at), inside[entries.ats[inside] == at])


def _mixed(heads: Array) -> Array:
    """What a set of heads adds to a hash: nothing for none."""
    return heads.astype(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
