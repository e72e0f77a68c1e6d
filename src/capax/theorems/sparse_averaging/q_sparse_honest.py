"""q-sparse averaging by a transformer whose every map is a network: no table of subsets, no oracle.

Statement. For random sign keys of dimension m there is a transformer of two layers with one softmax head each that
reads every place as q + 1 tokens (the places of y_i one by one, then z_i), has N + 2d' tokens, and is within eps of the
mean of z_j over j in y_i. With a ReLU network of T stages of 5N units between the layers, which makes the dual vector
of y_i by T steps of gradient descent, m = O(q log N) is enough. Without it (T = 0) the query is the sum of the keys of
y_i, the matched filter, and m has to grow as q (log(N / eps) / eps)^2.

Idea. Layer 1 averages over the q + 1 tokens of its own place, which gives the bits of y_i (or the sum of its keys). The
least-squares problem of the dual vector has gradients that a ReLU stage computes exactly from the bits. Layer 2 is the
attention unit of `q-sparse-random`, and does not look at tokens without a vector.

Cite. The unit is that of Sanford, Hsu and Telgarsky 2023 (Representational Strengths and Limitations of Transformers),
Theorem 2, whose token map is any function. The network for it, and the matched filter as its cheapest form, are worked
out here.

Scope. That T steps are enough is measured, not proved, over all sets where there are at most 5,000, else over random
and hard ones; T = 40 was enough at every size tried, up to N = 32, with m near the smallest that has dual vectors. For
q = 2 the matched filter is even on y by symmetry, and does well. In float16 the offsets of the network are too coarse.
"""

import math
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.report import Report
from capax.tasks.base.parameter import Parameter
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.sparse_averaging.parts.dual import sign_keys
from capax.theorems.sparse_averaging.parts.fitting import require_fitting
from capax.theorems.sparse_averaging.parts.measure import report
from capax.theorems.sparse_averaging.parts.oracle_free_unit import MOST, best_alpha, honest_unit, smallest_honest_m
from capax.theorems.sparse_averaging.parts.radon import least_row
from capax.theorems.sparse_averaging.parts.reading import Reading
from capax.theorems.sparse_averaging.parts.subsets import Chosen, chosen, hard_for_keys
from capax.theorems.sparse_averaging.parts.too_few_dimensions import below


def construct(
    length: int, q: int, dimension: int, error: float, steps: int, m: int, seed: int, subsets: int, numbers: str
) -> Model:
    """The two-layer model; for m = 0 that of the smallest m that works."""
    which = subsets_tried(length, q, seed, subsets).subsets
    keys = sign_keys(length, settled_m(length, q, error, steps, m, seed, subsets), seed)
    return honest_unit(keys, q, dimension, best_alpha(keys, which, error, steps)[0], steps, numbers)


def verify(
    model: Model,
    length: int,
    q: int,
    dimension: int,
    error: float,
    steps: int,
    m: int,
    seed: int,
    subsets: int,
    numbers: str,
) -> Report:
    """Whether the model's answers are within the error, over subsets and all vectors of the unit ball."""
    which = subsets_tried(length, q, seed, subsets)
    return report(model, Reading(length, q, dimension, "spread"), which, error, seed)


