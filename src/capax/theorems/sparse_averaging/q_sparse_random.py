"""q-sparse averaging by one softmax head with random keys and least-norm queries.

Statement. For all N, q, d' and 0 < eps < 1 there is an attention unit with one softmax head of dimension m = O(q log N)
that is within eps of the mean of z_j over j in y_i, at every place i, for all z_1 ... z_N in the unit ball of R^d' and
all y_i of q places. It needs p = O(log((q / eps) log N)) bits.

Idea. The keys u_1 ... u_N are random sign vectors: m = O(q log N) of them make any 2q nearly orthogonal. So every set
y has a dual vector w_y with <u_j, w_y> = 1 on y and at most 1/2 elsewhere. The query alpha w_y, alpha = 2 ln(4N / eps),
gives equal weights on y, and all that lies elsewhere weighs at most eps / (4q).

Cite. Sanford, Hsu and Telgarsky 2023 (Representational Strengths and Limitations of Transformers), Theorem 2. The bound
2q below is Radon's theorem, worked out here; mp >= c q, with some constant c, is their Theorem 4.

Scope. The dual vectors are computed, by an active-set method; that a random matrix has them for every set is checked
for every set where there are at most 5,000, else for random sets and for sets that a search made hard. The worst
vectors are found from the head's weights, and run. The map from y to w_y is any function in the theorem: here it is an
embedding row for each (vector, set) in the vocabulary, or an oracle (`--map oracle`). `q-sparse-honest` has a ReLU
network for it. "Smallest m" is that of one seed's keys, whose first m columns are used.
"""

import math
from typing import Any

from capax.model.model import Model
from capax.report import Report
from capax.tasks.base.parameter import Parameter
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.sparse_averaging.parts.dual import nearest_dual, sign_keys
from capax.theorems.sparse_averaging.parts.fitting import require_fitting
from capax.theorems.sparse_averaging.parts.measure import report
from capax.theorems.sparse_averaging.parts.radon import least_row
from capax.theorems.sparse_averaging.parts.random_unit import (
    bits,
    duals,
    random_unit,
    sharpness,
    smallest_m,
    smallest_working_m,
    subsets_for,
)
from capax.theorems.sparse_averaging.parts.reading import Reading
from capax.theorems.sparse_averaging.parts.too_few_dimensions import below
from capax.theorems.sparse_averaging.parts.unit import table_unit


def construct(
    length: int, q: int, dimension: int, error: float, m: int, seed: int, subsets: int, numbers: str, map: str
) -> Model:
    """The attention unit; for m = 0 that of the smallest m that works."""
    size = settled_m(length, q, error, m, seed, subsets, numbers)
    return random_unit(length, q, dimension, error, size, seed, subsets, numbers, map)


def verify(
    model: Model,
    length: int,
    q: int,
    dimension: int,
    error: float,
    m: int,
    seed: int,
    subsets: int,
    numbers: str,
    map: str,
) -> Report:
    """Whether the model's answers are within the error, over subsets and all vectors of the unit ball."""
    which = subsets_for(length, q, settled_m(length, q, error, m, seed, subsets, numbers), seed, subsets)
    return report(model, Reading(length, q, dimension), which, error, seed)


def settled_m(length: int, q: int, error: float, m: int, seed: int, subsets: int, numbers: str) -> int:
    """The size that is meant by m: itself, or for 0 the smallest that works, or else that has all dual vectors."""
    require_fitting(length, q)
    if m:
        return m
    return smallest_working_m(length, q, error, seed, subsets, numbers) or smallest_m(length, q, seed, subsets)


