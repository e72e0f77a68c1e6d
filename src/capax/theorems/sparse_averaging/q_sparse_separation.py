"""q-sparse averaging: attention of size q log N against N for feedforward and recurrent networks.

Statement: on words of N positions one softmax head of dimension O(q log N) is within eps of the sparse means. A
feedforward network that reads the whole word and is within less than 1/(2q) (and 1/sqrt(d') of that for d' > 1) has a
first layer of at least N d' units. A recurrent network that reads the positions in order and is within less than 1/q
has a state of at least N - 1 bits. Both bounds are met: by a network with one hidden layer of N d' units, and by one
whose state holds (N - 1) d' numbers, of one bit each for signs. Both are exact, and answer for the last position alone.
Idea: A narrower first layer does not see some direction of vectors; z and -z along it have different means on some set.
A state of fewer bits is the same after two beginnings of signs; some set that the last position names tells them apart.
b z is a ReLU for a bit b and |z| <= 1, which is all that the two networks need.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorems 2, 10 and
11, with N d' / 2 for the width and (N - 1) / 2 for the bits. The larger bounds here are worked out in the code.
Scope: The networks are run on random words, and on all words of signs of a short length for the recurrent one. The
bounds hold for every network of their kind; what is run is one witness for each: the direction that a random layer of N
d' - 1 units does not see, and two beginnings that a state with two slots made one confuses (found by trying all). The
attention model is that of `q-sparse-random`; its smallest m is searched for each length.
"""

import math
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Affine
from capax.report import Report, joined
from capax.tasks.q_sparse_averaging import TASK, SparseToken
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.sparse_averaging import q_sparse_random
from capax.theorems.sparse_averaging.parts.feedforward import feedforward, flattened, same_layer
from capax.theorems.sparse_averaging.parts.radon import least_dimension
from capax.theorems.sparse_averaging.parts.random_unit import RandomKeys, smallest_m
from capax.theorems.sparse_averaging.parts.recurrent import merged, recurrent, same_state
from capax.theorems.sparse_averaging.parts.subsets import require_fitting
from capax.theorems.sparse_averaging.q_sparse_random import QSparseRandomParameters

EXACT = 1e-12
"""What rounding may cost the exact networks in float64."""

ROUNDING = 1e-9
"""How far from each other two numbers may be that are equal over the reals."""

SHORT = 7
"""So long are the words of signs of which all are tried."""


@dataclass(frozen=True, slots=True)
class QSparseSeparationParameters:
    """The parameters of the theorem."""

    length: int = parameter(32, "the number N of positions", 4, 1024)
    q: int = parameter(2, "how many positions each position names", 1, 16)
    dimension: int = parameter(1, "the dimension d' of the vectors", 1, 8)
    error: float = parameter(0.1, "the error eps of the attention model", 1e-6, 0.999)
    seed: int = parameter(0, "the seed of the keys, and of what is tried", 0)
    subsets: int = parameter(100, "how many random sets are tried where there are more than 5,000", 1, 5000)


def attention(at: QSparseSeparationParameters) -> QSparseRandomParameters:
    """The parameters of the attention model in `q-sparse-random`."""
    return QSparseRandomParameters(at.length, at.q, at.dimension, at.error, seed=at.seed, subsets=at.subsets)


def construct(at: QSparseSeparationParameters) -> Model:
    """The attention model."""
    return q_sparse_random.construct(attention(at))


def verify(model: Model, at: QSparseSeparationParameters) -> Report:
    """Whether all three answer right: the attention model within the error, the two networks exactly."""
    length, q, dimension, seed = at.length, at.q, at.dimension, at.seed
    words = TASK.samples(50, length, seed, q=q, dimension=dimension)
    wide, long = feedforward(length, q, dimension), recurrent(length, q, dimension)
    short, few = min(length, SHORT), min(q, 2)
    flat = f"a feedforward network of width {wide.widths[0]} gives the mean"
    stepwise = f"a recurrent network with a state of {long.state_size} numbers gives the mean"
    signs = f"so does one of {short - 1} bits, on all words of {short} signs and all subsets (q = {few}),"
    parts = (
        q_sparse_random.verify(model, attention(at)),
        _exact(flat, lambda word: wide(flattened(word, length)), words, q, dimension, seed),
        _exact(stepwise, long, words, q, dimension, seed),
        _exact(signs, recurrent(short, few, 1), _words_of_signs(short, few), few, 1, None),
    )
    return joined("one head, a wide layer and a long state each give the sparse means", parts)


