"""Collisions of sums by Wagner's lists: inputs whose hash has chosen low bits, and the birthday paradox among those.

The hash of an input is a sum over positions, so inputs with given low bits of the hash are found by joining lists of
assignments of groups of positions: two lists give the pairs whose sum has the wanted bits. Two inputs of one message
agree in all bits, so among inputs that share s bits a collision is 2^s times as likely as among any. With two lists
this is the 4-list method (each of the two inputs is a pair of list entries); with four or eight lists more bits are
shared.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.limits.witnesses.search.additive import Additive, Collision, Stop, repeated
from capax.limits.witnesses.search.sampled_sums import SampledPairs, pairs
from capax.model.parts import Array

LIST_BITS: Final = 21
"""Lists have about 2^21 entries."""
LAST_BITS: Final = 23
"""The birthday paradox is tried among about 2^23 inputs."""


@dataclass(frozen=True)
class Joined:
    """SampledPairs of entries of two lists: their positions in the lists, and the hashes (count, 2) of the sums."""

    one: "SampledPairs | Joined"
    two: "SampledPairs | Joined"
    first: Array
    second: Array
    values: Array

    @property
    def count(self) -> int:
        """The number of entries."""
        return len(self.first)

    def hashes(self, column: int) -> Array:
        """One of the two hashes of every entry."""
        return np.asarray(self.values[:, column])

    def fill(self, index: int, into: Array) -> None:
        """Writes the assignment of an entry to its positions."""
        self.one.fill(int(self.first[index]), into)
        self.two.fill(int(self.second[index]), into)


def join(
    one: "SampledPairs | Joined", two: "SampledPairs | Joined", bits: int, most: int, random: np.random.Generator
) -> Joined:
    """The pairs whose sum of first hashes has the low bits of that of a random pair; at most `most` of them.

    Entries of one list that agree in lower bits already keep to that, since sums carry upwards alone.
    """
    mask = np.uint64((1 << bits) - 1)
    left, right = one.hashes(0), two.hashes(0)
    some, other = int(random.integers(len(left))), int(random.integers(len(right)))
    target = left[some : some + 1] + right[other : other + 1]  # as arrays: sums mod 2^64 are meant
    keys, targets = left & mask, (target - right) & mask
    order, queries = np.argsort(keys), np.argsort(targets)
    keys, targets = keys[order], targets[queries]
    start = np.searchsorted(keys, targets, "left")
    count = np.searchsorted(keys, targets, "right") - start
    total = np.cumsum(count)
    if len(total) and total[-1] > most:
        cut = int(np.searchsorted(total, most, "right"))
        start, count, queries, total = start[:cut], count[:cut], queries[:cut], total[:cut]
    end = int(total[-1]) if len(total) else 0
    offset = np.arange(end) - np.repeat(total - count, count)
    first = order[np.repeat(start, count) + offset].astype(np.uint32)
    second = np.repeat(queries, count).astype(np.uint32)
    values = np.stack([one.hashes(c)[first] + two.hashes(c)[second] for c in (0, 1)], axis=1)
    return Joined(one, two, first, second, values)


def list_tree(
    additive: Additive,
    random: np.random.Generator,
    levels: int,
    stop: Stop,
    list_bits: int = LIST_BITS,
    last_bits: int = LAST_BITS,
) -> Collision | None:
    """A collision by 2^levels lists; None when there was none, or when it was time to stop."""
    hashes = additive.hashes(random)
    order = random.permutation(additive.positions)
    groups = [group.tolist() for group in np.array_split(order, 1 << levels)]
    size = 1 << (list_bits + (levels == 1))
    lists: list[SampledPairs | Joined] = [pairs(additive, hashes, group, size, random) for group in groups]
    if not all(one.count >= 4 for one in lists):
        return None
    shared = 0
    while len(lists) > 1:
        bits = last_bits if len(lists) == 2 else list_bits
        logs = [max(1, one.count).bit_length() - 1 for one in lists]
        more = max(1, min(logs[i] + logs[i + 1] for i in range(0, len(lists), 2)) - bits)
        shared = min(62, shared + more)
        joined: list[SampledPairs | Joined] = []
        for i in range(0, len(lists), 2):
            if stop():
                return None
            joined.append(join(lists[i], lists[i + 1], shared, 1 << (bits + 1), random))
        lists = joined
        if not all(one.count for one in lists):
            return None
    return _among(additive, lists[0], levels)


def _among(additive: Additive, inputs: "SampledPairs | Joined", levels: int) -> Collision | None:
    """A collision among inputs."""
    for positions in repeated(inputs.hashes(1)):
        rows = []
        for index in positions[:16]:
            row = np.zeros(additive.positions, np.int64)
            inputs.fill(int(index), row)
            rows.append(row)
        for i, one in enumerate(rows):
            for two in rows[:i]:
                if additive.collide(one, two):
                    method = f"{2 ** (levels + 1)}-list"
                    return Collision(tuple(two.tolist()), tuple(one.tolist()), method)
    return None