def size(
    length: int, q: int, dimension: int, error: float, m: int, seed: int, subsets: int, numbers: str, map: str
) -> tuple[Row, ...]:
    """The head's dimension and the smallest one, beside q log N and the lower bounds."""
    built = settled_m(length, q, error, m, seed, subsets, numbers)
    works = smallest_working_m(length, q, error, seed, subsets, numbers)
    unit, p = q * math.log(length), bits(numbers)
    found = duals(length, q, built, seed, subsets)
    longest = 0.0 if isinstance(found, tuple) else float((found**2).sum(axis=1).max()) ** 0.5 * math.sqrt(built)
    all_of = "all" if subsets_for(length, q, built, seed, subsets).all else "the tried"
    least: int | str = "none found" if works is None else works
    return (
        Row("head dimension m", built, round(unit, 1), "bound: q ln N, without its constant"),
        Row("smallest m that works", least, round(unit, 1), f"for {all_of} subsets, in {numbers}, keys of seed {seed}"),
        Row("m over q ln N", round(built / unit, 2), "", "the constant of these keys"),
        Row("m, at least", built, round(q / p, 3), f"q/p with p = {p} bits, up to a constant"),
        least_row(built, length, q),
        Row("width", 2 * dimension + 2 * built, dimension + 2 * built, "d' more, where the mean is written"),
        Row("longest dual vector", round(longest, 2), round(2 * math.sqrt(q), 2), "bound: 2 sqrt(q), with isometry"),
        Row("alpha", sharpness(length, error), round(2 * math.log(4 * length / error), 1), "2 ln(4N / eps)"),
    )


def break_it(
    length: int, q: int, dimension: int, error: float, m: int, seed: int, subsets: int, numbers: str, map: str
) -> Report:
    """The failure with 2q - 1 dimensions, on a subset that no query singles out."""
    require_fitting(length, q)
    keys, alpha = sign_keys(length, 2 * q - 1, seed), sharpness(length, error)

    def build(subset: tuple[Any, ...]) -> Model:
        queries = alpha * nearest_dual(keys, subset[0])[None]
        return table_unit(keys, queries, subset, dimension, numbers)

    return below(keys, Reading(length, q, dimension), error, seed, build)


THEOREM = Theorem(
    name="q-sparse-random",
    title="q-sparse averaging by one head of dimension O(q log N)",
    statement=(
        "For all N, q, d' and 0 < eps < 1 there is an attention unit with one softmax head of dimension "
        "m = O(q log N) that is within eps of the mean of z_j over j in y_i, at every place i, for all z in the unit "
        "ball of R^d' and all sets y_i of q places."
    ),
    assumptions=(
        "the map from a place's token to its vector is any function: a table over the sets, or an oracle",
        "every set has a dual vector for the random keys, which is checked",
    ),
    attention="softmax",
    precision="p = O(log((q / eps) log N)) bits; measured in the number system that is given",
    citation="Sanford, Hsu and Telgarsky 2023, Representational Strengths and Limitations of Transformers, Theorem 2",
    parameters=(
        Parameter("length", 16, "the number N of places", 2, 4000),
        Parameter("q", 3, "how many places each place names", 1, 64),
        Parameter("dimension", 1, "the dimension d' of the vectors", 1, 16),
        Parameter("error", 0.1, "the error eps that is allowed", 1e-6, 0.999),
        Parameter("m", 0, "the dimension of queries and keys; 0 for the smallest that works", 0, 16000),
        Parameter("seed", 0, "the seed of the keys, and of what is tried", 0),
        Parameter("subsets", 200, "how many random sets are tried where there are more than 5,000", 1, 5000),
        Parameter("numbers", "float64", "the number system, such as float16 or fixed:16.9"),
        Parameter("map", "table", "how a set becomes its query", choices=("table", "oracle")),
    ),
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    limits=(
        "Sets beyond 5,000 are sampled. The smallest m is that of one random matrix: 1.1 to 4.6 q ln N at the "
        "sizes tried, and hardly more in float16 and fixed:16.9."
    ),
    task="q-sparse-averaging",
    small=(
        {"length": 12, "q": 2, "dimension": 2, "map": "oracle"},
        {"length": 16, "q": 3, "numbers": "float16"},
        {"length": 16, "q": 3, "numbers": "fixed:16.9"},
        {"length": 12, "q": 1, "numbers": "float32", "error": 0.01},
        {"length": 64, "q": 4, "subsets": 60},
    ),
    large=(
        {"length": 64, "q": 2},
        {"length": 200, "q": 5},
        {"length": 200, "q": 5, "numbers": "float16"},
        {"length": 1000, "q": 10, "subsets": 300},
    ),
)
