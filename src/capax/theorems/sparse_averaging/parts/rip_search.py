"""For random signs: at which m they have the (q, delta) property, at which the dual vectors are as the lemma says.

Neither is monotone in m: with one more row a product can grow. What is looked for is an m that works while m - 1 does
not (or is too small to be tried); a smaller one may work, too, and a larger one may fail.
"""

from functools import lru_cache
from typing import Final

import numpy as np

from capax.model.parts import Array
from capax.theorems.sparse_averaging.parts.dual import Subset, sign_keys
from capax.theorems.sparse_averaging.parts.isometry import (
    MOST_PAIRS,
    IsometryConstant,
    coherence_bound,
    gershgorin_bound,
    isometry_constant,
    pairs_of_supports,
)
from capax.theorems.sparse_averaging.parts.lemma_dual import DualLength, LemmaDual, dual_length
from capax.theorems.sparse_averaging.parts.lemma_dual import lemma_duals as duals_of
from capax.theorems.sparse_averaging.parts.random_unit import RandomKeys, subsets_for
from capax.theorems.sparse_averaging.parts.subsets import Chosen, smallest

MOST_M: Final = 2_000
"""A model is built for an m up to this."""
MOST_PROVED: Final = 1 << 15
"""An m at which the property is proved is looked for up to this."""
MOST_ENTRIES: Final = 300_000
"""The table of queries has at most so many numbers; where all sets have more, it holds the worst and random ones."""
WORST: Final = 20
"""So many sets are in such a table because their dual vectors are long, and as many because of their products."""


@lru_cache(maxsize=64)
def constant_of(keys: RandomKeys, m: int) -> IsometryConstant:
    """The constant of the first m rows of U."""
    return isometry_constant(sign_keys(keys.length, m, keys.seed), keys.q)


def gram_of(keys: RandomKeys, m: int) -> Array:
    """The products of the columns of U, times m: whole numbers."""
    signs = sign_keys(keys.length, m, keys.seed)
    return np.asarray(signs @ signs.T)


@lru_cache(maxsize=16)
def dual_lengths(keys: RandomKeys, m: int, delta: float) -> tuple[DualLength, ...]:
    """What the dual vectors of all sets that are tried measure."""
    gram = gram_of(keys, m) / m
    return tuple(dual_length(gram, subset, delta) for subset in subsets_for(keys, m).subsets)


def meets(keys: RandomKeys, m: int, delta: float) -> bool:
    """Whether every dual vector that is tried is as the lemma says; stops at the first that is not."""
    gram = gram_of(keys, m) / m
    return all(dual_length(gram, subset, delta).meets(keys.q, delta) for subset in subsets_for(keys, m).subsets)


@lru_cache(maxsize=64)
def m_with_property(keys: RandomKeys, delta: float) -> int | None:
    """An m at which U has the property: over all supports, or by the upper bounds where these are many."""
    start = 2 * keys.q
    if pairs_of_supports(keys.length, keys.q) <= MOST_PAIRS:
        return smallest(lambda m: constant_of(keys, m).standing(delta) == "holds", start, MOST_PROVED)

    def proved(m: int) -> bool:
        gram = gram_of(keys, m)
        return min(coherence_bound(gram, m, keys.q), gershgorin_bound(gram, m, keys.q)) <= delta

    return smallest(proved, start, MOST_PROVED)


@lru_cache(maxsize=64)
def m_with_duals(keys: RandomKeys, delta: float, start: int) -> int | None:
    """An m from some on at which the dual vectors are as the lemma says."""
    return smallest(lambda m: meets(keys, m, delta), start, MOST_M)


@lru_cache(maxsize=16)
def table_sets(keys: RandomKeys, m: int, delta: float) -> Chosen:
    """The sets that the model has queries for: all that are tried, or if these are too many a sample."""
    which = subsets_for(keys, m)
    if not which.all or len(which.subsets) * m <= MOST_ENTRIES:
        return which
    lengths = dual_lengths(keys, m, delta)
    order = range(len(lengths))
    chosen: dict[Subset, None] = {}
    for ranked in (sorted(order, key=lambda k: -lengths[k].norm), sorted(order, key=lambda k: -lengths[k].outside)):
        chosen.update(dict.fromkeys(which.subsets[k] for k in ranked[:WORST]))
    random = np.random.default_rng((keys.seed, keys.length, keys.q, m))
    drawn = random.choice(len(lengths), min(keys.sets, len(lengths)), replace=False)
    chosen.update(dict.fromkeys(which.subsets[k] for k in drawn.tolist()))
    return Chosen(tuple(chosen), False)


@lru_cache(maxsize=16)
def lemma_duals(keys: RandomKeys, m: int, delta: float) -> tuple[LemmaDual, ...]:
    """The dual vectors of the sets that the model has queries for."""
    signs = sign_keys(keys.length, m, keys.seed)
    return tuple(duals_of(signs, table_sets(keys, m, delta).subsets, delta))
