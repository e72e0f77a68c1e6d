"""Which means of two s-ops over the same keys go together: those of digits and of their squares, for instance.

A key adds a pair of numbers to both sums, so that the sums of k keys are those of k such pairs. Ten digits have 91 sums
and their squares 739, and of the 67,249 combinations 4,947 happen. Compiler and certificate both use this.
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

MOST_SUMS = 2_000_000
"""So many pairs of sums are made, with those that are the same."""

LARGEST = 2**26
"""Sums of larger numbers are left: a pair of sums is one number of 64 bits."""


Means = npt.NDArray[np.float64]


def joint_means(pairs: Iterable[tuple[object, ...]], longest: int) -> list[Means] | None:
    """For each number of keys from 1 to `longest` the pairs of means that it has, as two rows in order.

    `pairs` are what a key may add. None where there are other numbers than integers, or too many pairs. A mean is the
    quotient of the sum and the count, as the language rounds it.

    >>> [m.tolist() for m in joint_means([(0, 0), (1, 1), (2, 4)], 2)]
    [[[0.0, 1.0, 2.0], [0.0, 1.0, 4.0]], [[0.0, 0.5, 1.0, 1.0, 1.5, 2.0], [0.0, 0.5, 1.0, 2.0, 2.5, 4.0]]]
    """
    added = {(type(one), type(two), one, two) for one, two in pairs}
    listed = [(one, two) for _, _, one, two in added if type(one) is int and type(two) is int]
    if not listed or len(listed) < len(added) or max(abs(v) for p in listed for v in p) * longest >= LARGEST:
        return None
    return _joint_means(tuple(sorted(listed)), longest)


@lru_cache(maxsize=64)
def _joint_means(pairs: tuple[tuple[int, int], ...], longest: int) -> list[Means] | None:
    base = 4 * LARGEST
    step: npt.NDArray[np.int64] = np.array([one * base + two for one, two in pairs], np.int64)
    sums, work = np.zeros(1, np.int64), 0
    means: list[Means] = []
    for count in range(1, longest + 1):
        work += len(sums) * len(step)
        if work > MOST_SUMS:
            return None
        sums = np.unique((sums[:, None] + step[None, :]).reshape(-1))
        first = np.rint(sums / base).astype(np.int64)
        means.append(np.stack([first, sums - first * base]) / count)
    return means


def all_pairs(together: Iterable[Means]) -> set[tuple[float, float]]:
    """The pairs of means of any number of keys.

    >>> sorted(all_pairs(joint_means([(0, 0), (1, 1)], 2)))
    [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)]
    """
    return {(one, two) for means in together for one, two in zip(*means.tolist(), strict=True)}