def subsets_tried(length: int, q: int, seed: int, subsets: int) -> Chosen:
    """All subsets, or random ones and those that are hard for keys of about the right dimension."""
    require_fitting(length, q)
    random = np.random.default_rng((seed, length, q))
    keys = sign_keys(length, math.ceil(2 * q * math.log(length)), seed)
    return chosen(length, q, subsets, hard_for_keys(keys, q, max(1, subsets // 8), random), random)


def settled_m(length: int, q: int, error: float, steps: int, m: int, seed: int, subsets: int) -> int:
    """The size that is meant by m: itself, or for 0 the smallest that works."""
    found = m or smallest_honest_m(length, error, steps, seed, subsets_tried(length, q, seed, subsets).subsets)
    if found is None:
        raise CapaxError(
            "bad-option",
            f"no m up to {MOST:,} gives an error of {error:g} with {steps} steps of descent",
            hint="give more steps, or allow a larger error",
        )
    return found


def size(
    length: int, q: int, dimension: int, error: float, steps: int, m: int, seed: int, subsets: int, numbers: str
) -> tuple[Row, ...]:
    """The dimension of the head that takes the mean, with and without the network, beside the bounds."""
    built = settled_m(length, q, error, steps, m, seed, subsets)
    which = subsets_tried(length, q, seed, subsets).subsets
    filtered = smallest_honest_m(length, error, 0, seed, which)
    alpha = 2 * math.log(4 * length / error)
    matched: int | str = f"over {MOST:,}" if filtered is None else filtered
    return (
        Row("head dimension m", built, round(q * math.log(length), 1), "bound: q ln N, without its constant"),
        Row("smallest m of the matched filter", matched, math.ceil(q * (alpha / error) ** 2), "q (alpha / eps)^2"),
        least_row(built, length, q),
        Row("stages of the ReLU network", steps, "", "steps of descent; all have the same weights"),
        Row("units of a stage", 5 * length if steps else 0, math.comb(length, q), "a table has a row for each subset"),
        Row("tokens", length + 2 * dimension, 2 * dimension * math.comb(length, q), "of a table over the subsets"),
    )


def break_it(
    length: int, q: int, dimension: int, error: float, steps: int, m: int, seed: int, subsets: int, numbers: str
) -> Report:
    """The failure with keys of 2q - 1 dimensions, on a subset that no query singles out."""
    require_fitting(length, q)
    keys = sign_keys(length, 2 * q - 1, seed)

    def build(subset: tuple[Any, ...]) -> Model:
        return honest_unit(keys, q, dimension, best_alpha(keys, subset, error, steps)[0], steps, numbers)

    return below(keys, Reading(length, q, dimension, "spread"), error, seed, build)


THEOREM = Theorem(
    name="q-sparse-honest",
    title="q-sparse averaging without oracles: a ReLU network finds the query, or the matched filter does",
    statement=(
        "For random sign keys of dimension m there is a transformer of two layers, one softmax head each, that reads "
        "each place as q + 1 tokens and is within eps of the mean of z_j over j in y_i, for all z in the unit ball of "
        "R^d' and all sets y_i of q places. A ReLU network of T stages of 5N units makes m = O(q log N) enough; "
        "without it, by the matched filter, m grows as q (log(N / eps) / eps)^2."
    ),
    assumptions=("T steps of descent come near enough to the dual vector of every set, which is measured",),
    attention="softmax, 2 layers",
    precision="float64 and float32",
    citation=(
        "Sanford, Hsu and Telgarsky 2023, Representational Strengths and Limitations of Transformers, Theorem 2, "
        "for the head; the network is worked out here"
    ),
    parameters=(
        Parameter("length", 10, "the number N of places", 2, 200),
        Parameter("q", 3, "how many places each place names", 1, 16),
        Parameter("dimension", 1, "the dimension d' of the vectors", 1, 16),
        Parameter("error", 0.1, "the error eps that is allowed", 1e-6, 0.999),
        Parameter("steps", 40, "the steps T of descent; 0 for the matched filter", 0, 400),
        Parameter("m", 0, "the dimension of queries and keys; 0 for the smallest that works", 0, 2048),
        Parameter("seed", 0, "the seed of the keys, and of what is tried", 0),
        Parameter("subsets", 200, "how many random sets are tried where there are more than 5,000", 1, 5000),
        Parameter("numbers", "float64", "the number system, such as float32"),
    ),
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    limits="That T steps are enough is measured, not proved. Sets beyond 5,000 are sampled. float16 is too coarse.",
    task="q-sparse-averaging",
    small=(
        {"length": 10, "q": 3, "numbers": "float32", "dimension": 2},
        {"length": 8, "q": 2, "steps": 0},
        {"length": 10, "q": 3, "steps": 0, "error": 0.5},
    ),
    large=(
        {"length": 16, "q": 3},
        {"length": 16, "q": 3, "steps": 0, "error": 0.5},
        {"length": 32, "q": 2, "steps": 60},
    ),
)
