"""The unit with random keys and least-norm duals: which subsets, which queries, which m."""

import math
from functools import cache, lru_cache

import numpy as np

from capax.errors import CapaxError
from capax.model.io.storage import storage_of
from capax.model.model import Model
from capax.model.parts import Array
from capax.theorems.sparse_averaging.parts.dual import Subset, least_norm_dual, nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.measure import measure
from capax.theorems.sparse_averaging.parts.reading import Reading
from capax.theorems.sparse_averaging.parts.search import smallest
from capax.theorems.sparse_averaging.parts.subsets import Chosen, chosen, hard_for_keys
from capax.theorems.sparse_averaging.parts.unit import oracle_unit, table_unit


def sharpness(length: int, error: float) -> int:
    """The factor alpha of the queries: with products 1 on a subset and 1/2 elsewhere, all that lies elsewhere weighs
    at most error / (4q)."""
    return math.ceil(2 * math.log(4 * length / error))


def bits(numbers: str) -> int:
    """The bits p of a number of a system."""
    return storage_of(numbers).bits


@lru_cache(maxsize=32)
def subsets_for(length: int, q: int, m: int, seed: int, count: int) -> Chosen:
    """The subsets that are tried with the keys of a size."""
    random = np.random.default_rng((seed, length, q))
    hard = (
        hard_for_keys(sign_keys(length, m, seed), q, max(1, count // 8), random) if math.comb(length, q) > 5_000 else ()
    )
    return chosen(length, q, count, hard, random)


@lru_cache(maxsize=32)
def duals(length: int, q: int, m: int, seed: int, count: int) -> Array | Subset:
    """The duals (S, m) of the subsets that are tried, or the first subset for which none was found."""
    keys = sign_keys(length, m, seed)
    found = []
    for subset in subsets_for(length, q, m, seed, count).subsets:
        v = least_norm_dual(keys, subset)
        if v is None:
            return subset
        found.append(v)
    return np.array(found)


def random_unit(
    length: int, q: int, dimension: int, error: float, m: int, seed: int, count: int, numbers: str, map: str
) -> Model:
    """The unit at a size m; a subset without a dual is refused."""
    keys, alpha = sign_keys(length, m, seed), sharpness(length, error)
    which = subsets_for(length, q, m, seed, count).subsets
    found = duals(length, q, m, seed, count)
    if isinstance(found, tuple):
        raise CapaxError(
            "bad-option",
            f"m = {m} is too small: no dual vector was found for the subset {{{', '.join(str(j) for j in found)}}}",
            hint="give a larger m, or m 0 for the smallest that works",
        )
    if map == "table":
        return table_unit(keys, alpha * found, which, dimension, numbers)

    @cache
    def query(subset: Subset) -> Array:
        return alpha * nearest_dual(keys, subset)

    return oracle_unit(keys, query, which, dimension, numbers)


@lru_cache(maxsize=64)
def smallest_m(length: int, q: int, seed: int, count: int) -> int:
    """The smallest m at which every subset that is tried has a dual vector."""
    found = smallest(lambda m: not isinstance(duals(length, q, m, seed, count), tuple), 1, 4 * length)
    assert found is not None, "4N random signs are enough"
    return found


@lru_cache(maxsize=64)
def smallest_working_m(length: int, q: int, error: float, seed: int, count: int, numbers: str) -> int | None:
    """The smallest m, up to 8 times the smallest with duals, at which the unit's error in a number system is right."""
    least = smallest_m(length, q, seed, count)

    def works(m: int) -> bool:
        if isinstance(duals(length, q, m, seed, count), tuple):
            return False
        model = random_unit(length, q, 1, error, m, seed, count, numbers, "table")
        which = subsets_for(length, q, m, seed, count)
        return measure(model, Reading(length, q, 1), which.subsets, seed).worst <= error

    return smallest(works, least, 8 * least)
