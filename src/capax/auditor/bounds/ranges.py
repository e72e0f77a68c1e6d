"""Ranges of linear functions of the heads' outputs over all words of a class: from a box, or exact.

The box stands in a basis that fits the values: its sides are exact supports, so every y of the class lies in it, and
|M . (y - y0)| <= sum_k |M . b_k| radius_k.
"""

from functools import cached_property

import numpy as np

from capax.auditor.bounds.oracle import WordClasses, support
from capax.auditor.bounds.tables import AnswerQuery
from capax.model.parts import Array


def basis_of(query: AnswerQuery) -> Array:
    """An orthonormal basis (m, m) of the heads' outputs, head by head along the main directions of the values."""
    size = sum(query.sizes)
    basis, start = np.zeros((size, size)), 0
    for head, k in zip(query.heads, query.sizes, strict=True):
        weight = np.sqrt(head.weight.reshape(-1, 1))
        values = head.value.reshape(-1, k)
        mean = (weight**2 * values).sum(axis=0) / max(float((weight**2).sum()), 1e-300)
        rows = np.concatenate([weight * (values - mean), 1e-9 * np.eye(k)])
        basis[start : start + k, start : start + k] = np.linalg.svd(rows, full_matrices=False)[2]
        start += k
    return basis


class Ranges:
    """The ranges over classes of words; `exact` asks the oracle for each row, else the box is used."""

    def __init__(self, query: AnswerQuery, classes: WordClasses, basis: Array) -> None:
        self.query, self.classes = query, classes
        count, m = len(classes), len(basis)
        rows = np.concatenate([basis, -basis])
        of = np.repeat(np.arange(count), len(rows))
        ends = support(query, classes, of, np.tile(rows, (count, 1))).reshape(count, 2, m)
        self.empty = classes.empty()
        ends[self.empty] = 0.0
        size = np.abs(ends).max(axis=1)
        self.radius = np.maximum((ends[:, 0] + ends[:, 1]) / 2, 0.0) + 1e-12 * (1e-3 + size)
        self.basis = basis
        self.middle = ((ends[:, 0] - ends[:, 1]) / 2) @ basis
        self.exact = False

    @cached_property
    def _of(self) -> Array:
        return np.arange(len(self.classes))

    def box(self, rows: Array) -> Array:
        """At least |M . (y - y0)| (K, rows) for rows M (K, rows, m)."""
        inside = np.abs(rows @ self.basis.T)
        return np.asarray((inside @ self.radius[..., None])[..., 0] * (1 + 1e-12))

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
