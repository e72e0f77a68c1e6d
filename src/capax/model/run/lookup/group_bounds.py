"""Groups of keys, and what no score of a group can exceed.

A group is enclosed by a centre c, a few axes a_m and a reach e: every key is c + sum_m t_m a_m + r with |t_m| <= 1 and
|r| <= e in each coordinate. Its scores are therefore at most q.c + sum_m |q.a_m| + |q|.e. Axes follow the keys: points
of a parabola, the commonest keys, lie along one axis up to a residue that is small against their distances.
How the axes are found needs no trust, since the residues are measured afterwards; all rounding is paid for by a larger
reach (see docs/explanation/hard-attention-lookup.md).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.parts import Array

AXES: Final = 2
LEAST: Final = 2.0**-1060
"""More than what products lose that are too small for a float."""


@dataclass(frozen=True, slots=True)
class ScoreRounding:
    """How far computed scores of a type may lie from real ones: `unit` times their terms, `least` when all is tiny."""

    unit: float
    least: float
    limit: float


ROUNDING: Final[dict[str, ScoreRounding]] = {
    "float64": ScoreRounding(2.0**-53, 2.0**-950, 2.0**990),
    "float32": ScoreRounding(2.0**-24, 2.0**-100, 2.0**118),
    "int64": ScoreRounding(2.0**-53, 0.0, 2.0**62),
}
"""Scores whose terms might add up to `limit` are left to the scan, so nothing overflows here."""


def slack(k: int, rounding: ScoreRounding) -> float:
    """The share of a group's largest terms by which its reach grows, for keys of k coordinates.

    The parts: k for a score; 1 for a key and 1 for a query that were integers; 2 AXES + 2 for the residue; k for the
    products with the query; AXES + 2 for adding them up. The factor is two for the second order of smallness
    and for underflow, and two more to be far from the edge.
    """
    return 4.0 * (2 * k + 3 * AXES + 6) * rounding.unit


def leading_direction(points: Array) -> Array:
    """The direction (groups, 1, k) along which each group of points (groups, k, n) is spread most."""
    centred = points - points.mean(axis=2, keepdims=True)
    _, vectors = np.linalg.eigh(centred @ centred.swapaxes(1, 2))
    return np.asarray(vectors[:, None, :, -1])


def importance(keys: Array, weights: Array) -> Array:
    """A factor (k, 1) per coordinate that makes keys (k, n) comparable: its share in scores of the queries seen so far.

    `weights` (k,) is the usual size of a query's coordinates. The factors bring everything to at most 1 in size.
    """
    span = np.abs(keys).max(axis=1, initial=0.0)
    shares = (weights / max(weights.max(initial=0.0), 2.0**-1000)) * (span / max(span.max(initial=0.0), 2.0**-1000))
    top = shares.max(initial=0.0)
    shares = shares / top if top > 0 else np.ones_like(shares)
    return np.where(span > 2.0**-900, shares / np.maximum(span, 2.0**-900), 0.0)[:, None]


def in_halves(points: Array, leaf: int) -> Array:
    """An order of points (k, n) such that neighbours lie together: halved along the widest direction down to leaves.

    n is leaf times a power of two.
    """
    k, n = points.shape
    order = np.arange(n)
    size = n
    while size > leaf:
        groups = points[:, order].reshape(k, -1, size).swapaxes(0, 1)
        along = (leading_direction(groups) @ groups)[:, 0]
        within = np.argsort(along, axis=1, kind="stable")
        order = np.take_along_axis(order.reshape(-1, size), within, axis=1).reshape(-1)
        size //= 2
    return order


def enclosures(groups: Array, factors: Array, rounding: ScoreRounding) -> Array:
    """Frames (2 k, 1 + AXES, groups) that enclose groups of keys (groups, k, n), for `bounds`.

    The first of a group is the centre and the reach; the others are an axis each, and zeros.
    """
    g, k, _ = groups.shape
    frames = np.zeros((g, 1 + AXES, k))
    centre = (groups.min(axis=2) + groups.max(axis=2)) / 2
    rest = groups - centre[:, :, None]
    offsets = []
    for axis in range(1, 1 + AXES):
        points = rest * factors
        along = leading_direction(points) @ points
        low, high = along.min(axis=2, keepdims=True), along.max(axis=2, keepdims=True)
        half = (high - low) / 2
        offset = np.clip((along - (low + high) / 2) / np.where(half > 0, half, 1.0), -1.0, 1.0)
        square = (offset * offset).sum(axis=2)
        frames[:, axis] = (rest @ offset.swapaxes(1, 2))[:, :, 0] / np.where(square > 0, square, 1.0)
        rest = rest - offset * frames[:, axis, :, None]
        offsets.append(offset)
    frames[:, 0] = centre + (rest.min(axis=2) + rest.max(axis=2)) / 2
    # from here on only what stands in `frames` and `offsets` counts, however it was found
    residue = groups - frames[:, 0, :, None]
    for axis, offset in enumerate(offsets, 1):
        residue -= offset * frames[:, axis, :, None]
    grow = slack(k, rounding)
    terms = np.abs(groups).max(axis=2) + np.abs(frames).sum(axis=1)
    reaches = np.zeros_like(frames)
    reaches[:, 0] = (np.abs(residue).max(axis=2) + grow * terms + LEAST) * (1 + grow)
    return np.concatenate([frames, reaches], axis=2).transpose(2, 1, 0)


def bounds(frames: Array, query: Array) -> tuple[Array, Array]:
    """What no score of each group can exceed, and the score at its centre, from frames (2 k, 1 + AXES, groups).

    The query (2 k,) is followed by its absolute values, all in float64.
    """
    parts = (query @ frames.reshape(len(query), -1)).reshape(1 + AXES, -1)
    # the reach is part of the first row, so this is the centre's score and what the reach adds to it
    middle = parts[0]
    above = np.absolute(parts[1])
    for axis in range(2, 1 + AXES):
        above += np.absolute(parts[axis])
    above += middle
    return above, middle
