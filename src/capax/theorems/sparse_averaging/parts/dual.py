"""Dual vectors: for a set of rows among many, the shortest vector with product 1 on the set and less elsewhere."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np

from capax.model.parts import Array

BELOW: Final = 0.5
"""The most that the product may be outside the set."""

SLACK: Final = 1e-9
"""By how much rounding may miss it."""

BLOCK: Final = 128
"""So many columns of signs are drawn together."""

Subset = tuple[int, ...]


@lru_cache(maxsize=8)
def sign_keys(length: int, m: int, seed: int) -> Array:
    """Random keys (N, m) of signs; those for a smaller m are the first columns, so that a dual for m is one for m + 1.

    The columns of the paper's matrix are these rows over sqrt(m). Here the factor stands in the queries, so that the
    keys are exact in every number system.
    """
    blocks = [_sign_block(length, start, seed) for start in range(0, m, BLOCK)]
    keys = np.concatenate(blocks, axis=1)[:, :m].astype(np.float64)
    keys.setflags(write=False)
    return keys


@lru_cache(maxsize=256)
def _sign_block(length: int, start: int, seed: int) -> Array:
    """Some columns of signs from one on, each from a seed of its own; as bytes, as many of them are kept."""
    draws = [np.random.default_rng((seed, c)).integers(0, 2, length) for c in range(start, start + BLOCK)]
    return (2 * np.stack(draws, axis=1) - 1).astype(np.int8)


def least_norm_dual(keys: Array, subset: Iterable[int]) -> Array | None:
    """The shortest v with keys @ v = 1 on the subset and at most 1/2 elsewhere, or None where none was found.

    An active-set method: v is the least-norm solution that has 1 on the subset and exactly 1/2 on the active rows. The
    row that is most above 1/2 becomes active; an active row that pulls upwards (its multiplier is positive) is let go.
    None means that the active rows became dependent, or that the steps ran out: it does not prove that there is no v.
    """
    inside = list(subset)
    active: list[int] = []
    for _ in range(20 * keys.shape[1] + 20):
        rows = keys[inside + active]
        targets = np.array([1.0] * len(inside) + [BELOW] * len(active))
        if len(rows) > keys.shape[1]:
            return None
        try:
            multipliers = np.linalg.solve(rows @ rows.T, targets)
        except np.linalg.LinAlgError:
            return None
        pull = multipliers[len(inside) :]
        if len(pull) and pull.max() > SLACK:
            active.pop(int(pull.argmax()))
            continue
        v: Array = rows.T @ multipliers
        products = keys @ v
        if np.abs(products[inside] - 1).max() > SLACK:
            return None
        products[inside + active] = -np.inf
        worst = int(products.argmax())
        if products[worst] <= BELOW + SLACK:
            return v
        active.append(worst)
    return None


def nearest_dual(keys: Array, subset: Iterable[int]) -> Array:
    """The dual vector, or where none was found the least-squares solution of 1 on the subset and 0 elsewhere."""
    inside = list(subset)
    dual = least_norm_dual(keys, inside)
    if dual is not None:
        return dual
    targets = np.zeros(len(keys))
    targets[inside] = 1
    return np.asarray(np.linalg.lstsq(keys, targets, rcond=None)[0])
