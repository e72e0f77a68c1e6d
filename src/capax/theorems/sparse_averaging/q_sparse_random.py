"""q-sparse averaging by one head of dimension O(q log N).

Statement: for all N, q, d' and 0 < eps < 1 there is an attention unit with one softmax head of dimension m = O(q log N)
that is within eps of the mean of z_j over j in y_i, at every position i, for all z_1 ... z_N in the unit ball of R^d'
and all y_i of q positions. It needs p = O(log((q / eps) log N)) bits.
Idea: The keys u_1 ... u_N are random sign vectors: m = O(q log N) of them make any 2q nearly orthogonal. So every set y
has a dual vector w_y with <u_j, w_y> = 1 on y and at most 1/2 elsewhere. The query alpha w_y, alpha = 2 ln(4N / eps),
gives equal weights on y, and all that lies elsewhere weighs at most eps / (4q).
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 2. The
bound 2q below is Radon's theorem, worked out here; mp >= c q, with some constant c, is their Theorem 4.
Scope: the dual vectors are computed, by an active-set method; that a random matrix has them for every set is checked
for every set where there are at most 5,000, else for random sets and for sets that a search made hard. The worst
vectors are found from the head's weights, and run. The map from y to w_y is any function in the theorem: here it is an
embedding row for each (vector, set) in the vocabulary, or an oracle (`--map oracle`). `q-sparse-honest` has a ReLU
network for it. The smallest m is that of one seed's keys, whose first m columns are used: 1.1 to 4.6 q ln N at the
sizes tried, and hardly more in float16 and fixed:16.9.
"""

import math
from dataclasses import dataclass
from typing import Any

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.sparse_averaging.parts.dual import nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.radon import below, least_row
from capax.theorems.sparse_averaging.parts.random_unit import (
    RandomKeys,
    bits,
    duals,
    random_unit,
    sharpness,
    smallest_m,
    smallest_working_m,
    subsets_for,
)
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.subsets import require_fitting
from capax.theorems.sparse_averaging.parts.unit import table_unit
from capax.theorems.sparse_averaging.parts.worst_error import proved, report


@dataclass(frozen=True, slots=True)
class QSparseRandomParameters:
    """The parameters of the theorem."""

    length: int = parameter(16, "the number N of positions", 2, 4000)
    q: int = parameter(3, "how many positions each position names", 1, 64)
    dimension: int = parameter(1, "the dimension d' of the vectors", 1, 16)
    error: float = parameter(0.1, "the error eps that is allowed", 1e-6, 0.999)
    m: int = parameter(0, "the dimension of queries and keys; 0 for the smallest that works", 0, 16000)
    seed: int = parameter(0, "the seed of the keys, and of what is tried", 0)
    subsets: int = parameter(200, "how many random sets are tried where there are more than 5,000", 1, 5000)
    dtype: str = parameter("float64", "the number system, such as float16 or fixed:16.9")
    map: str = parameter("table", "how a set becomes its query", choices=("table", "oracle"))


def keys_of(at: QSparseRandomParameters) -> RandomKeys:
    """The random keys."""
    require_fitting(at.length, at.q)
    return RandomKeys(at.length, at.q, at.seed, at.subsets)


def settled_m(at: QSparseRandomParameters) -> int:
    """The size that is meant by m: itself, or for 0 the smallest that works, or else that has all dual vectors."""
    keys = keys_of(at)
    return at.m or smallest_working_m(keys, at.error, at.dtype) or smallest_m(keys)


def construct(at: QSparseRandomParameters) -> Model:
    """The attention unit; for m = 0 that of the smallest m that works."""
    return random_unit(keys_of(at), settled_m(at), dimension=at.dimension, error=at.error, numbers=at.dtype, map=at.map)


def verify(model: Model, at: QSparseRandomParameters) -> Report:
    """Whether the model's answers are within the error, over subsets and all vectors of the unit ball."""
    which = subsets_for(keys_of(at), settled_m(at))
    return report(model, TokenReading(at.length, at.q, at.dimension), which, at.error, at.seed)


def prove(model: Model, at: QSparseRandomParameters, least: int) -> ModelProof | None:
    """Whether a model is within the error on all subsets and all vectors of the unit ball, if the subsets are few."""
    which = subsets_for(keys_of(at), settled_m(at))
    return proved(model, TokenReading(at.length, at.q, at.dimension), which, at.error, at.seed)


def size(at: QSparseRandomParameters) -> tuple[SizeRow, ...]:
    """The head's dimension and the smallest one, beside q log N and the lower bounds."""
    keys, built = keys_of(at), settled_m(at)
    works = smallest_working_m(keys, at.error, at.dtype)
    unit, p = at.q * math.log(at.length), bits(at.dtype)
    vectors = duals(keys, built)
    longest = 0.0 if isinstance(vectors, tuple) else float((vectors**2).sum(axis=1).max()) ** 0.5 * math.sqrt(built)
    all_of = "all" if subsets_for(keys, built).all else "the tried"
    least: int | str = "none found" if works is None else works
    return (
        SizeRow("head dimension m", built, round(unit, 1), "bound: q ln N, without its constant"),
        SizeRow(
            "smallest m that works",
            least,
            round(unit, 1),
            f"for {all_of} subsets, in {at.dtype}, keys of seed {at.seed}",
        ),
        SizeRow("m over q ln N", round(built / unit, 2), "", "the constant of these keys"),
        SizeRow("m, at least", built, round(at.q / p, 3), f"q/p with p = {p} bits, up to a constant"),
        least_row(built, at.length, at.q),
        SizeRow("width", 2 * at.dimension + 2 * built, at.dimension + 2 * built, "d' more, where the mean is written"),
        SizeRow(
            "longest dual vector", round(longest, 2), round(2 * math.sqrt(at.q), 2), "bound: 2 sqrt(q), with isometry"
        ),
        SizeRow(
            "alpha", sharpness(at.length, at.error), round(2 * math.log(4 * at.length / at.error), 1), "2 ln(4N / eps)"
        ),
    )


def break_it(at: QSparseRandomParameters) -> Report:
    """The failure with 2q - 1 dimensions, on a subset that no query singles out."""
    require_fitting(at.length, at.q)
    keys, alpha = sign_keys(at.length, 2 * at.q - 1, at.seed), sharpness(at.length, at.error)

    def build(subset: tuple[Any, ...]) -> Model:
        queries = alpha * nearest_dual(keys, subset[0])[None]
        return table_unit(keys, queries, subset, at.dimension, at.dtype)

    return below(keys, TokenReading(at.length, at.q, at.dimension), at.error, at.seed, build)


THEOREM = theorem_in(
    __name__,
    QSparseRandomParameters,
    assumptions=(
        "the map from a position's token to its vector is any function: a table over the sets, or an oracle",
        "every set has a dual vector for the random keys, which is checked",
    ),
    attention="softmax",
    precision="p = O(log((q / eps) log N)) bits; measured in the number system that is given",
    task="q-sparse-averaging",
    small=(
        {"length": 12, "q": 2, "dimension": 2, "map": "oracle"},
        {"length": 16, "q": 3, "dtype": "float16"},
        {"length": 16, "q": 3, "dtype": "fixed:16.9"},
        {"length": 12, "q": 1, "dtype": "float32", "error": 0.01},
        {"length": 64, "q": 4, "subsets": 60},
    ),
    large=(
        {"length": 64, "q": 2},
        {"length": 200, "q": 5},
        {"length": 200, "q": 5, "dtype": "float16"},
        {"length": 1000, "q": 10, "subsets": 300},
    ),
)
