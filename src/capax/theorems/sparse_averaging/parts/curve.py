"""Keys on a moment curve, and the queries that single out a subset of them."""

import math
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from capax.model.parts import Array

Curve: TypeAlias = Literal["circle", "line"]
"""Trigonometric polynomials of degree q on a circle, or polynomials of degree 2q in whole numbers on a line."""


def curve_keys(curve: Curve, length: int, degree: int) -> Array:
    """The keys (N, 2 degree + 1).

    On the circle: 1, then cos(k t) and sin(k t) for k = 1 ... degree at the angle t = 2 pi j / N of position j. On the
    line: the powers 0 ... 2 degree of the whole number j - floor(N / 2).
    """
    if curve == "line":
        return (np.arange(length, dtype=float) - length // 2)[:, None] ** np.arange(2 * degree + 1)
    angles = np.outer(2 * np.pi * np.arange(length) / length, np.arange(1, degree + 1))
    pairs = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(length, 2 * degree)
    return np.concatenate([np.ones((length, 1)), pairs], axis=1)


def curve_query(curve: Curve, length: int, subset: Iterable[int], error: float) -> Array:
    """The query whose scores are 0 on the subset and at most -ln(4N / error) elsewhere, over the reals.

    The scores are the values of minus a product that has a double root at each position of the subset: of 1 - cos(t -
    s) on the circle, of (x - s)^2 on the line.
    """
    inside = list(subset)
    if curve == "line":
        coefficients = np.array([-1.0])
        for root in inside:
            s = float(root - length // 2)
            coefficients = np.convolve(coefficients, [s * s, -2 * s, 1.0])
        return coefficients * math.ceil(math.log(4 * length / error))
    angles = 2 * np.pi * np.array(inside) / length
    nodes = 2 * np.pi * np.arange(2 * len(inside) + 1) / (2 * len(inside) + 1)
    spectrum = np.fft.rfft(_product(nodes, angles)) / len(nodes)
    pairs = 2 * np.stack([spectrum.real, -spectrum.imag], axis=1)[1:]
    places = 2 * np.pi * np.delete(np.arange(length), inside) / length
    gap = float(-_product(places, angles).max()) if len(places) else 1.0
    return np.concatenate([[spectrum[0].real], pairs.reshape(-1)]) * (math.log(4 * length / error) / gap)


def _product(at: Array, roots: Array) -> Array:
    """Minus the product of 1 - cos(t - s) = 2 sin^2((t - s) / 2) over the roots s."""
    return np.asarray(-np.prod(2 * np.sin((at[:, None] - roots[None, :]) / 2) ** 2, axis=1))
