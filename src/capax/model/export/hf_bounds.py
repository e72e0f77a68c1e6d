"""How far the neutralised norms can change what is read from the stream, and on what that rests.

Let u be the unit roundoff, D the width, B the pinned number, p the pairs of it, and R a bound on the length of a row of
directions, so that 2 R^2 bounds the squares of its coordinates. The assumptions on a norm, of any kernel:

1. the mean is within (D + 4) u times the mean absolute value (any order of summation, or Welford's updates);
2. the variance, taken about that mean, is within (2 D + 8) u of it, relative;
3. 1 / sqrt(variance + epsilon) is within 4 u, relative;
4. a coordinate is (x - mean) * r * gain, or x * r - mean * r and then * gain: each operation is rounded once or not at
   all, so that the result is within 3 u (|x| + |mean|) r * gain. A gain that is a power of two rounds nothing.
5. the two coordinates of a pair, which are written by weights that are negatives of each other, sum to at most u B.

A value x is half the difference of its pair. The mean of a row is then at most u B / 2, computed within (D + 4) u
of the mean absolute value; call s the computed mean. The true variance is (2 p B^2 + 2 |x|^2) / D, between
V = 2 p B^2 / D = (B / 2^root)^2 and V (1 + R^2 / (p B^2)); about s it grows by at most s^2. The gain is sqrt(V). So the
norm gives (x - s)(1 + d) + e with one d for the whole row,

    |d| <= eta0 = (D + 4) u + 4 u + (R^2 / p + D s^2 / 2 p) / (2 B^2) + epsilon / (2 V),
    |e| <= 3 u (|x| + s)(1 + eta0),

and reading (first - second) / 2 of a pair gives x up to eta |x| + alpha, eta = eta0 + 3 u (1 + eta0) and
alpha = 3 u s (1 + eta0). The shift s is gone.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from capax.model.export.hf_norms import EPSILON, places
from capax.model.export.hf_sizes import Sizes
from capax.model.model import Model
from capax.model.parts import Affine, Array, Head, Mlp
from capax.model.run import run_rows

ROUNDOFF: Final = {"float32": 2.0**-24, "float64": 2.0**-53}
ROOM: Final = 4
"""Rows may be 2^4 times as long as the longest that was seen; the bound is computed for those."""


def longest_row(model: Model, words: Iterable[Sequence[Any]]) -> float:
    """The greatest Euclidean length of a row of the stream, at any place and layer of some words."""
    by_length: dict[int, list[list[int]]] = {}
    for word in words:
        rows = model.read(word)
        by_length.setdefault(len(rows), []).append(rows)
    found = 0.0
    for group in by_length.values():
        for start in range(0, len(group), 64):
            trace: dict[str, Any] = {}
            run_rows(model, np.array(group[start : start + 64]), trace)
            for name, array in trace.items():
                if "resid" in name:
                    found = max(found, float(np.sqrt(np.square(array.astype(np.float64)).sum(axis=-1).max())))
    return found


def certain_length(model: Model) -> float:
    """A bound on the length of every row of the stream on every word, by intervals; infinite where they explode.

    It holds in real arithmetic: a mean lies between the least and the greatest value; the rest is interval arithmetic.
    """
    table = places(model, "float64")
    tokens = model.embedding.astype(np.float64)
    low, high = tokens.min(axis=0) + table.min(axis=0), tokens.max(axis=0) + table.max(axis=0)
    longest = _length(low, high)
    for block in model.blocks:
        more_low, more_high = block.bias.astype(np.float64), block.bias.astype(np.float64)
        for head in block.heads:
            assert isinstance(head, Head)
            output = Affine(head.output, np.zeros(model.width))
            least, most = _through(output, *_through(head.value, low, high))
            more_low, more_high = more_low + least, more_high + most
        low, high = low + more_low, high + more_high
        longest = max(longest, _length(low, high))
        if isinstance(block.mlp, Mlp):
            first, second = block.mlp.maps
            least, most = _through(first, low, high)
            least, most = _through(
                second, np.maximum(least, -0.17 * (block.mlp.activation != "relu")), np.maximum(most, 0)
            )
            low, high = low + least, high + most
            longest = max(longest, _length(low, high))
    return longest


def _through(map: Affine, low: Array, high: Array) -> tuple[Array, Array]:
    """The bounds after an affine map."""
    weight, bias = map.weight.astype(np.float64), map.bias.astype(np.float64)
    up, down = np.maximum(weight, 0), np.minimum(weight, 0)
    return low @ up + high @ down + bias, high @ up + low @ down + bias


def _length(low: Array, high: Array) -> float:
    return float(np.sqrt(np.square(np.maximum(np.abs(low), np.abs(high))).sum()))


def bound(sizes: Sizes, dtype: str, pin: float, reach: float) -> dict[str, float]:
    """The bound for rows no longer than `reach`: reading x gives x up to `relative` * |x| + `absolute`."""
    u, d, p = ROUNDOFF[dtype], sizes.width, sizes.pins
    spread = (2 * p * pin + 2 * math.sqrt(d / 2) * reach) / d  # the mean absolute value of a row
    shift = (d + 4) * u * spread + u * pin / 2
    factor = (d + 8) * u + (reach**2 / p + d * shift**2 / (2 * p)) / (2 * pin**2)
    factor += EPSILON / (2 * (pin / 2**sizes.root) ** 2)
    return {
        "relative": factor + 3 * u * (1 + factor),
        "absolute": 3 * u * shift * (1 + factor),
        "shift": shift,
        "reach": reach,
    }
