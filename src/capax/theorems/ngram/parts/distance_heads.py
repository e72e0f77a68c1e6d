"""n - 1 heads in one layer: head h looks at the symbol at distance h, for h = 0 ... n - 2.

Two encodings of positions. `integer`: the query (2(i - h), -1) and the key (j, j^2) have the product
(i - h)^2 - (i - h - j)^2, whose highest value is at j = i - h, and all others are lower by 1 or more, at every length.
`sqrt`, the paper's: unit vectors (sqrt(1/t), sqrt(1 - 1/t)) for the query, with t = i + 1, and for the key the same
with t = j + 1 + h. Their product is 1 only at j = i - h, but the next is lower by 1/(8 t^3) alone.

Hard attention takes the highest. Sparsemax does too when the others are lower by 1. Softmax with scale 2 gives it more
than 3/4 of the weight, and the MLP removes the rest.
"""

import math

import numpy as np

from capax.formal.ngram.ngram import NGram
from capax.model.parts import Affine, Array, AttentionKind, Head, Origin
from capax.theorems.ngram.parts.predictor import INTEGERS, LookBack, outputs, own_bits
from capax.theorems.ngram.parts.recall import Recalled, bit_names, bits_for
from capax.theorems.weights.stream import Stream, each

KINDS: dict[str, AttentionKind] = {"hard": "average-hard", "sparsemax": "sparsemax", "softmax": "softmax"}
SOFT_SCALE = 2.0
SOFT_GAIN = 4.0
"""With scale 2 the sought row has more than 0.78 of the weight, so that a bit is at least 0.57 in size."""


def by_heads(model: NGram, attention: str, numbers: str, encoding: str, rows: int) -> LookBack:
    """One layer of n - 1 heads; `rows` is the length of the table of the sqrt encoding."""
    k, b = model.order - 1, bits_for(model.bos + 1)
    ages = [bit_names(f"age {h}", b) for h in range(k)]
    positions: tuple[str, ...] = ("i", "i^2")
    if encoding == "sqrt":
        positions = ("q.0", "q.1", *(f"k {h}.{c}" for h in range(k) for c in (0, 1)))
    stream = Stream((*own_bits(model), *(name for age in ages for name in age), *positions, *outputs(model)))
    heads = tuple(_head(stream, own_bits(model), ages[h], h, attention, encoding, rows) for h in range(k))
    bits = np.array([[stream.at(name) for name in age] for age in ages])
    soft = attention == "softmax"
    recalled = Recalled(bits, (SOFT_GAIN if soft else 1.0,) * k, exact=not soft)
    block = (stream.block(*heads),)
    if encoding == "sqrt":
        return LookBack(stream, {}, block, recalled, rows, _sqrt_table(stream, k, rows))
    return LookBack(stream, {name: name for name in positions}, block, recalled, integer_rows(numbers))


def integer_rows(numbers: str) -> int:
    """The most rows at which the integer scores are exact: their parts are at most 2 i j."""
    return math.isqrt(INTEGERS[numbers] // 2)


def distance_head(stream: Stream, read: tuple[str, ...], write: tuple[str, ...], h: int, attention: str) -> Head:
    """The head that copies directions from the row at distance h, by the integer encoding."""
    return stream.head(
        query=[{"i": 2.0, "": -2.0 * h}, {"": -1.0}],
        key=[{"i": 1.0}, {"i^2": 1.0}],
        value=each(read),
        into=write,
        attention=KINDS[attention],
        mask="causal",
        scale=SOFT_SCALE if attention == "softmax" else 1.0,
        name=f"distance {h}",
        origin=Origin(f"the symbol at distance {h}"),
    )


def _head(
    stream: Stream,
    read: tuple[str, ...],
    write: tuple[str, ...],
    h: int,
    attention: str,
    encoding: str,
    rows: int,
) -> Head:
    if encoding == "integer":
        return distance_head(stream, read, write, h, attention)
    # The scores differ by 1/(8 t^3): sparsemax and softmax need so large a scale.
    gap = {"hard": 1.0, "sparsemax": 8.0 * (rows + h) ** 3, "softmax": 16.0 * (rows + h) ** 3}[attention]
    return stream.head(
        query=[{"q.0": 1.0}, {"q.1": 1.0}],
        key=[{f"k {h}.0": 1.0}, {f"k {h}.1": 1.0}],
        value=each(read),
        into=write,
        attention=KINDS[attention],
        mask="causal",
        scale=gap,
        name=f"distance {h}",
        origin=Origin(f"the symbol at distance {h}, by the paper's positions"),
    )


def _sqrt_table(stream: Stream, k: int, rows: int) -> Array:
    table = np.zeros((rows, stream.width))
    t = np.arange(rows) + 1.0
    for name, position in [("q", t), *((f"k {h}", t + h) for h in range(k))]:
        table[:, stream.at(f"{name}.0")] = np.sqrt(1 / position)
        table[:, stream.at(f"{name}.1")] = np.sqrt(1 - 1 / position)
    return table


def sharpened(stream: Stream, raw: tuple[str, ...], write: tuple[str, ...]) -> tuple[Affine, ...]:
    """The maps of an MLP that writes -1 or 1, exactly, for directions that attention left near them.

    With u = relu(1 - gain x), which is 0 or at least 2, relu(1 - u / 2) is 1 or 0.
    """
    count = len(raw)
    first = stream.affine([{name: -SOFT_GAIN, "": 1.0} for name in raw])
    second = Affine(-0.5 * np.eye(count), np.ones(count))
    written = stream.onto(write)
    return first, second, Affine(2.0 * written, -written.sum(axis=0))
