"""The unit with random keys and least-norm duals: which subsets, which queries, which m."""

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from capax.errors import CapaxError
from capax.model.io.storage import storage_of
from capax.model.model import Model
from capax.model.parts import Array
from capax.theorems.sparse_averaging.parts.dual import Subset, least_norm_dual, nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.subsets import MOST, Chosen, chosen, hard_for_keys, smallest
from capax.theorems.sparse_averaging.parts.unit import oracle_unit, table_unit
from capax.theorems.sparse_averaging.parts.worst_error import measure


def sharpness(length: int, error: float) -> int:
    """The factor alpha of the queries: with products 1 on a subset and 1/2 elsewhere, all that lies elsewhere weighs
    at most error / (4q)."""
    return math.ceil(2 * math.log(4 * length / error))


def bits(numbers: str) -> int:
    """The bits p of a number of a system."""
    return storage_of(numbers).bits


@dataclass(frozen=True, slots=True)
class RandomKeys:
    """Random keys for words of N positions and sets of q: the seed, and how many random sets they are tried on."""

    length: int
    q: int
    seed: int
    sets: int


@lru_cache(maxsize=32)
def subsets_for(keys: RandomKeys, m: int) -> Chosen:
    """The subsets that are tried with the keys of a size."""
    random = np.random.default_rng((keys.seed, keys.length, keys.q))
    hard: tuple[Subset, ...] = ()
    if math.comb(keys.length, keys.q) > MOST:
        signs = sign_keys(keys.length, m, keys.seed)
        hard = hard_for_keys(signs, keys.q, max(1, keys.sets // 8), random)
    return chosen(keys.length, keys.q, keys.sets, hard, random)


@lru_cache(maxsize=32)
def duals(keys: RandomKeys, m: int) -> Array | Subset:
    """The duals (S, m) of the subsets that are tried, or the first subset for which there is none."""
    signs, vectors = sign_keys(keys.length, m, keys.seed), []
    for subset in subsets_for(keys, m).subsets:
        v = least_norm_dual(signs, subset)
        if v is None:
            return subset
        vectors.append(v)
    return np.array(vectors)


def random_unit(keys: RandomKeys, m: int, *, dimension: int, error: float, numbers: str, map: str = "table") -> Model:
    """The unit at a size m; a subset without a dual is refused."""
    signs, alpha = sign_keys(keys.length, m, keys.seed), sharpness(keys.length, error)
    which, vectors = subsets_for(keys, m).subsets, duals(keys, m)
    if isinstance(vectors, tuple):
        raise CapaxError(
            "bad-option",
            f"m = {m} is too small: no dual vector was found for the subset {{{', '.join(str(j) for j in vectors)}}}",
            hint="give a larger m, or m 0 for the smallest that works",
        )
    if map == "table":
        return table_unit(signs, alpha * vectors, which, dimension, numbers)

    @cache
    def query(subset: Subset) -> Array:
        return alpha * nearest_dual(signs, subset)

    return oracle_unit(signs, query, which, dimension, numbers)


@lru_cache(maxsize=64)
def smallest_m(keys: RandomKeys) -> int:
    """The smallest m at which every subset that is tried has a dual vector."""
    m = smallest(lambda m: not isinstance(duals(keys, m), tuple), 1, 4 * keys.length)
    assert m is not None, "4N random signs are enough"
    return m


@lru_cache(maxsize=64)
def smallest_working_m(keys: RandomKeys, error: float, numbers: str) -> int | None:
    """The smallest m, up to 8 times the smallest with duals, at which the unit's error in a number system is right."""
    least = smallest_m(keys)

    def works(m: int) -> bool:
        if isinstance(duals(keys, m), tuple):
            return False
        model = random_unit(keys, m, dimension=1, error=error, numbers=numbers)
        reading = TokenReading(keys.length, keys.q, 1)
        return measure(model, reading, subsets_for(keys, m).subsets, keys.seed).worst <= error

    return smallest(works, least, 8 * least)
