"""Dual vectors by a ReLU network: steps of gradient descent with momentum, each of them one stage of the network.

For keys k_j (rows of signs, m of them) and the bits b of a subset, the dual vector is sum_j c_j k_j / m, where c
minimises the sum of b_j (s_j - 1)^2 and (1 - b_j) max(s_j - 2/5, 0)^2, with s = G c and G = K K^T / m. One step is

    e = c + M (c - c before),  c after = e - H (b (G e - 1) + (1 - b) max(G e - 2/5, 0)),

and every product with a bit is a ReLU: b x = relu(x + B - 2B (1 - b)) - B b for |x| <= B. So a step is one ReLU
stage of 5N units (the bits, c, c before, and the two kinds of errors), and all steps have the same weights.
"""

from typing import Final

import numpy as np

from capax.model.parts import Affine, Array, Mlp

MOMENTUM: Final = 0.9
AIM: Final = 0.4
"""What the products outside are pushed below: less than 1/2, since the push never ends at its aim."""

BOUND: Final = 64.0
"""B: no number of the descent is larger. Sums with it are rounded to its last position, which is small enough."""


def descend(keys: Array, bits: Array, steps: int) -> Array:
    """The coefficients c (S, N) after some steps, for bits (S, N): the definition that the network computes."""
    gram, rate = _gram(keys)
    now = before = np.zeros_like(bits, dtype=float)
    for _ in range(steps):
        ahead = now + MOMENTUM * (now - before)
        products = ahead @ gram
        error = bits * (products - 1) + (1 - bits) * np.maximum(products - AIM, 0)
        now, before = ahead - rate * error, now
    return now


def _gram(keys: Array) -> tuple[Array, float]:
    """The matrix G of products of keys over m, and the rate H at which descent does not overshoot."""
    gram = keys @ keys.T / keys.shape[1]
    return gram, 1 / float(np.linalg.eigvalsh(gram)[-1])


def descent_mlp(keys: Array, steps: int, alpha: float, width: int, bit: list[int], query: list[int]) -> Mlp:
    """The network: it reads N directions of bits and adds alpha times the dual vector to m directions of queries."""
    n, m = keys.shape
    gram, rate = _gram(keys)
    # The units of a stage, in this order: bits, c + B, c before + B, errors inside + B, errors outside.
    b, now, before, inside, outside = (np.eye(5 * n)[:, k * n : (k + 1) * n] for k in range(5))
    ahead = (1 + MOMENTUM) * now - MOMENTUM * before
    after = ahead - rate * (inside - BOUND * b + outside)
    # `now`, `before` carry B each, so `ahead` and `after` carry it as well: it is taken away as a bias.
    next_ahead = (1 + MOMENTUM) * after - MOMENTUM * now
    step = _stage(b, after, now, next_ahead @ gram, -BOUND * gram.sum(axis=0), 0.0)
    start = np.zeros((width, n))
    start[bit] = np.eye(n)
    nothing = np.zeros((width, n))
    first = _stage(start, nothing, nothing, nothing, np.zeros(n), BOUND)
    duals = alpha * keys / m
    last = np.zeros((5 * n, width))
    last[:, query] = after @ duals
    bias = np.zeros(width)
    bias[query] = -BOUND * duals.sum(axis=0)
    return Mlp((first, *[step] * (steps - 1), Affine(last, bias)))


def _stage(bits: Array, now: Array, before: Array, products: Array, shift: Array, offset: float) -> Affine:
    """The map to the units of a stage, from maps to its numbers; `shift` is added to products, `offset` to c."""
    n = bits.shape[1]
    weight = np.concatenate([bits, now, before, products + 2 * BOUND * bits, products - 2 * BOUND * bits], axis=1)
    constants = [np.zeros(n), np.full(n, offset), np.full(n, offset), shift - 1 - BOUND, shift - AIM]
    return Affine(weight, np.concatenate(constants))
