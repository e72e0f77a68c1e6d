"""Vectors for attention to windows of positions: near 1 on the window, at most 1/2 elsewhere.

Statement: with random signs u_j / sqrt(m) for the positions j, m = O(q log N) is enough for vectors w_i with
<u_j, w_i> = 1 for the at most q positions j of the window of i and <u_j, w_i> <= 1/2 for all others.
Idea: the least vector with product 1 on the window; where another product is above 1/2, ask for 0.4 there too, again
and again.
Cite: Sanford, Hsu and Telgarsky (2023), the construction for q-sparse averages; the active set is ours.
Scope: the result is checked, so a seed that fails is seen and the next is tried.
"""

import numpy as np

from capax.model.parts import Array

ROUNDS = 60


def windows(length: int, reach: int) -> list[list[int]]:
    """The positions within reach of each position."""
    return [list(range(max(0, i - reach), min(length, i + reach + 1))) for i in range(length)]


def duals(length: int, reach: int, dimension: int, seeds: int = 4) -> tuple[Array, Array] | None:
    """The vectors u (length, m) of the positions and w (length, m) of the windows; None if none were found."""
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        u = random.choice([-1.0, 1.0], (length, dimension)) / np.sqrt(dimension)
        vectors = [_dual(u, window) for window in windows(length, reach)]
        if all(w is not None for w in vectors):
            return u, np.array(vectors)
    return None


def _dual(u: Array, window: list[int]) -> Array | None:
    """The vector of one window, or None."""
    outside = np.ones(len(u), bool)
    outside[window] = False
    active: list[int] = []
    for _ in range(ROUNDS):
        rows = [*window, *active]
        if len(rows) > u.shape[1]:
            return None
        targets = np.array([1.0] * len(window) + [0.4] * len(active))
        w = np.asarray(np.linalg.lstsq(u[rows], targets, rcond=None)[0])
        products = u @ w
        if np.abs(products[window] - 1).max() > 1e-9:
            return None
        above = np.flatnonzero(outside & (products > 0.5))
        if not len(above):
            return w
        active += [int(j) for j in above if j not in active]
    return None


def smallest(length: int, reach: int) -> int:
    """The least dimension on a grid of steps of about a tenth for which vectors are found."""
    dimension = 2 * reach + 1
    while duals(length, reach, dimension) is None:
        dimension += max(1, dimension // 10)
    return dimension
