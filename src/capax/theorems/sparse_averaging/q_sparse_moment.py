"""q-sparse averaging by one head of dimension 2q + 1, with many bits.

Statement: for all N, q, d' and 0 < eps < 1 there is an attention unit with one softmax head of dimension 2q + 1, over
numbers of p = O(q log N) bits (and log(1 / eps) more), that is within eps of the mean of z_j over j in y_i, at every
position i, for all z in the unit ball of R^d' and all sets y_i of q positions.
Idea: The polynomial -prod over s in y of (1 - cos(t - s)) is 0 on y and negative elsewhere. It has degree q, so its
values are products of 2q + 1 coefficients (the query) with (1, cos t, sin t, ..., cos qt, sin qt) (the key). The query
is scaled until the values elsewhere are at most -ln(4N / eps). Whole numbers do as well: -prod (x - s)^2.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 3, where
the keys are vertices of a cyclic polytope. That 2q is least is Radon's theorem, worked out here: the coordinate 1 only
moves all scores of a query alike, so that 2q dimensions are enough, and fewer never are.
Scope: Every set is checked where there are at most 5,000, else random sets and the worst ones for a curve (neighbours,
even spreads, clusters). The coefficients are large and cancel. At eps = 0.1 float64 is right up to N = 4,096 (the
longest tried) for q = 1 and 2, to 1,536 for q = 3, 256 for q = 4 and 64 for q = 8 on the circle, float32 to 64, 48, 32
and 16 for q = 2, 3, 4 and 8 (`benchmarks/q_sparse.py`); on the line the sums are exact while they stay below 2^53, in
float32 2^24, which ends earlier from q = 3 on. The map from y to the query is a table of the vocabulary, or an oracle.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Array
from capax.report import Report
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.sparse_averaging.parts.dual import Subset, nearest_dual
from capax.theorems.sparse_averaging.parts.radon import below, least_row
from capax.theorems.sparse_averaging.parts.random_unit import bits, sharpness
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.subsets import Chosen, chosen, hard_for_curve, require_fitting
from capax.theorems.sparse_averaging.parts.unit import oracle_unit, table_unit
from capax.theorems.sparse_averaging.parts.worst_error import proved, report

Curve: TypeAlias = Literal["circle", "line"]
"""Trigonometric polynomials of degree q on a circle, or polynomials of degree 2q in whole numbers on a line."""


def curve_keys(curve: Curve, length: int, degree: int) -> Array:
    """The keys (N, 2 degree + 1).

    On the circle: 1, then cos(k t) and sin(k t) for k = 1 ... degree at the angle t = 2 pi j / N of position j. On the
    line: the powers 0 ... 2 degree of the whole number j - floor(N / 2).
    """
    if curve == "line":
        return (np.arange(length, dtype=float) - length // 2)[:, None] ** np.arange(2 * degree + 1)
    angles = np.outer(2 * np.pi * np.arange(length) / length, np.arange(1, degree + 1))
    pairs = np.stack([np.cos(angles), np.sin(angles)], axis=2).reshape(length, 2 * degree)
    return np.concatenate([np.ones((length, 1)), pairs], axis=1)


def curve_query(curve: Curve, length: int, subset: Iterable[int], error: float) -> Array:
    """The query whose scores are 0 on the subset and at most -ln(4N / error) elsewhere, over the reals.

    The scores are the values of minus a product that has a double root at each position of the subset: of 1 - cos(t -
    s) on the circle, of (x - s)^2 on the line.
    """
    inside = list(subset)
    if curve == "line":
        coefficients = np.array([-1.0])
        for root in inside:
            s = float(root - length // 2)
            coefficients = np.convolve(coefficients, [s * s, -2 * s, 1.0])
        return coefficients * math.ceil(math.log(4 * length / error))
    angles = 2 * np.pi * np.array(inside) / length
    nodes = 2 * np.pi * np.arange(2 * len(inside) + 1) / (2 * len(inside) + 1)
    spectrum = np.fft.rfft(_product(nodes, angles)) / len(nodes)
    pairs = 2 * np.stack([spectrum.real, -spectrum.imag], axis=1)[1:]
    positions = 2 * np.pi * np.delete(np.arange(length), inside) / length
    gap = float(-_product(positions, angles).max()) if len(positions) else 1.0
    return np.concatenate([[spectrum[0].real], pairs.reshape(-1)]) * (math.log(4 * length / error) / gap)


def _product(at: Array, roots: Array) -> Array:
    """Minus the product of 1 - cos(t - s) = 2 sin^2((t - s) / 2) over the roots s."""
    return np.asarray(-np.prod(2 * np.sin((at[:, None] - roots[None, :]) / 2) ** 2, axis=1))


@dataclass(frozen=True, slots=True)
class QSparseMomentParameters:
    """The parameters of the theorem."""

    length: int = parameter(16, "the number N of positions", 2, 4096)
    q: int = parameter(3, "how many positions each position names", 1, 16)
    dimension: int = parameter(1, "the dimension d' of the vectors", 1, 16)
    error: float = parameter(0.1, "the error eps that is allowed", 1e-6, 0.999)
    curve: Curve = parameter(
        "circle", "trigonometric polynomials, or powers of whole numbers", choices=("circle", "line")
    )
    seed: int = parameter(0, "the seed of what is tried", 0)
    subsets: int = parameter(100, "how many random sets are tried where there are more than 5,000", 1, 5000)
    dtype: str = parameter("float64", "the number system, such as float32")
    map: str = parameter("table", "how a set becomes its query", choices=("table", "oracle"))


def subsets_tried(at: QSparseMomentParameters) -> Chosen:
    """All subsets, or random ones and those that are hard for a curve."""
    require_fitting(at.length, at.q)
    random = np.random.default_rng((at.seed, at.length, at.q))
    return chosen(at.length, at.q, at.subsets, hard_for_curve(at.length, at.q), random)


def construct(at: QSparseMomentParameters) -> Model:
    """The attention unit with keys on the curve."""
    keys, which = curve_keys(at.curve, at.length, at.q), subsets_tried(at).subsets
    if at.map == "table":
        queries = np.array([curve_query(at.curve, at.length, subset, at.error) for subset in which])
        return table_unit(keys, queries, which, at.dimension, at.dtype)

    @cache
    def query(subset: Subset) -> Array:
        return curve_query(at.curve, at.length, subset, at.error)

    return oracle_unit(keys, query, which, at.dimension, at.dtype)


def verify(model: Model, at: QSparseMomentParameters) -> Report:
    """Whether the model's answers are within the error, over subsets and all vectors of the unit ball."""
    return report(
        model,
        TokenReading(at.length, at.q, at.dimension),
        subsets_tried(at),
        at.error,
        at.seed,
    )


