"""The space that n-gram models need in a transformer, as a function of length and order."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.formal.ngram.ngram import legal_count
from capax.model.model import Model
from capax.model.parts import Array
from capax.theorems.base.theorem import SizeRow
from capax.theorems.ngram.parts.distance_heads import integer_rows
from capax.theorems.ngram.parts.one_head import product_rows, product_score, sparse_slope
from capax.theorems.ngram.parts.predictor import INTEGERS
from capax.theorems.weights.stream import Stream

TYPES: Final[Mapping[str, type[np.floating[Any]]]] = {"float64": np.float64, "float32": np.float32}


def score_bits(encoding: str, order: int, length: int) -> float:
    """The bits that a score needs at a length, for its highest value to stand out.

    `integer`, `product` (one hard head), `sparsemax` and `softmax` (one head) are integers, or multiples of a fixed
    fraction, of that many bits; `sqrt` needs 1/(8 t^3) beside 1.
    """
    k, log = order - 1, math.log2(length + order - 1)
    match encoding:
        case "sqrt":
            return 3 * log + 3
        case "integer":
            return 2 * log + 1
        case "product":
            return k * (log + 1)
        case "sparsemax":
            return log + math.log2(sparse_slope(k).numerator)
        case _:
            return log + math.log2(3)


def space_rows(model: Model, encoding: str, order: int, symbols: int, length: int) -> tuple[SizeRow, ...]:
    """The rows of a table of sizes that all constructions have."""
    size = model.size
    histories = legal_count(symbols, order - 1)
    return (
        SizeRow("MLP depth", "+".join(map(str, size.mlp_depth)), "", "hidden stages"),
        SizeRow("MLP before attention", size.input_mlp_depth, "", "hidden stages"),
        SizeRow("width", model.width),
        SizeRow(
            "histories",
            histories,
            f"{(symbols + 1) ** (order - 1):,}",
            "a unit for each; the bound counts all tuples of symbols and padding",
        ),
        SizeRow("head dimension", size.head_dimension, "", "the largest of queries, keys and values"),
        SizeRow(
            "bits of a score",
            math.ceil(score_bits(encoding, order, length)),
            _paper(order, length),
            f"length {length:,}",
        ),
        SizeRow("longest word", model.max_length or "any", "any", "at which the arithmetic is exact"),
    )


def _paper(order: int, length: int) -> str:
    return f"{math.ceil(score_bits('sqrt', order, length))} by 1/(8 t^3)"


@dataclass(frozen=True, slots=True)
class SpaceRow:
    """The bits of a score of one construction, as a formula and at a length, and the rows that they allow by numbers.

    `fits` is derived: the rows up to which the numbers have the bits of a score. All of them are exact, except those of
    `sqrt`, whose roots are rounded as well. `wrong` is measured: the first row that singles out wrong rows,
    None where that was not met or not looked for.
    """

    construction: str
    encoding: str
    formula: str
    bits: int
    fits: Mapping[str, int]
    wrong: Mapping[str, int | None]


def space_table(order: int, length: int, measured: int) -> tuple[SpaceRow, ...]:
    """What a score needs in each construction at an order and a length; rows up to `measured` are tried."""
    k = order - 1
    slope = sparse_slope(k).numerator
    rows = (
        ("n - 1 heads, positions of the paper", "sqrt", "3 log2 T + 3", lambda name: _sqrt_rows(INTEGERS[name])),
        ("n - 1 heads or n - 2 layers", "integer", "2 log2 T + 1", integer_rows),
        ("one hard head", "product", f"{k} (log2 T + 1)", lambda name: product_rows(name, k)),
        (
            "one sparsemax head",
            "sparsemax",
            f"log2 T + log2 {slope}" if slope > 1 else "log2 T",
            lambda name: INTEGERS[name] // slope,
        ),
        ("one softmax head", "softmax", "log2 T + log2 3", lambda name: INTEGERS[name] // 3),
    )
    return tuple(
        SpaceRow(
            what,
            encoding,
            formula,
            math.ceil(score_bits(encoding, order, length)),
            {name: fits(name) for name in TYPES},
            {name: _tried(encoding, name, measured, order) for name in TYPES},
        )
        for what, encoding, formula, fits in rows
    )


def _sqrt_rows(integers: int) -> int:
    """The most rows T at which 3 log2 T + 3 bits are at most those of the numbers: 8 T^3 <= 2^bits."""
    row = round(math.cbrt(integers / 8))
    return row if 8 * row**3 <= integers else row - 1


def _tried(encoding: str, numbers: str, most: int, order: int) -> int | None:
    """The first wrong row where the scores single rows out by themselves; weights of soft heads do not."""
    return first_wrong(encoding, numbers, most, order) if encoding in ("sqrt", "integer", "product") else None


def first_wrong(encoding: str, numbers: str, most: int, order: int = 3, start: int = 8) -> int | None:
    """The first row, up to `most`, whose scores single out other rows than they should; None if there is none.

    The scores are those of the heads, computed in the number system. `sqrt` and `integer` look at distance 1; `product`
    at the last order - 1 rows. Of the keys, the 24 nearest are looked at.
    """
    score = _scores(encoding, order, TYPES[numbers])
    expected = np.arange(24) < order - 1 if encoding == "product" else np.arange(24) == 1
    for low in range(start, most, 50_000):
        i = np.arange(low, min(low + 50_000, most), dtype=np.float64)
        j = i[:, None] - np.arange(24)
        s = np.where(j >= 0, score(i[:, None], np.maximum(j, 0)), -np.inf)
        bad = ((s == s.max(axis=1, keepdims=True)) != expected).any(axis=1)
        if bad.any():
            return low + int(bad.argmax())
    return None


def _scores(encoding: str, order: int, kind: Any) -> Callable[[Array, Array], Array]:
    """The scores of positions i (rows, 1) and j (rows, keys) in a number system."""

    def dot(query: list[Array], key: list[Array]) -> Array:
        total = np.zeros(1, kind)
        for a, b in zip(query, key, strict=True):
            total = total + a.astype(kind) * b.astype(kind)
        return np.asarray(total)

    if encoding == "integer":
        return lambda i, j: dot([2 * (i - 1), -np.ones_like(i)], [j, j * j])
    if encoding == "sqrt":
        return lambda i, j: dot(
            [np.sqrt(1 / (i + 1)), np.sqrt(1 - 1 / (i + 1))], [np.sqrt(1 / (j + 2)), np.sqrt(1 - 1 / (j + 2))]
        )
    k = order - 1
    query, _ = product_score(Stream(("i", *(f"i^{p}" for p in range(2, k + 1)))), k)

    def product(i: Array, j: Array) -> Array:
        powers = [(i**p).astype(kind) for p in range(1, k + 1)]
        coefficients = []
        for m in range(k + 1):
            total = np.full(i.shape, 0, kind)
            for p, power in enumerate(powers):
                total = total + kind(query.weight[p, m]) * power
            coefficients.append(total + kind(query.bias[m]))
        return dot(coefficients, [j**p for p in range(k + 1)])

    return product
