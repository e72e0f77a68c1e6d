"""Classes of words as a search cuts them: their paths, letters and slices, and what is known of each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.auditor.bounds.oracle import Slices
from capax.auditor.bounds.paths import Paths
from capax.model.parts import Array


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """The words of a class with p . y in intervals (D,) along directions (D, m).

    `shares` (D, m) proposes multipliers (see `oracle.Slices`).
    """

    direction: Array
    low: Array
    high: Array
    shares: Array


@dataclass(frozen=True, slots=True, eq=False)
class ClassNode:
    """A class: its paths, letters (N, alphabet), goal states, the number of its answer, and what is known of it."""

    paths: Paths
    letters: Array
    goal: Array
    answer: int
    counted: bool = False
    slice: Slice | None = None
    bound: float = -np.inf
    rounding: float = np.inf
    """Infinite as long as it was not computed, for the class or one that it is a part of."""
    margin: float = np.inf
    """Of the word that its forms expect to be the worst."""
    before: float = -np.inf
    """The bound of its parent."""
    direction: Array | None = None
    """The linear part (m,) of the worst margin."""
    middle: Array | None = None
    """The middle (m,) of the outputs."""
    cut: str = ""
    """How its parent was cut."""

    @property
    def free(self) -> Array:
        """The positions (N,) where several letters may stand."""
        return np.asarray(self.letters.sum(axis=1) > 1)


def stacked(slices: Sequence[Slice | None]) -> Slices | None:
    """The slices of classes together, filled up to as many directions; None if there are none."""
    some = [x for x in slices if x is not None]
    if not some:
        return None
    most = max(len(x.low) for x in some)

    def filled(array: Array) -> Array:
        return np.concatenate([array, np.zeros((most - len(array), *array.shape[1:]))])

    parts = (np.stack([filled(getattr(x, name)) for x in some]) for name in ("direction", "low", "high", "shares"))
    return Slices(*parts)