def prove(model: Model, at: QSparseMomentParameters, least: int) -> ModelProof | None:
    """Whether a model is within the error on all subsets and all vectors of the unit ball, if the subsets are few."""
    return proved(model, TokenReading(at.length, at.q, at.dimension), subsets_tried(at), at.error, at.seed)


def size(at: QSparseMomentParameters) -> tuple[SizeRow, ...]:
    """The head's dimension beside the bounds, and the numbers that it needs."""
    m, p = 2 * at.q + 1, bits(at.dtype)
    which = subsets_tried(at).subsets
    largest = max(float(np.abs(curve_query(at.curve, at.length, subset, at.error)).max()) for subset in which)
    return (
        SizeRow("head dimension m", m, 2 * at.q + 1, "O(q) in the paper"),
        least_row(m, at.length, at.q),
        SizeRow("m, at least", m, round(at.q / p, 3), f"q/p with p = {p} bits, up to a constant"),
        SizeRow("width", 2 * at.dimension + 2 * m, at.dimension + 2 * m, "d' more, where the mean is written"),
        SizeRow("largest number of a query", float(f"{largest:.3g}"), "", "grows as N^(2q)"),
        SizeRow(
            "bits of it", round(math.log2(max(largest, 2)), 1), round(2 * at.q * math.log2(at.length), 1), "2q log2 N"
        ),
    )


def break_it(at: QSparseMomentParameters) -> Report:
    """The failure of a curve of degree q - 1, whose keys span 2q - 2 dimensions: no query singles out some subset."""
    require_fitting(at.length, at.q)
    keys, alpha = curve_keys("circle", at.length, at.q - 1), sharpness(at.length, at.error)

    def build(subset: tuple[Any, ...]) -> Model:
        return table_unit(keys, alpha * nearest_dual(keys, subset[0])[None], subset, at.dimension, at.dtype)

    return below(keys, TokenReading(at.length, at.q, at.dimension), at.error, at.seed, build)


THEOREM = theorem_in(
    __name__,
    QSparseMomentParameters,
    assumptions=("the map from a position's token to its vector is any function: a table over the sets, or an oracle",),
    attention="softmax",
    precision="O(q log N + log(1 / eps)) bits; measured in the number system that is given",
    task="q-sparse-averaging",
    small=(
        {"length": 12, "q": 2, "dimension": 2, "map": "oracle"},
        {"length": 64, "q": 2, "curve": "line"},
        {"length": 64, "q": 2, "dtype": "float32"},
        {"length": 16, "q": 4, "error": 0.01},
        {"length": 500, "q": 1, "error": 0.01},
    ),
    large=(
        {"length": 1024, "q": 2},
        {"length": 512, "q": 3},
        {"length": 64, "q": 8},
        {"length": 1024, "q": 2, "curve": "line"},
    ),
)
