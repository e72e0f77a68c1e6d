"""A linear threshold of counts with whole weights, found by the perceptron and made as small as it goes."""

from collections.abc import Sequence
from math import gcd
from typing import Final

import numpy as np

from capax.decompiler.feature import Feature
from capax.model.parts import Array
from capax.rasp.ir.nodes import Const, Map, SOpNode

ROUNDS: Final = 400
LARGEST: Final = 40
"""Weights beyond this size are no explanation."""


def threshold(target: Array, counts: Sequence[Feature]) -> Feature | None:
    """The s-op `w1 * c1 + w2 * c2 + ... + b > 0` that is true in the rows of a target; None if none was found."""
    if not counts or target.all() or not target.any():
        return None
    inputs = np.stack([*(f.values for f in counts), np.ones(len(target))], axis=1).astype(np.int64)
    weights = _perceptron(inputs, np.where(target, 1, -1))
    if weights is None:
        return None
    weights = _smaller(weights, inputs, target)
    if np.abs(weights).max() > LARGEST:
        return None
    node, cost = _sum(weights[:-1].tolist(), counts, int(weights[-1]))
    return Feature(node, "bool", target * 1.0, cost)


def _perceptron(inputs: Array, signs: Array) -> Array | None:
    """Whole weights with which every sum has its sign; None if the rounds do not suffice."""
    weights = np.zeros(inputs.shape[1], np.int64)
    for _ in range(ROUNDS):
        wrong = np.flatnonzero(np.where(inputs @ weights > 0, 1, -1) != signs)
        if not len(wrong):
            return weights
        for row in wrong[:50].tolist():
            if (1 if inputs[row] @ weights > 0 else -1) != signs[row]:
                weights = weights + signs[row] * inputs[row]
    return None


def _smaller(weights: Array, inputs: Array, target: Array) -> Array:
    """The same threshold with smaller weights, where rounding them or dividing them leaves it right."""
    best = weights // max(1, gcd(*weights.tolist()))
    for largest in range(1, int(np.abs(best).max())):
        scaled = np.rint(best[:-1] * largest / max(1, np.abs(best[:-1]).max())).astype(np.int64)
        for shift in range(-largest * 4, largest * 4 + 1):
            candidate = np.array([*scaled, shift])
            if np.array_equal(inputs @ candidate > 0, target):
                return candidate
    return np.asarray(best)


def _sum(weights: list[int], counts: Sequence[Feature], shift: int) -> tuple[SOpNode, float]:
    """A weighted sum of counts compared with a constant."""
    plus = [_times(w, f) for w, f in zip(weights, counts, strict=True) if w > 0]
    minus = [_times(-w, f) for w, f in zip(weights, counts, strict=True) if w < 0]
    sides: list[SOpNode] = []
    for parts in (plus, minus):
        total: SOpNode | None = None
        for part in parts:
            total = part if total is None else Map("+", (total, part))
        sides.append(total if total is not None else Const(0))
    left, right = sides
    if shift and minus:
        left = Map("+" if shift > 0 else "-", (left, Const(abs(shift))))
    elif shift:
        right = Const(-shift)
    size = 2.0 * len(plus) + 2.0 * len(minus) + 2.0
    return Map(">", (left, right)), size


def _times(weight: int, count: Feature) -> SOpNode:
    return count.node if weight == 1 else Map("*", (Const(weight), count.node))
