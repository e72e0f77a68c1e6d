"""The dual vectors of the lemma about matrices with restricted isometry, and what it says of their length.

The lemma (Candes and Tao 2005): if U has the (q, delta) property with delta < 1/2, every set y of q columns has a w
with <u_j, w> = 1 on y, |<u_j, w>| <= delta / (1 - 2 delta) elsewhere, and |w| <= sqrt(q) / (1 - 2 delta). Here w is
computed as in its proof: the shortest vector that is 1 on y, from which corrections are taken away that are 0 on y and
equal to the largest products outside, q at a time. The three conditions are then measured.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.parts import Array
from capax.theorems.sparse_averaging.parts.dual import Subset

MOST_OUTSIDE: Final = 0.75
"""The most that a product outside may be here, also for a delta for which the lemma allows more: so sets stand out."""
CORRECTIONS: Final = 200
"""So many corrections are made before a dual vector is given up."""
SLACK: Final = 1e-9
DIGITS: Final = 10
"""Digits after the point to which products are compared, so that ties are broken alike on every machine."""


def outside_bound(delta: float) -> float:
    """The most that a product outside the set may be: delta / (1 - 2 delta)."""
    return delta / (1 - 2 * delta)


def product_bound(delta: float) -> float:
    """The most that a product outside may be here: as the lemma says, and at most 3/4 (which is its bound at 0.3)."""
    return min(outside_bound(delta), MOST_OUTSIDE)


def norm_bound(q: int, delta: float) -> float:
    """The most that the length may be: sqrt(q) / (1 - 2 delta)."""
    return math.sqrt(q) / (1 - 2 * delta)


@dataclass(frozen=True, slots=True)
class DualLength:
    """The length of a dual vector and its largest product outside the set; infinite if none was found."""

    norm: float
    outside: float

    def meets(self, q: int, delta: float) -> bool:
        """Whether it is what the lemma says, with products outside of at most 3/4."""
        return self.norm <= norm_bound(q, delta) + SLACK and self.outside <= product_bound(delta) + SLACK


@dataclass(frozen=True, slots=True, eq=False)
class LemmaDual:
    """The dual vector of a set, with its length and the largest product outside as measured."""

    vector: Array
    length: DualLength


NO_DUAL: Final = DualLength(math.inf, math.inf)


def dual_length(gram: Array, subset: Subset, delta: float) -> DualLength:
    """What the dual vector of a set of columns measures, from their products alone."""
    inside = list(subset)
    weights = _corrected(gram, inside, product_bound(delta))
    if weights is None:
        return NO_DUAL
    products = gram @ weights
    if np.abs(products[inside] - 1).max() > SLACK:
        return NO_DUAL
    norm = math.sqrt(max(0.0, float(weights @ products)))
    products[inside] = 0
    return DualLength(norm, float(np.abs(products).max(initial=0.0)))


def lemma_duals(signs: Array, subsets: Iterable[Subset], delta: float) -> Iterator[LemmaDual]:
    """The dual vectors of sets of rows of keys (N, m), whose products with u_j = row j / sqrt(m) count.

    Where none is found, the vector is that of least squares, and its length counts as infinite.
    """
    columns = signs / math.sqrt(signs.shape[1])
    gram = signs @ signs.T / signs.shape[1]
    for subset in subsets:
        inside = list(subset)
        weights = _corrected(gram, inside, product_bound(delta))
        if weights is None:
            target = np.zeros(len(signs))
            target[inside] = 1
            yield LemmaDual(np.asarray(np.linalg.lstsq(columns, target, rcond=None)[0]), NO_DUAL)
            continue
        vector = columns.T @ weights
        products = columns @ vector
        if np.abs(products[inside] - 1).max() > SLACK:
            yield LemmaDual(vector, NO_DUAL)
            continue
        products[inside] = 0
        outside = float(np.abs(products).max(initial=0.0))
        yield LemmaDual(vector, DualLength(float(np.linalg.norm(vector)), outside))


def lemma_dual(signs: Array, subset: Subset, delta: float) -> LemmaDual:
    """The dual vector of one set."""
    return next(lemma_duals(signs, (subset,), delta))


def _corrected(gram: Array, inside: list[int], most: float) -> Array | None:
    """The coefficients of the columns: 1 on the set, and at most `most` outside after the corrections."""
    weights = np.zeros(len(gram))
    targets, group = np.ones(len(inside)), list(inside)
    for _ in range(CORRECTIONS):
        try:
            weights[group] += np.linalg.solve(gram[np.ix_(group, group)], targets)
        except np.linalg.LinAlgError:
            return None
        products = gram @ weights
        products[inside] = 0
        if not np.isfinite(products).all() or np.abs(products).max() > 1e6:
            return None
        sizes = np.round(np.abs(products), DIGITS)  # equal products may differ by the rounding of a machine's kernels
        worst = np.argsort(-sizes, kind="stable")[: len(inside)]
        exceptional = [int(j) for j in worst if sizes[j] > most]
        if not exceptional:
            return weights
        group = [*inside, *exceptional]
        targets = np.concatenate([np.zeros(len(inside)), -products[exceptional]])
    return None


def grid(m: int, error: float, alpha: int) -> float:
    """The power of two to whose multiples the m coordinates are rounded, so that w moves by at most eps/(4 alpha)."""
    return float(2.0 ** math.floor(math.log2(error / (2 * alpha * math.sqrt(m)))))


def rounded(vector: Array, step: float) -> Array:
    """The vector with every coordinate at the nearest multiple of a step."""
    return np.asarray(np.round(vector / step) * step)
