"""Match3Local by one head of dimension O(K log N).

Statement: for all M, N and K there is a transformer of one layer with one softmax head of dimension m = O(K log N) and
one ReLU stage of 6 (2K + 1) (2K + 2) units after it that, on every word of N tokens in 1 ... M, answers whether some j
and k within K positions of i have x_i + x_j + x_k = 0 mod M.
Idea: queries and keys that give the window of a position equal weights, and others next to none (the q-sparse average
with q = 2K + 1). Every token's value stands in the slot of its position mod q, so that the mean holds all tokens of the
window, each divided by the window's size. For each pair of slots and each multiple of M, four ReLU units ask whether
the three numbers sum to it, up to rounding.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 9 (number
cited, not checked here), with an arbitrary function for the last step; the ReLU units are ours.
Scope: the vectors for windows are found by search and checked, so the dimension is an upper bound on the least one that
works for windows of neighbours. Windows at the ends are shorter; sizes of windows are in the table of positions, so
words have the one length N.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Array, Mlp
from capax.model.positions import Positions
from capax.model.vocabulary import Vocabulary
from capax.report import Report
from capax.tasks.match3_local import TASK, every
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import SEED, agreement, checked_at
from capax.theorems.matching.parts.ramp import ANSWER, answer_of
from capax.theorems.proofs import proved_inputs
from capax.theorems.weights.stream import Stream, Terms, each, family

ROUNDS = 60


def windows(length: int, reach: int) -> list[list[int]]:
    """The positions within reach of each position."""
    return [list(range(max(0, i - reach), min(length, i + reach + 1))) for i in range(length)]


def duals(length: int, reach: int, dimension: int, seeds: int = 4) -> tuple[Array, Array] | None:
    """The vectors u (length, m) of the positions and w (length, m) of the windows; None if none were found.

    <u_j, w_i> is 1 for the positions j of the window of i and at most 1/2 for all others. With random signs
    u_j / sqrt(m), m = O(q log N) is enough for windows of at most q positions.
    """
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        u = random.choice([-1.0, 1.0], (length, dimension)) / np.sqrt(dimension)
        vectors = [_dual(u, window) for window in windows(length, reach)]
        if all(w is not None for w in vectors):
            return u, np.array(vectors)
    return None


def _dual(u: Array, window: list[int]) -> Array | None:
    """The vector of one window, or None.

    The least vector with product 1 on the window; where another product is above 1/2, 0.4 is required there too.
    """
    outside = np.ones(len(u), bool)
    outside[window] = False
    active: list[int] = []
    for _ in range(ROUNDS):
        rows = [*window, *active]
        if len(rows) > u.shape[1]:
            return None
        targets = np.array([1.0] * len(window) + [0.4] * len(active))
        w = np.asarray(np.linalg.lstsq(u[rows], targets, rcond=None)[0])
        products = u @ w
        if np.abs(products[window] - 1).max() > 1e-9:
            return None
        above = np.flatnonzero(outside & (products > 0.5))
        if not len(above):
            return w
        active += [int(j) for j in above if j not in active]
    return None


def smallest(length: int, reach: int) -> int:
    """The least dimension on a grid of steps of about a tenth for which vectors are found."""
    dimension = 2 * reach + 1
    while duals(length, reach, dimension) is None:
        dimension += max(1, dimension // 10)
    return dimension


EVERY = 4_200
_smallest = lru_cache(maxsize=32)(smallest)


def window_stream(reach: int, dimension: int) -> Stream:
    """The stream: token, vectors of position and window, slots, and what is found in them."""
    q = 2 * reach + 1
    kinds = ("slot", q), ("absent", q), ("size", q + 1), ("value", q), ("found", q)
    names = [name for kind, count in kinds for name in family(kind, count)]
    return Stream(("x", *family("u", dimension), *family("w", dimension), *names, "M / size", "x / size", "answer"))


def position_rows(stream: Stream, length: int, reach: int, modulus: int, u: np.ndarray, w: np.ndarray) -> list[Terms]:
    """The rows of the table of positions."""
    q, dimension = 2 * reach + 1, u.shape[1]
    rows: list[Terms] = []
    for i, window in enumerate(windows(length, reach)):
        row = dict(zip(family("u", dimension), map(float, u[i]), strict=True))
        row |= dict(zip(family("w", dimension), map(float, w[i]), strict=True))
        there = {j % q for j in window}
        row |= {name: 1.0 for r, name in enumerate(family("absent", q)) if r not in there}
        row |= {f"slot {i % q}": 1.0, f"size {len(window)}": 1.0, "M / size": modulus / len(window)}
        rows.append(row)
    return rows


def spread(stream: Stream, reach: int, modulus: int) -> Mlp:
    """The MLP before the head: the token in the slot of its position, and the token divided by the window's size."""
    q, big = 2 * reach + 1, float(modulus)
    units = {f"in {r}": {"x": 1.0, f"slot {r}": big, "": -big} for r in range(q)}
    units |= {f"of {c}": {"x": 1.0, f"size {c}": big, "": -big} for c in range(1, q + 1)}
    writes: dict[str, Terms] = {f"value {r}": {f"in {r}": 1.0} for r in range(q)}
    writes["x / size"] = {f"of {c}": 1.0 / c for c in range(1, q + 1)}
    return stream.mlp([units], writes)


