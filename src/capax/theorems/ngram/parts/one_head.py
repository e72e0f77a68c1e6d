"""One head in one layer, k = n - 1. Three ways to see the last k rows, and their order, under a causal mask.

- hard: the score -prod_{h < k} (i - h - j) is 0 on the last k rows and at most -k! before, so that they tie and nothing
  else does. It is a product of k + 1 powers of i and of j: the head has dimension k + 1.
- sparsemax: the score s j, with 2/(k(k+1)) <= s < 2/(k(k-1)), gives weight to exactly the last k rows.
- softmax: the score 3/2 j. The row at distance h has weight (1 - r) r^h, r = exp(-3/2), whatever the length, so that
  the sum of bits -1 and 1 is a number in base 1/r whose first k digits can be read off: all rows before the last k have
  weight r^k together, and numbers that differ in their first k digits are 5 r^k or more apart.

For hard and sparsemax attention an MLP before the layer writes a row's symbol to the position of the stream for its
position mod k: the mean then has each of the last k symbols at a position of its own, however the weights are.
"""

import math
from fractions import Fraction
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.model.parts import Affine, Head, Mlp, Origin
from capax.theorems.ngram.parts.distance_heads import KINDS
from capax.theorems.ngram.parts.predictor import INTEGERS, LookBack, outputs, own_bits, predictor
from capax.theorems.ngram.parts.recall import Digits, Recalled, bit_names, bits_for
from capax.theorems.weights.stream import Stream, each

SOFT_SLOPE: Final = 1.5
"""A half-integer above ln 4: scores are exact, and r = exp(-1.5) is below 1/4."""


def by_one_head(model: NGram, attention: str, numbers: str, slope: float | None = None) -> LookBack:
    """The single head; `slope` is another factor of j than the right one, to see what happens."""
    if attention == "softmax":
        return _by_digits(model, numbers, slope or SOFT_SLOPE)
    return _by_slots(model, attention, numbers, slope)


