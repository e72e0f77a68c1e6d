"""Margins of classes, from bounds of logits or from differences, in which what moves all logits alike cancels.

Lemma. Let class c have the logit w_c x + b_c, where x lies within bounds, computed with an error of at most e_c. Then
the computed logit of class r is above that of class s by at least the minimum of (w_r - w_s) x + b_r - b_s over x, less
e_r + e_s. Bounds of each logit by itself count the doubt about x twice, times weights that may be far larger than
w_r - w_s.
"""

import math
from collections.abc import Sequence

import numpy as np

from capax.certify.intervals.arithmetic import GUARD, OWN, IntervalArithmetic
from capax.model.parts import Affine, Array

AT_ONCE = 2**22
"""So many numbers are held at a time."""


def bound_margins(right: Array, bounds: Sequence[tuple[Array, Array]]) -> Array:
    """For each combination of values how far the right logit is above all others, halved: by bounds of each logit."""
    if len(bounds) == 1:
        return np.full(len(right), np.inf)
    rows = np.arange(len(right))
    low, high = (np.stack([b[end] for b in bounds], 1) for end in (0, 1))
    own = low[rows, right]
    high[rows, right] = -np.inf
    return np.asarray((own - high.max(axis=1)) / 2)


def class_margins(readout: Affine, right: Array, low: Array, high: Array, arithmetic: IntervalArithmetic) -> Array:
    """The same by differences of logits.

    `low` and `high` have a row for each direction that the readout reads, in order, and a column for each combination.
    """
    weight, bias = np.asarray(readout.weight, np.float64), np.asarray(readout.bias, np.float64)
    weight = weight[weight.any(axis=1)]
    arithmetic.spend(len(bias) * len(right) * max(1, len(weight)))
    step = max(1, AT_ONCE // (len(bias) * max(1, len(weight))))
    margins = np.empty(len(right))
    for start in range(0, len(right), step):
        part = slice(start, start + step)
        margins[part] = _margins(weight, bias, right[part], low[:, part], high[:, part], arithmetic)
    return margins


def _margins(
    weight: Array, bias: Array, right: Array, low: Array, high: Array, arithmetic: IntervalArithmetic
) -> Array:
    """The same, of a few combinations: arrays over directions, classes and combinations."""
    sizes = np.maximum(np.abs(low), np.abs(high))
    noise = arithmetic.logit_noise(weight, bias, sizes)
    apart = weight[:, right][:, None] - weight[:, :, None]
    least = np.minimum(apart * low[:, None], apart * high[:, None]).sum(axis=0)
    most = (np.abs(apart) * sizes[:, None]).sum(axis=0)
    gap = bias[right] - bias[:, None]
    own = (len(weight) + 4) * OWN * (most + np.abs(bias[right]) + np.abs(bias[:, None]))
    rows = np.arange(len(right))
    lead = least + gap - (most * arithmetic.common_factor + noise + noise[right, rows] + own) * GUARD
    lead[right, rows] = math.inf
    return np.asarray(lead.min(axis=0) / 2)