def triples(stream: Stream, reach: int, modulus: int) -> Mlp:
    """The MLP after the head: for each pair of slots and each multiple of M a bump of four units around sum 0."""
    q = 2 * reach + 1
    h = 1 / (4 * q)  # sums differ by at least 1 / q = 4h when they are not equal
    units: dict[str, Terms] = {}
    total: dict[str, float] = {}
    for r in range(q):
        for s in range(r, q):
            for k in (1, 2, 3):
                terms: dict[str, float] = {"x / size": 1.0, "M / size": -float(k)}
                for slot in (r, s):
                    terms[f"found {slot}"] = terms.get(f"found {slot}", 0.0) + 1.0
                    terms[f"absent {slot}"] = 8.0 * modulus
                for at, sign in ((-3 * h, 1.0), (-h, -1.0), (h, -1.0), (3 * h, 1.0)):
                    name = f"slots {r} and {s}, {k} M, from {at:+.4g}"
                    units[name] = {**terms, "": -at}
                    total[name] = sign / (2 * h)
    return stream.mlp([units], {"answer": total})


def local(modulus: int, length: int, reach: int, u: np.ndarray, w: np.ndarray, sharp: float = 1.0) -> Model:
    """The model with given vectors of positions and windows; `sharp` times the scale that the theorem asks for."""
    q, dimension = 2 * reach + 1, u.shape[1]
    stream = window_stream(reach, dimension)
    head = stream.head(
        query=each(family("w", dimension)),
        key=each(family("u", dimension)),
        value=each(family("value", q)),
        into=family("found", q),
        scale=sharp * 2 * math.log(16 * length * modulus * q),
        name="window",
    )
    table = stream.rows(position_rows(stream, length, reach, modulus, u, w))
    return Model(
        vocabulary=Vocabulary(tuple(range(1, modulus + 1))),
        embedding=stream.rows([{"x": float(x)} for x in range(1, modulus + 1)]),
        positions=Positions((), np.zeros((0, stream.width)), table),
        input_mlp=spread(stream, reach, modulus),
        blocks=(stream.block(head, mlp=triples(stream, reach, modulus)),),
        readout=answer_of(stream, "answer"),
        decoding=ANSWER,
        names=stream.names,
        min_length=length,
        max_length=length,
    )


