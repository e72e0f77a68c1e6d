"""Ranges of linear functions of the heads' outputs over all words of a class: from a box, or exact.

The box stands in a basis that fits the values: its sides are exact supports, so every y of the class lies in it but for
a rest outside the basis, and |M . (y - y0)| <= sum_k |M . b_k| radius_k + |M| rest. The outputs are means of values, so
few letters at few positions need few directions, however wide the heads are, and the rest is no larger than rounding.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from capax.auditor.bounds.oracle import WordClasses, support
from capax.auditor.bounds.tables import AnswerQuery, HeadTable
from capax.model.parts import Array


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Orthonormal directions (B, m) of the heads' outputs y, and a point (m,) near them.

    Lemma: y - point differs from its projection on the directions by at most `rest` in norm. For each head it is a mean
    of such differences of its values, and the norm is at most the root of the heads' squares.
    """

    directions: Array
    point: Array
    rest: float

    def __len__(self) -> int:
        return len(self.directions)


def basis_of(query: AnswerQuery) -> Basis:
    """The basis that fits the values, head by head along their main directions."""
    directions, points, rests, start = [np.zeros((0, sum(query.sizes)))], [np.zeros(0)], [0.0], 0
    for head, k in zip(query.heads, query.sizes, strict=True):
        main, point, rest = _main_directions(head)
        directions.append(np.zeros((len(main), sum(query.sizes))))
        directions[-1][:, start : start + k] = main
        points.append(point)
        rests.append(rest)
        start += k
    return Basis(np.concatenate(directions), np.concatenate(points), float(np.linalg.norm(rests)))


def _main_directions(head: HeadTable) -> tuple[Array, Array, float]:
    """Orthonormal directions in which a head's values spread, by their weights; their mean; what is outside at most."""
    values = np.concatenate([head.value.reshape(-1, head.value.shape[2]), head.constant_value[None]])
    weight = np.append(head.weight.reshape(-1), head.constant_weight)
    point = weight @ values / max(float(weight.sum()), 1e-300)
    away = values - point
    _, sizes, span = np.linalg.svd(away, full_matrices=False)
    span = span[sizes > 1e-13 * sizes.max(initial=0.0)]
    weighted = np.concatenate([np.sqrt(weight)[:, None] * (away @ span.T), 1e-9 * np.eye(len(span))])
    main = np.linalg.svd(weighted, full_matrices=False)[2] @ span
    outside = np.linalg.norm(away - away @ main.T @ main, axis=1).max()
    return main, point, float(outside + 1e-13 * np.linalg.norm(away, axis=1).max())


class Ranges:
    """The ranges over classes of words; `exact` asks the oracle for each row, else the box is used."""

    def __init__(self, query: AnswerQuery, classes: WordClasses, basis: Basis) -> None:
        self.query, self.classes, self.basis = query, classes, basis
        count, m = len(classes), len(basis)
        rows = np.concatenate([basis.directions, -basis.directions])
        of = np.repeat(np.arange(count), len(rows))
        ends = support(query, classes, of, np.tile(rows, (count, 1))).reshape(count, 2, m)
        self.empty = classes.empty()
        ends[self.empty] = 0.0
        size = np.abs(ends).max(axis=1)
        self.radius = np.maximum((ends[:, 0] + ends[:, 1]) / 2, 0.0) + 1e-12 * (1e-3 + size)
        away = (ends[:, 0] - ends[:, 1]) / 2 - basis.directions @ basis.point
        self.middle = np.where(self.empty[:, None], 0.0, basis.point + away @ basis.directions)
        self.exact = False

    @cached_property
    def _of(self) -> Array:
        return np.arange(len(self.classes))

    def box(self, rows: Array) -> Array:
        """At least |M . (y - y0)| (K, rows) for rows M (K, rows, m)."""
        inside = (np.abs(rows @ self.basis.directions.T) @ self.radius[..., None])[..., 0]
        return np.asarray((inside + self.basis.rest * np.sqrt((rows**2).sum(axis=2))) * (1 + 1e-12))

    def spread(self) -> Array:
        """At least |y - y0| (K, m), coordinate by coordinate."""
        return np.asarray(self.radius @ np.abs(self.basis.directions) + self.basis.rest)

    def box_range(self, rows: Array) -> tuple[Array, Array]:
        """The least and greatest M . (y - y0) (K, rows) in the box, for rows M (K, rows, m)."""
        radius = self.box(rows)
        return -radius, radius

    def __call__(self, rows: Array) -> tuple[Array, Array]:
        """The least and greatest M . (y - y0) (K, rows), or beyond, for rows M (K, rows, m)."""
        radius = self.box(rows)
        if not self.exact:
            return -radius, radius
        high = self._upper(rows, radius, 0.01)
        return -self._upper(-rows, radius, 0.01), high

    def least(self, rows: Array) -> Array:
        """The least M . (y - y0) (K, rows), up to 1e-4 of the box's radius, for rows M (K, rows, m)."""
        return -self._upper(-rows, self.box(rows), 1e-4)

    def _upper(self, rows: Array, radius: Array, tolerance: float) -> Array:
        count, many, m = rows.shape
        of = np.repeat(self._of, many)
        finite: Array = np.asarray(np.isfinite(rows).all(axis=2))
        flat = np.where(finite[..., None], rows, 0.0).reshape(count * many, m)
        with np.errstate(invalid="ignore"):
            allowed = np.where(np.isfinite(radius), tolerance * radius, 0.0)
        top = support(self.query, self.classes, of, flat, allowed.ravel()).reshape(count, many)
        top = np.where(self.empty[:, None], 0.0, top)
        offset = np.einsum("krm,km->kr", rows, self.middle)
        slack = 1e-12 * np.einsum("krm,km->kr", np.abs(rows), np.abs(self.middle))
        return np.where(finite, np.minimum(top - offset + slack, radius), np.inf)
