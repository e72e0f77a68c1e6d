"""Many inputs at little cost: some assignments of two groups of places, and all their pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.limits.witnesses.search.additive import Additive
from capax.model.parts import Array


@dataclass(frozen=True)
class Part:
    """Assignments (count, places) of a group of places, and their hashes (count, 2)."""

    places: tuple[int, ...]
    rows: Array
    hashes: Array


def part(additive: Additive, hashes: Array, places: Sequence[int], most: int, random: np.random.Generator) -> Part:
    """All assignments of some places, or `most` random ones that differ."""
    chosen = tuple(places)
    if additive.choices ** len(chosen) <= most:
        rows = every(len(chosen), additive.choices)
    else:
        drawn = random.integers(0, additive.choices, (most + most // 4 + 4, len(chosen)), dtype=np.int64)
        rows = np.unique(drawn, axis=0)
        rows = rows[random.permutation(len(rows))[:most]]
    total = np.zeros((len(rows), 2), np.uint64)
    for column, place in enumerate(chosen):
        total += hashes[place][rows[:, column]]
    return Part(chosen, rows, total)


def every(places: int, choices: int) -> Array:
    """All assignments (choices^places, places)."""
    index = np.arange(choices**places)
    powers = choices ** np.arange(places - 1, -1, -1)
    return np.asarray(index[:, None] // powers % choices)


@dataclass(frozen=True)
class Pairs:
    """All pairs of assignments of two groups: `places`, and the hashes (count, 2) in the order of the pairs."""

    one: Part
    two: Part

    @property
    def count(self) -> int:
        """The number of pairs."""
        return len(self.one.rows) * len(self.two.rows)

    def hashes(self, column: int) -> Array:
        """One of the two hashes of every pair."""
        return np.asarray((self.one.hashes[:, None, column] + self.two.hashes[None, :, column]).reshape(-1))

    def fill(self, index: int, into: Array) -> None:
        """Writes the assignment of a pair to its places."""
        first, second = divmod(index, len(self.two.rows))
        into[list(self.one.places)] = self.one.rows[first]
        into[list(self.two.places)] = self.two.rows[second]


def pairs(additive: Additive, hashes: Array, places: Sequence[int], most: int, random: np.random.Generator) -> Pairs:
    """About `most` inputs of some places (all, if there are no more), as pairs of assignments of two halves."""
    half = len(places) // 2
    root = 1 << (max(2, most).bit_length() // 2)
    one = part(additive, hashes, places[:half], root, random)
    two = part(additive, hashes, places[half:], max(1, most // len(one.rows)), random)
    return Pairs(one, two)
