"""How well scores rank true edges above others."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from capax.model.parts import Array

NOISE: Final = 1e-5
"""A score that is this small beside the largest is rounding, and counts as 0."""


class Losses(NamedTuple):
    """What an area lacks to 1, by the reason: the sum of the four is 1 less the area."""

    zero: float
    """To true edges whose score is exactly 0."""
    tiny: float
    """To true edges whose score is so small that it counts as 0."""
    groups: float
    """To edges of heads that cancel or stand in for each other, which rank above true ones."""
    others: float
    """To other edges that rank above true ones."""


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
    lost: Losses
    """What the area lacks to 1, by the reason."""


def ranking(
    scores: Mapping[str, float], truth: Collection[str], left_out: Collection[str] = (), groups: Collection[str] = ()
) -> Ranking:
    """How a method's scores rank the edges; sizes count, not signs. Edges that are left out count neither way.

    `groups` are the edges of heads that cancel or stand in for each other: what is lost to them is told apart.
    """
    names = [name for name in scores if name not in left_out]
    sizes = np.abs(np.array([scores[name] for name in names], dtype=float))
    true = np.array([name in truth for name in names], dtype=bool)
    clear = np.where(sizes > noise_of(scores), sizes, 0.0)
    zeros = float((clear == 0).mean()) if len(sizes) else 0.0
    areas = auroc(clear, true), auroc(sizes, true)
    lost = losses(sizes, clear, true, np.array([name in groups for name in names], dtype=bool))
    return Ranking(len(names), int(true.sum()), areas[0], roc(clear, true), zeros, areas[1], lost)


def losses(sizes: Array, clear: Array, true: Array, groups: Array) -> Losses:
    """What the area of `clear` lacks to 1, by the reason; `sizes` are the scores before tiny ones were set to 0."""
    inside, outside = clear[true], clear[~true]
    if not len(inside) or not len(outside):
        return Losses(*[float("nan")] * 4)
    above = ((inside[:, None] < outside) + 0.5 * (inside[:, None] == outside)) / (len(inside) * len(outside))
    zero, spoken = sizes[true] == 0, inside > 0
    parts = above[zero], above[~zero & ~spoken], above[spoken][:, groups[~true]], above[spoken][:, ~groups[~true]]
    return Losses(*(float(part.sum()) for part in parts))


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