def _by_digits(model: NGram, numbers: str, slope: float) -> LookBack:
    """Softmax: the mean of the symbols is read digit by digit."""
    mean = bit_names("mean", bits_for(model.bos + 1))
    stream = Stream((*own_bits(model), *mean, "i", *outputs(model)))
    head = _head(
        stream, stream.affine([{"": 1.0}]), stream.affine([{"i": 1.0}]), own_bits(model), mean, "softmax", slope
    )
    recalled = Digits(np.array([stream.at(name) for name in mean]), math.exp(-SOFT_SLOPE))
    block = stream.block(head)
    return LookBack(stream, {"i": "i"}, (block,), recalled, INTEGERS[numbers] // 3)


def _by_slots(model: NGram, attention: str, numbers: str, slope: float | None) -> LookBack:
    """Hard and sparsemax: each of the last k symbols at a position of its own."""
    k, b, own = model.order - 1, bits_for(model.bos + 1), own_bits(model)
    powers = tuple(f"i^{p}" if p > 1 else "i" for p in range(1, (k if attention == "hard" else 1) + 1))
    phases = tuple(f"phase {r}" for r in range(k)) if k > 1 else ()
    put = tuple(name for r in range(k) for name in bit_names(f"here {r}", b)) if k > 1 else own
    got = tuple(name for r in range(k) for name in bit_names(f"position {r}", b))
    stream = Stream((*dict.fromkeys((*own, *put, *got)), *powers, *phases, *outputs(model)))
    if attention == "hard":
        query, key = product_score(stream, k)
        scale, gain, rows = 1.0, 2.0 * k, product_rows(numbers, k)
    else:
        s = sparse_slope(k)
        query, key = stream.affine([{"": 1.0}]), stream.affine([{"i": 1.0}])
        lowest = (1 - s * k * (k - 1) / 2) / k  # the weight of the oldest of the k rows
        scale, gain, rows = slope or float(s), 2 / float(lowest), INTEGERS[numbers] // s.numerator
    head = _head(stream, query, key, put, got, attention, scale)
    bits = np.array([stream.at(name) for name in got]).reshape(k, b)
    recalled = Recalled(bits, (gain,) * k, phases=tuple(stream.at(name) for name in phases))
    functions = {name: name for name in powers} | {f"[i%{k}={r}]": name for r, name in enumerate(phases)}
    block = stream.block(head)
    before = _put(stream, own, put, phases) if k > 1 else None
    return LookBack(stream, functions, (block,), recalled, rows, input_mlp=before)


def _head(
    stream: Stream,
    query: Affine,
    key: Affine,
    read: tuple[str, ...],
    write: tuple[str, ...],
    attention: str,
    scale: float,
) -> Head:
    value = stream.affine(each(read))
    origin = Origin("the symbols of the last n - 1 rows")
    return Head(query, key, value, stream.onto(write), KINDS[attention], "causal", None, scale, "window", origin)


def _put(stream: Stream, own: tuple[str, ...], put: tuple[str, ...], phases: tuple[str, ...]) -> Mlp:
    """The MLP that writes phase * bit for each phase and bit: relu(phase + bit - 1) - relu(phase - bit - 1)."""
    pairs = [(phase, bit) for phase in phases for bit in own]
    units = [{phase: 1.0, bit: sign, "": -1.0} for phase, bit in pairs for sign in (1.0, -1.0)]
    written = np.repeat(stream.onto(put), 2, axis=0) * np.tile([[1.0], [-1.0]], (len(pairs), 1))
    return Mlp((stream.affine(units), Affine(written, np.zeros(stream.width))))


def product_score(stream: Stream, k: int) -> tuple[Affine, Affine]:
    """Queries and keys of dimension k + 1 whose product is -prod_{h < k} (i - h - j)."""
    terms = np.zeros((k + 1, k + 1))  # the coefficient of j^m i^p
    terms[0, 0] = -1
    for h in range(k):
        step = -h * terms
        step[1:] -= terms[:-1]
        step[:, 1:] += terms[:, :-1]
        terms = step
    names = ["", "i", *(f"i^{p}" for p in range(2, k + 1))]
    query = stream.affine([{name: terms[m, p] for p, name in enumerate(names)} for m in range(k + 1)])
    return query, stream.affine(each(names))


def product_rows(numbers: str, k: int) -> int:
    """The most rows T at which the product is exact: no part of its sum exceeds (2 T)^k."""
    most = int(INTEGERS[numbers] ** (1 / k)) + 1
    while most**k >= INTEGERS[numbers]:
        most -= 1
    return most // 2


def sparse_slope(k: int) -> Fraction:
    """A slope in [2/(k(k+1)), 2/(k(k-1))) with few binary digits, so that its multiples are exact."""
    if k == 1:
        return Fraction(1)
    low, high = Fraction(2, k * (k + 1)), Fraction(2, k * (k - 1))
    size = 1
    while True:
        size *= 2
        numerator = math.ceil(low * size)
        if Fraction(numerator, size) < high:
            return Fraction(numerator, size)


MOST_WEIGHTS: Final = 200_000_000
"""A larger model is refused: the table is written out for every history."""

MOST_ORDER: Final = 9
"""By softmax, the symbols of a history are digits of one number; float32 resolves eight of them."""


def refuse_order(order: int) -> None:
    """Refuses an order that no transformer is built for: better before the n-grams of a text are counted than after."""
    if not 2 <= order <= MOST_ORDER:
        what = f"no transformer of order {order} can be built"
        raise CapaxError("bad-ngram", what, hint=f"orders 2 to {MOST_ORDER} can be built")


def fitted(language: NGram, *, attention: str, numbers: str, **facts: Any) -> Model:
    """The language model as a transformer with one head; `facts` are kept with it."""
    refuse_order(language.order)
    if attention not in ("softmax", "sparsemax", "hard"):
        raise CapaxError(
            "bad-option", f"unknown kind of attention {attention!r:.60}", hint="softmax, sparsemax or hard"
        )
    if numbers not in INTEGERS:
        raise CapaxError("bad-option", f"--dtype is float32 or float64, not {numbers:.60}")
    weights = len(language.histories) * (language.bos + 2)
    if weights > MOST_WEIGHTS:
        what = f"{len(language.histories):,} histories of {language.bos + 1:,} probabilities are too many weights"
        raise CapaxError("too-large", what, hint="take a smaller order, or characters and not words")
    return predictor(
        language, by_one_head(language, attention, numbers), numbers=numbers, normaliser="softmax", **facts
    )