@dataclass(frozen=True, slots=True)
class Match3LocalParameters:
    """The parameters of the theorem."""

    modulus: int = parameter(5, "the modulus M; tokens are 1 ... M", 4, 5_000)
    length: int = parameter(20, "the length N", 3, 2_000)
    reach: int = parameter(1, "the reach K of the window", 1, 20)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: Match3LocalParameters) -> Model:
    """The model for words of `length` tokens, with the least dimension that the search finds."""
    vectors = duals(at.length, at.reach, _smallest(at.length, at.reach))
    assert vectors is not None, "the search ended with vectors"
    return local(at.modulus, at.length, at.reach, *vectors).to(at.dtype)


def verify(model: Model, at: Match3LocalParameters) -> Report:
    """Whether a model computes Match3Local: every word if these are few, and random ones."""
    return checked_at(
        model,
        TASK,
        at.length,
        "the model computes match3-local",
        every=f"every word of length {at.length}" if at.modulus**at.length <= EVERY else None,
        random=f"random words of length {at.length:,}, with near misses and pairs just outside the window",
        samples=100 if at.length <= 200 else 20,
        modulus=at.modulus,
        reach=at.reach,
    )


def prove(model: Model, at: Match3LocalParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words that repeat with a period, which is the length where these are few."""
    period = next(k for k in range(1, at.length + 1) if at.modulus**k >= least or k == at.length)
    proof = proved_inputs(
        model,
        lambda: ([start[i % period] for i in range(at.length)] for start in every(period, at.modulus, at.reach)),
        lambda word: TASK.reference(word, modulus=at.modulus, reach=at.reach),
        f"words of {at.length} tokens" + (f" that repeat after {period}" if period < at.length else ""),
        at.modulus**period,
        one_answer=False,
    )
    return proof if proof is None or period == at.length else replace(proof, whole=False)


def size(at: Match3LocalParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the paper's."""
    built, q = construct(at).size, 2 * at.reach + 1
    dimension = _smallest(at.length, at.reach)
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1),
        SizeRow(
            "dimension m of queries and keys", dimension, q * math.log(at.length), "O(K log N); here (2K + 1) ln N"
        ),
        SizeRow("dimension of values", q, "O(K)"),
        SizeRow("width of the stream", built.width, "O(K log N)", "2m and slots"),
        SizeRow("ReLU units before the head", 2 * q, "any function"),
        SizeRow("ReLU units after the head", built.hidden, "any function", "6 (2K + 1) (2K + 2)"),
    )


def break_it(at: Match3LocalParameters) -> Report:
    """With a dimension below that of the window, positions outside of it are seen too."""
    dimension = max(1, at.reach)
    random = np.random.default_rng(0)
    u = random.choice([-1.0, 1.0], (at.length, dimension)) / np.sqrt(dimension)
    w = np.array(
        [np.linalg.lstsq(u[window], np.ones(len(window)), rcond=None)[0] for window in windows(at.length, at.reach)]
    )
    drawn = TASK.samples(100, at.length, SEED, modulus=at.modulus, reach=at.reach)
    statement = f"Match3Local with queries and keys of dimension {dimension}, below the 2K + 1 positions of a window"
    return agreement(
        local(at.modulus, at.length, at.reach, u, w).to(at.dtype),
        TASK,
        drawn,
        statement,
        seed=SEED,
        modulus=at.modulus,
        reach=at.reach,
    )


THEOREM = theorem_in(
    __name__,
    Match3LocalParameters,
    assumptions=("a table of N positions", "words of the one length N", "an MLP before the head"),
    attention="softmax",
    computes="task:match3-local?modulus={modulus}&reach={reach}",
    precision="O(log(N M K)) bits",
    task="match3-local",
    small=(
        {"modulus": 4, "length": 6},
        {"modulus": 50, "length": 30, "reach": 2},
        {"modulus": 101, "length": 40, "reach": 3},
        {"modulus": 101, "length": 60, "reach": 2, "dtype": "float32"},
    ),
    large=({"modulus": 1_000, "length": 400, "reach": 4},),
)
