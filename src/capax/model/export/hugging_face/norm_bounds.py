"""How far the neutralised norms can change what is read from the stream, and on what that rests.

Let u be the unit roundoff, D the width, B the pinned number, p the pairs of it, P the pairs that hold directions, and R
a bound on the length of a row of directions. The assumptions on a norm, of any kernel:

1. the mean is within (D + 4) u times the mean absolute value (any order of summation, or Welford's updates);
2. the variance, taken about that mean, is within (2 D + 8) u of it, relative;
3. 1 / sqrt(variance + epsilon) is within 4 u, relative;
4. a coordinate is (x - mean) * r * gain, or x * r - mean * r and then * gain: each operation is rounded once or not at
   all, so that the result is within 3 u (|x| + |mean|) r * gain. A gain that is a power of two rounds nothing.

A direction x is half the difference of its pair: the pair is (x + a / 2, -x + a / 2), where a is 0 in real arithmetic.
Let |a| <= A. The mean m of a row is at most A / 2; call s the computed mean, so |s - m| <= E = (D + 4) u M, where
M = (2 p B + 2 sqrt(P) R + P A) / D bounds the mean absolute value. The variance about s is V (1 + t) for
V = 2 p B^2 / D = (B / 2^root)^2 and |t| <= (2 R^2 + P A^2 / 2 + D (s^2 + A |s|)) / (2 p B^2). The gain is sqrt(V). So
the norm gives (c - s)(1 + d) + e for a coordinate c, with one d for the whole row,

    |d| <= eta0 = t' (1 + t') / 2 + 4 u (1 + t'),  t' = t + (2 D + 8) u (1 + t) + epsilon / V,
    |e| <= 3 u (|c| + s)(1 + eta0),

and reading (first - second) / 2 of a pair gives x up to eta |x| + alpha, eta = eta0 + 3 u (1 + eta0) and
alpha = 3 u (A / 2 + s)(1 + eta0). The shift s is gone.

Where the norms stand before the sublayers, a comes from the rounding of what was written, and A = u B is a room that
the certificate of the answers fills. Where they stand after them, the shift stays in the stream: a = q + r with one q
for the row, and the next norm takes the mean of q away again but for the part f = 1 - 2 P / D of coordinates that hold
no direction. With |r| <= u B it follows that |q| <= (1 + eta0)(f |q| + (1 - f) u B + 2 E) from norm to norm, so
A = u B + (1 + eta0)((1 - f) u B + 2 E) / (1 - f (1 + eta0)).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.model.export.hugging_face.norms import EPSILON, position_rows
from capax.model.export.hugging_face.sizes import HuggingFaceSizes
from capax.model.model import Model
from capax.model.parts import Affine, Array, Head, Mlp
from capax.model.run.run import run_rows

ROUNDOFF: Final = {"float32": 2.0**-24, "float64": 2.0**-53}
GUARD: Final = 1 + 2.0**-30
"""For the rounding of the bounds themselves."""
ROOM: Final = 4
"""Rows may be 2^4 times as long as the longest that was seen; the bound is computed for those."""


def longest_row(model: Model, words: Iterable[Sequence[Any]]) -> float:
    """The greatest Euclidean length of a row of the stream, at any position and layer of some words."""
    by_length: dict[int, list[list[int]]] = {}
    for word in words:
        rows = model.read(word)
        by_length.setdefault(len(rows), []).append(rows)
    longest = 0.0
    for group in by_length.values():
        for start in range(0, len(group), 64):
            trace: dict[str, Array] = {}
            run_rows(model, np.array(group[start : start + 64]), trace)
            for name, array in trace.items():
                if "resid" in name:
                    longest = max(longest, float(np.sqrt(np.square(array.astype(np.float64)).sum(axis=-1).max())))
    return longest


def certain_length(model: Model) -> float:
    """A bound on the length of every row of the stream on every word, by intervals; infinite where they explode.

    It holds in real arithmetic: a mean lies between the least and the greatest value; the rest is interval arithmetic.
    """
    table = position_rows(model, "float64")
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


@dataclass(frozen=True, slots=True)
class NormError:
    """What a neutralised norm does: (c - s)(1 + d) + e with |d| <= `factor` and |s| <= `shift`.

    `apart` bounds the sum of the two coordinates of a pair, `own` the part of it that pairs do not have in common.
    """

    unit: float
    factor: float
    shift: float
    apart: float
    own: float
    reach: float

    @property
    def relative(self) -> float:
        """How far a direction that is read can be off, as a part of itself."""
        return self.factor + 3 * self.unit * (1 + self.factor)

    @property
    def absolute(self) -> float:
        """How far a direction that is read can be off whatever it is."""
        return 3 * self.unit * (self.apart / 2 + self.shift) * (1 + self.factor)


def norm_error(sizes: HuggingFaceSizes, dtype: str, pin: float, reach: float, pairs: int, *, after: bool) -> NormError:
    """The bounds for rows no longer than `reach`; `factor` is infinite where the lemma does not hold."""
    u = ROUNDOFF[dtype]
    own = u * pin
    apart = own
    if after:
        for _ in range(8):  # each is above the one before, and the last one is tried
            apart = 1.001 * _apart(sizes, u, pin, reach, pairs, apart)
    factor, _, shift = _once(sizes, u, pin, reach, pairs, apart)
    if not (factor < 2.0**-4 and (not after or _apart(sizes, u, pin, reach, pairs, apart) <= apart)):
        factor = math.inf
    return NormError(u, factor, shift, apart, own, reach)


def _once(
    sizes: HuggingFaceSizes, u: float, pin: float, reach: float, pairs: int, apart: float
) -> tuple[float, float, float]:
    """The bounds on d, on the error of the mean, and on the mean, given one on the sums of pairs."""
    d, p = sizes.width, sizes.pins
    most = (2 * p * pin + 2 * math.sqrt(pairs) * reach + pairs * apart) / d
    error = (d + 4) * u * most
    shift = apart / 2 + error
    excess = (2 * reach**2 + pairs * apart**2 / 2 + d * (shift**2 + apart * shift)) / (2 * p * pin**2)
    off = excess + (2 * d + 8) * u * (1 + excess) + EPSILON / (pin / 2**sizes.root) ** 2
    return GUARD * (off * (1 + off) / 2 + 4 * u * (1 + off)), error, shift


def _apart(sizes: HuggingFaceSizes, u: float, pin: float, reach: float, pairs: int, apart: float) -> float:
    """The bound on the sums of pairs after a norm that stands in the stream, given one before it."""
    factor, error, _ = _once(sizes, u, pin, reach, pairs, apart)
    rest = 1 - 2 * pairs / sizes.width
    stays = rest * (1 + factor)
    if stays >= 1:
        return math.inf
    return u * pin + GUARD * (1 + factor) * ((1 - rest) * u * pin + 2 * error) / (1 - stays)
