"""Messages that are sums: at each position one of some vectors is chosen, and the message is their sum.

The messages of softmax heads are of this kind (see `capax.limits.protocols`). Two inputs collide when their messages
are equal; where each input has a label, they also have to differ in that.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from capax.model.parts import Array

Stop: TypeAlias = Callable[[], bool]
"""Whether the search has to end."""


@dataclass(frozen=True)
class Additive:
    """The vectors (positions, choices, coordinates), and bits (positions, choices) whose sum mod 2 is the label."""

    table: Array
    labels: Array | None = None

    @property
    def positions(self) -> int:
        """The number of positions."""
        return int(self.table.shape[0])

    @property
    def choices(self) -> int:
        """The number of choices at each position."""
        return int(self.table.shape[1])

    @property
    def input_bits(self) -> float:
        """The logarithm of the number of inputs."""
        return self.positions * math.log2(self.choices)

    @cached_property
    def most_messages(self) -> int:
        """An upper bound of the number of messages: a product of the ranges of all coordinates.

        A coordinate runs from the sum of the least to the sum of the greatest numbers, in steps of the greatest common
        divisor of all differences.
        """
        low, high = self.table.min(axis=1), self.table.max(axis=1)
        total = 1
        for k in range(self.table.shape[2]):
            step = int(np.gcd.reduce((self.table[:, :, k] - low[:, None, k]).reshape(-1)))
            if step:
                total *= (int(high[:, k].sum()) - int(low[:, k].sum())) // step + 1
        return total

    @property
    def message_bits(self) -> float:
        """The logarithm of that bound."""
        return math.log2(self.most_messages)

    @cached_property
    def spread_bits(self) -> float:
        """About how rare a collision of two random inputs is, as a negative logarithm; a guess that plans the search.

        For a normal distribution with the covariance of the messages: the sum of log2(sqrt(4 pi lambda)).
        """
        centred = self.table - self.table.mean(axis=1, keepdims=True)
        covariance = np.einsum("icx,icy->xy", centred, centred) / self.choices
        spread = 4 * math.pi * np.linalg.eigvalsh(covariance)
        return float(0.5 * np.log2(np.maximum(spread, 1.0)).sum())

    def message(self, choices: Array) -> tuple[int, ...]:
        """The message of an input, exactly."""
        rows = self.table[np.arange(self.positions), choices]
        return tuple(int(x) for x in rows.sum(axis=0))

    def label(self, choices: Array) -> int:
        """The label of an input; 0 where there are none."""
        return 0 if self.labels is None else int(self.labels[np.arange(self.positions), choices].sum()) & 1

    def collide(self, one: Array, two: Array) -> bool:
        """Whether two inputs differ, in their label too where there is one, and have equal messages."""
        if self.labels is not None and self.label(one) == self.label(two):
            return False
        return bool((one != two).any()) and self.message(one) == self.message(two)

    def hashes(self, random: np.random.Generator) -> Array:
        """Two 64-bit numbers (positions, choices, 2) for each vector, by random linear maps mod 2^64.

        The hash of an input is the sum of those of its choices, so equal messages have equal hashes.
        """
        size = (self.table.shape[2], 2)
        odd = random.integers(0, 1 << 63, size, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        flat = self.table.astype(np.uint64).reshape(-1, self.table.shape[2])
        return np.asarray((flat @ odd).reshape(self.positions, self.choices, 2))


@dataclass(frozen=True)
class Collision:
    """Two inputs with equal messages, and how they were found."""

    one: tuple[int, ...]
    two: tuple[int, ...]
    method: str


def repeated(keys: Array, labels: Array | None = None, most: int = 4) -> list[Array]:
    """The positions of keys that occur more than once, a list for each of up to `most` keys.

    With labels, only keys that occur with both labels. Sorting alone is much cheaper than sorting with positions, and
    repeated keys are few: their positions are looked up afterwards.
    """
    marked = keys if labels is None else (keys & ~np.uint64(1)) | labels.astype(np.uint64)
    ordered = np.sort(marked)
    if labels is None:
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        return [np.flatnonzero(keys == key) for key in np.unique(twice)[:most]]
    changes = ordered[1:][(ordered[1:] ^ ordered[:-1]) == 1] & ~np.uint64(1)
    return [np.flatnonzero((marked & ~np.uint64(1)) == key) for key in np.unique(changes)[:most]]