def prove(model: Model, at: QSparseSeparationParameters, least: int) -> ModelProof | None:
    """Whether a model is within the error on all subsets and all vectors of the unit ball, if the subsets are few."""
    return q_sparse_random.prove(model, attention(at), least)


def _exact(what: str, network: Any, words: list[list[SparseToken]], q: int, dimension: int, seed: int | None) -> Report:
    """Whether a network gives the mean for the last position of words, up to rounding."""
    worst, wrong = 0.0, None
    for word in words:
        right = TASK.reference(word, q=q, dimension=dimension)[-1]
        off = float(np.abs(np.asarray(network(word)) - right).max())
        if off > worst:
            worst, wrong = off, {"word": word, "right": right}
    holds = worst <= EXACT
    return Report(
        f"{what} for the last position, within {EXACT:g}",
        "exhaustive" if seed is None else "sampled",
        holds,
        count=len(words),
        seed=seed,
        counterexample=None if holds else wrong,
    )


def _words_of_signs(length: int, q: int) -> list[list[SparseToken]]:
    """All words of signs, with every subset at the last position (and, which does not matter, at the others)."""
    pairs = product(product((-1.0, 1.0), repeat=length), combinations(range(length), q))
    return [[((z,), subset) for z in signs] for signs, subset in pairs]


def size(at: QSparseSeparationParameters) -> tuple[SizeRow, ...]:
    """For doubled lengths up to the one given: the three sizes, built and least."""
    rows: list[SizeRow] = []
    lengths = {2**k for k in range(3, 12) if at.q < 2**k < at.length} | {at.length}
    for n in sorted(lengths):
        m = smallest_m(RandomKeys(n, at.q, at.seed, at.subsets))
        wide, long = feedforward(n, at.q, at.dimension), recurrent(n, at.q, at.dimension)
        least = f"; at least {needed}" if (needed := least_dimension(n, at.q)) else ""
        rows += [
            SizeRow(f"attention, N = {n}: head dimension", m, round(at.q * math.log(n), 1), "q ln N" + least),
            SizeRow(f"feedforward, N = {n}: width", wide.widths[0], n * at.dimension, "N d', at least"),
            SizeRow(f"recurrent, N = {n}: numbers of the state", long.state_size, n - 1, "N - 1 bits, at least"),
        ]
    return tuple(rows)


def break_it(at: QSparseSeparationParameters) -> Report:
    """The failures of a first layer of N d' - 1 units and of a state of N - 2 bits."""
    require_fitting(at.length, at.q)
    units = at.length * at.dimension - 1
    random = np.random.default_rng(at.seed)
    layer = Affine(random.normal(size=(at.length * (at.dimension + 1), units)), random.normal(size=units))
    unseen = same_layer(layer, at.length, at.q, at.dimension)
    assert unseen is not None, "the layer is too narrow"
    allowed = 1 / (2 * at.q * math.sqrt(at.dimension))
    what = f"a network with a first layer of {units} units, one fewer than N d', is within less than {allowed:.3g}"
    any_rest = ("what follows the first layer is any function",)
    fits = unseen.error < allowed - ROUNDING or unseen.gap > ROUNDING
    narrow = Report(what, "exact", fits, counterexample=None if fits else unseen.to_json(), assumptions=any_rest)
    short, few = min(at.length, SHORT), min(at.q, 2)
    witness = same_state(merged(recurrent(short, few, 1)), short, few)
    assert witness is not None, "the state is too small"
    what = f"with two slots of the state made one, for words of {short} signs, it is within less than 1/q (q = {few})"
    fits = witness.error < 1 / few - ROUNDING
    forgetful = Report(
        what, "exhaustive", fits, count=2 ** (short - 1), counterexample=None if fits else witness.to_json()
    )
    return joined("smaller networks give the sparse means", (narrow, forgetful))


THEOREM = theorem_in(
    __name__,
    QSparseSeparationParameters,
    assumptions=(
        "the attention's map from a token to its vector is any function, here a table over the sets",
        "the feedforward network reads all vectors at once, the recurrent one reads the positions in order",
    ),
    attention="softmax",
    precision="float64; the recurrent network's slots hold one bit each for signs",
    task="q-sparse-averaging",
    small=({"length": 12, "q": 3, "dimension": 2},),
    large=({"length": 64, "q": 2, "dimension": 3}, {"length": 512, "q": 3}),
)
