"""q-sparse averaging without oracles: a ReLU network finds the query, or the matched filter does.

Statement: for random sign keys of dimension m there is a transformer of two layers with one softmax head each that
reads every position as q + 1 tokens (the positions of y_i one by one, then z_i), has N + 2d' tokens, and is within eps
of the mean of z_j over j in y_i. With a ReLU network of T stages of 5N units between the layers, which makes the dual
vector of y_i by T steps of gradient descent, m = O(q log N) is enough. Without it (T = 0) the query is the sum of the
keys of y_i, the matched filter, and m has to grow as q (log(N / eps) / eps)^2.
Idea: Layer 1 averages over the q + 1 tokens of its own position, which gives the bits of y_i (or the sum of its keys).
The least-squares problem of the dual vector has gradients that a ReLU stage computes exactly from the bits. Layer 2 is
the attention unit of `q-sparse-random`, and does not look at tokens without a vector.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 2, for the
head, whose token map is any function. The network for it, and the matched filter as its cheapest form, are worked out
here.
Scope: That T steps are enough is measured, not proved, over all sets where there are at most 5,000, else over random
and hard ones; T = 40 was enough at every size tried, up to N = 32, with m near the smallest that has dual vectors. For
q = 2 the matched filter is even on y by symmetry, and does well. In float16 the offsets of the network are too coarse.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.sparse_averaging.parts.dual import sign_keys
from capax.theorems.sparse_averaging.parts.oracle_free_unit import (
    MOST,
    best_alpha,
    oracle_free_unit,
    smallest_oracle_free_m,
)
from capax.theorems.sparse_averaging.parts.radon import below, least_row
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.subsets import Chosen, chosen, hard_for_keys, require_fitting
from capax.theorems.sparse_averaging.parts.worst_error import proved, report


@dataclass(frozen=True, slots=True)
class QSparseHonestParameters:
    """The parameters of the theorem."""

    length: int = parameter(10, "the number N of positions", 2, 200)
    q: int = parameter(3, "how many positions each position names", 1, 16)
    dimension: int = parameter(1, "the dimension d' of the vectors", 1, 16)
    error: float = parameter(0.1, "the error eps that is allowed", 1e-6, 0.999)
    steps: int = parameter(40, "the steps T of descent; 0 for the matched filter", 0, 400)
    m: int = parameter(0, "the dimension of queries and keys; 0 for the smallest that works", 0, 2048)
    seed: int = parameter(0, "the seed of the keys, and of what is tried", 0)
    subsets: int = parameter(200, "how many random sets are tried where there are more than 5,000", 1, 5000)
    dtype: str = parameter("float64", "the number system, such as float32")


def subsets_tried(at: QSparseHonestParameters) -> Chosen:
    """All subsets, or random ones and those that are hard for keys of about the right dimension."""
    require_fitting(at.length, at.q)
    random = np.random.default_rng((at.seed, at.length, at.q))
    keys = sign_keys(at.length, math.ceil(2 * at.q * math.log(at.length)), at.seed)
    return chosen(at.length, at.q, at.subsets, hard_for_keys(keys, at.q, max(1, at.subsets // 8), random), random)


def settled_m(at: QSparseHonestParameters) -> int:
    """The size that is meant by m: itself, or for 0 the smallest that works."""
    m = at.m or smallest_oracle_free_m(at.length, at.error, at.steps, at.seed, subsets_tried(at).subsets)
    if m is None:
        raise CapaxError(
            "bad-option",
            f"no m up to {MOST:,} gives an error of {at.error:g} with {at.steps} steps of descent",
            hint="give more steps, or allow a larger error",
        )
    return m


def construct(at: QSparseHonestParameters) -> Model:
    """The two-layer model; for m = 0 that of the smallest m that works."""
    which = subsets_tried(at).subsets
    keys = sign_keys(at.length, settled_m(at), at.seed)
    return oracle_free_unit(
        keys, at.q, at.dimension, best_alpha(keys, which, at.error, at.steps)[0], at.steps, at.dtype
    )


def verify(model: Model, at: QSparseHonestParameters) -> Report:
    """Whether the model's answers are within the error, over subsets and all vectors of the unit ball."""
    which = subsets_tried(at)
    return report(model, TokenReading(at.length, at.q, at.dimension, "spread"), which, at.error, at.seed)


def prove(model: Model, at: QSparseHonestParameters, least: int) -> ModelProof | None:
    """Whether a model is within the error on all subsets and all vectors of the unit ball, if the subsets are few."""
    which = subsets_tried(at)
    return proved(model, TokenReading(at.length, at.q, at.dimension, "spread"), which, at.error, at.seed)


def size(at: QSparseHonestParameters) -> tuple[SizeRow, ...]:
    """The dimension of the head that takes the mean, with and without the network, beside the bounds."""
    built = settled_m(at)
    which = subsets_tried(at).subsets
    filtered = smallest_oracle_free_m(at.length, at.error, 0, at.seed, which)
    alpha = 2 * math.log(4 * at.length / at.error)
    matched: int | str = f"over {MOST:,}" if filtered is None else filtered
    return (
        SizeRow("head dimension m", built, round(at.q * math.log(at.length), 1), "bound: q ln N, without its constant"),
        SizeRow(
            "smallest m of the matched filter", matched, math.ceil(at.q * (alpha / at.error) ** 2), "q (alpha / eps)^2"
        ),
        least_row(built, at.length, at.q),
        SizeRow("stages of the ReLU network", at.steps, "", "steps of descent; all have the same weights"),
        SizeRow(
            "units of a stage",
            5 * at.length if at.steps else 0,
            math.comb(at.length, at.q),
            "a table has a row for each subset",
        ),
        SizeRow(
            "tokens",
            at.length + 2 * at.dimension,
            2 * at.dimension * math.comb(at.length, at.q),
            "of a table over the subsets",
        ),
    )


def break_it(at: QSparseHonestParameters) -> Report:
    """The failure with keys of 2q - 1 dimensions, on a subset that no query singles out."""
    require_fitting(at.length, at.q)
    keys = sign_keys(at.length, 2 * at.q - 1, at.seed)

    def build(subset: tuple[Any, ...]) -> Model:
        return oracle_free_unit(
            keys, at.q, at.dimension, best_alpha(keys, subset, at.error, at.steps)[0], at.steps, at.dtype
        )

    return below(keys, TokenReading(at.length, at.q, at.dimension, "spread"), at.error, at.seed, build)


THEOREM = theorem_in(
    __name__,
    QSparseHonestParameters,
    assumptions=("T steps of descent come near enough to the dual vector of every set, which is measured",),
    attention="softmax, 2 layers",
    precision="float64 and float32",
    task="q-sparse-averaging",
    small=(
        {"length": 10, "q": 3, "dtype": "float32", "dimension": 2},
        {"length": 8, "q": 2, "steps": 0},
        {"length": 10, "q": 3, "steps": 0, "error": 0.5},
    ),
    large=(
        {"length": 16, "q": 3},
        {"length": 16, "q": 3, "steps": 0, "error": 0.5},
        {"length": 32, "q": 2, "steps": 60},
    ),
)
