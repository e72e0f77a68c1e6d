"""How well scores rank true edges above others."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.parts import Array

NOISE: Final = 1e-5
"""A score that is this small beside the largest is rounding, and counts as 0."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The scores of a method against the truth: the area under the ROC curve, points of it, and the share of zeros."""

    edges: int
    true: int
    auroc: float
    curve: tuple[tuple[float, float], ...]
    """Rates of false and of true edges, from none to all."""
    zeros: float
    """The share of edges with the score 0, up to rounding: a method says nothing of them."""
    auroc_raw: float
    """The area with scores as they are, rounding included."""


def ranking(scores: Mapping[str, float], truth: Collection[str], left_out: Collection[str] = ()) -> Ranking:
    """How a method's scores rank the edges; sizes count, not signs. Edges that are left out count neither way."""
    names = [name for name in scores if name not in left_out]
    sizes = np.abs(np.array([scores[name] for name in names], dtype=float))
    true = np.array([name in truth for name in names], dtype=bool)
    clear = np.where(sizes > noise_of(scores), sizes, 0.0)
    zeros = float((clear == 0).mean()) if len(sizes) else 0.0
    areas = auroc(clear, true), auroc(sizes, true)
    return Ranking(len(names), int(true.sum()), areas[0], roc(clear, true), zeros, areas[1])


def noise_of(scores: Mapping[str, float]) -> float:
    """The size up to which a score counts as 0."""
    return NOISE * max(map(abs, scores.values()), default=0.0)


def auroc(sizes: Array, true: Array) -> float:
    """The chance that a true edge has a larger score than another one; equal scores count half."""
    inside, outside = sizes[true], sizes[~true]
    if not len(inside) or not len(outside):
        return float("nan")
    above = (inside[:, None] > outside).mean() + 0.5 * (inside[:, None] == outside).mean()
    return float(above)


def roc(sizes: Array, true: Array) -> tuple[tuple[float, float], ...]:
    """The points of the ROC curve, one for each different score, thinned to at most 40."""
    if not true.any() or true.all():
        return ()
    points = [(0.0, 0.0)]
    for bound in np.unique(sizes)[::-1]:
        chosen = sizes >= bound
        points.append((float(chosen[~true].mean()), float(chosen[true].mean())))
    step = max(1, len(points) // 40)
    return tuple(dict.fromkeys([*points[::step], points[-1]]))
