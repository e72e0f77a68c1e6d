"""The weights of a head that averages sparsely, one by one: on the set and outside, beside what is said of them.

With scores alpha <u_j, w'> for a w' within eps/(4 alpha) of the dual vector w, a score is within eps/4 of alpha on the
set and at most alpha b + eps/4 outside, if products with w are at most b there. Let e^(-alpha (1-b)) <= eps/(4N). Then
a weight on the set lies between (1/q) e^(-eps/2) and (1/q) e^(eps/2): it is at most 1 / (1 + (q-1) e^(-eps/2)), which
is at most e^(eps/2) / q, and at least 1 / (1 + (q-1) e^(eps/2) + (N-q) e^(eps/2) eps/(4N)), which is at least
e^(-eps/2) / q since eps/4 <= 1 - e^(-eps/2). Outside it is at most e^(eps/2) eps / (4 N q) <= eps / (2N). The bounds
(1/q)(1 +- eps/2) that lecture slides state do not follow, as e^(eps/2) is above 1 + eps/2; whether they held is
measured.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.model.model import Model
from capax.report import Report
from capax.theorems.sparse_averaging.parts.dual import Subset
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.worst_error import weights_of


@dataclass(frozen=True, slots=True)
class SingleWeights:
    """The least and the largest weight on a set, times q, and the largest outside, over all sets that were run.

    `worst` is the set whose weights are furthest from what follows.
    """

    least: float
    largest: float
    outside: float
    worst: Subset

    def follows(self, error: float, length: int) -> bool:
        """Whether the bounds that follow hold: (1/q) e^(+-eps/2), and eps/2N outside."""
        inside = math.exp(-error / 2) <= self.least and self.largest <= math.exp(error / 2)
        return inside and self.outside <= error / (2 * length)

    def slide(self, error: float) -> bool:
        """Whether the bounds of the slides hold: (1/q)(1 +- eps/2)."""
        return 1 - error / 2 <= self.least and self.largest <= 1 + error / 2


def single_weights(model: Model, reading: TokenReading, subsets: Sequence[Subset], seed: int) -> SingleWeights:
    """The weights of the head of a model, measured on runs in which every set occurs."""
    weights = weights_of(model, reading, subsets, np.random.default_rng(seed))
    inside = np.zeros(weights.shape, bool)
    for row, subset in zip(inside, subsets, strict=True):
        row[list(subset)] = True
    own = weights[inside].reshape(len(subsets), -1) * reading.q
    outside = np.where(inside, 0.0, weights).max(axis=1)
    off = np.maximum(np.abs(np.log(np.maximum(own, 1e-300))).max(axis=1), outside * reading.length)
    worst = subsets[int(np.nan_to_num(off, nan=np.inf).argmax())]
    return SingleWeights(float(own.min()), float(own.max()), float(outside.max()), worst)


def weights_report(
    model: Model, reading: TokenReading, subsets: Sequence[Subset], error: float, seed: int, *, all_of_them: bool
) -> Report:
    """Whether the single weights are as follows from the lemma, and whether they are as the slides say."""
    w = single_weights(model, reading, subsets, seed)
    holds = w.follows(error, reading.length)
    return Report(
        f"every weight on a set is (1/q) e^(+-eps/2), every other at most eps/2N = {error / (2 * reading.length):.3g}",
        "exhaustive" if all_of_them else "sampled",
        holds,
        count=len(subsets),
        seed=seed,
        figures={
            "q times a weight on the set": f"{w.least:.6f} to {w.largest:.6f}",
            "follows: e^(+-eps/2)": f"{math.exp(-error / 2):.6f} to {math.exp(error / 2):.6f}",
            "the slide's 1 +- eps/2": f"{1 - error / 2:.6f} to {1 + error / 2:.6f}: "
            + ("it held here" if w.slide(error) else "it did not hold"),
            "largest weight outside": f"{w.outside:.3g}",
        },
        counterexample=None if holds else {"subset": list(w.worst)},
    )
