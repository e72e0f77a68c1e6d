"""Many inputs at little cost: some assignments of two groups of positions, and all their pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.limits.witnesses.search.additive import Additive
from capax.model.parts import Array


@dataclass(frozen=True)
class SampledGroup:
    """Assignments (count, positions) of a group of positions, and their hashes (count, 2)."""

    positions: tuple[int, ...]
    rows: Array
    hashes: Array


def sampled_group(
    additive: Additive, hashes: Array, positions: Sequence[int], most: int, random: np.random.Generator
) -> SampledGroup:
    """All assignments of some positions, or `most` random ones that differ."""
    chosen = tuple(positions)
    if additive.choices ** len(chosen) <= most:
        rows = every(len(chosen), additive.choices)
    else:
        drawn = random.integers(0, additive.choices, (most + most // 4 + 4, len(chosen)), dtype=np.int64)
        rows = np.unique(drawn, axis=0)
        rows = rows[random.permutation(len(rows))[:most]]
    total = np.zeros((len(rows), 2), np.uint64)
    for column, position in enumerate(chosen):
        total += hashes[position][rows[:, column]]
    return SampledGroup(chosen, rows, total)


def every(positions: int, choices: int) -> Array:
    """All assignments (choices^positions, positions)."""
    index = np.arange(choices**positions)
    powers = choices ** np.arange(positions - 1, -1, -1)
    return np.asarray(index[:, None] // powers % choices)


@dataclass(frozen=True)
class SampledPairs:
    """All pairs of assignments of two groups: `positions`, and the hashes (count, 2) in the order of the pairs."""

    one: SampledGroup
    two: SampledGroup

    @property
    def count(self) -> int:
        """The number of pairs."""
        return len(self.one.rows) * len(self.two.rows)

    def hashes(self, column: int) -> Array:
        """One of the two hashes of every pair."""
        return np.asarray((self.one.hashes[:, None, column] + self.two.hashes[None, :, column]).reshape(-1))

    def fill(self, index: int, into: Array) -> None:
        """Writes the assignment of a pair to its positions."""
        first, second = divmod(index, len(self.two.rows))
        into[list(self.one.positions)] = self.one.rows[first]
        into[list(self.two.positions)] = self.two.rows[second]


def pairs(
    additive: Additive, hashes: Array, positions: Sequence[int], most: int, random: np.random.Generator
) -> SampledPairs:
    """About `most` inputs of some positions (all, if there are no more), as pairs of assignments of two halves."""
    half = len(positions) // 2
    root = 1 << (max(2, most).bit_length() // 2)
    one = sampled_group(additive, hashes, positions[:half], root, random)
    two = sampled_group(additive, hashes, positions[half:], max(1, most // len(one.rows)), random)
    return SampledPairs(one, two)
