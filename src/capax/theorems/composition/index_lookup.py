"""Index lookup by one head of dimension log2 n.

Statement: for all n and s there is a transformer of one layer with one softmax head of dimension ceil(log2 n), whose
queries and keys are signs times one scale, that answers s_p on every word s_0 ... s_(n-1) @p of n symbols out of s. A
recurrent model needs at least n log2 s bits of state for that.
Idea: the key of a position is its binary digits as +1 and -1, the query of the token @p those of p: the product is
largest, by 2, at position p alone. With the scale ln(8 n s) the weight elsewhere is below 1 / (64 n s^2).
Cite: Bhattamishra, Hahn, Blunsom and Kanade (2024), Separations in the representational capabilities of transformers
and recurrent architectures: width O(log n) by nearly orthogonal vectors, and the lower bound by communication
complexity. Binary digits serve as well and are exact.
Scope: the recurrent bound counts states: after s_0 ... s_(n-1) they must all differ, s^n of them. A mean of symbols has
to be right to a half: float16 holds few symbols; float32 was tried to n = 2,000.
"""

import math
from dataclasses import dataclass

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.positions import Positions
from capax.model.vocabulary import Nearest, Vocabulary
from capax.report import Report
from capax.tasks.index_lookup import SYMBOLS, TASK, index
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.checks import SEED, agreement, checked_at, last
from capax.theorems.matching.parts.ramp import answer_of
from capax.theorems.proofs import proved_size
from capax.theorems.weights.bits import digits, sign_names, signs
from capax.theorems.weights.stream import Stream, each

EVERY = 4_000


def by_signs(n: int, symbols: int, used: int) -> Model:
    """The model that uses this many of the digits."""
    query, placed = sign_names("asked", n)[:used], sign_names("position", n)[:used]
    stream = Stream((*query, *placed, "symbol", "found"))
    rows: list[dict[str, float]] = [{"symbol": float(x)} for x in range(symbols)]
    rows += [signs(p, query) for p in range(n)]
    table = stream.rows([*(signs(p, placed) for p in range(n)), {}])
    head = stream.head(
        query=each(query),
        key=each(placed),
        value=[{"symbol": 1.0}],
        into=["found"],
        scale=math.log(8 * n * symbols),
        name="the position asked for",
    )
    values = tuple(range(symbols))
    return Model(
        vocabulary=Vocabulary((*values, *(index(p) for p in range(n)))),
        embedding=stream.rows(rows),
        positions=Positions((), np.zeros((0, stream.width)), table),
        blocks=(stream.block(head),),
        readout=answer_of(stream, "found"),
        decoding=Nearest(tuple(map(float, values)), values),
        names=stream.names,
        min_length=n + 1,
        max_length=n + 1,
    )


@dataclass(frozen=True, slots=True)
class IndexLookupParameters:
    """The parameters of the theorem."""

    n: int = parameter(8, "the number of symbols of a word", 3, 20_000)
    symbols: int = like(SYMBOLS)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32", "float16"))


def construct(at: IndexLookupParameters) -> Model:
    """The model for words of n symbols."""
    return by_signs(at.n, at.symbols, digits(at.n)).to(at.dtype)


def verify(model: Model, at: IndexLookupParameters) -> Report:
    """Whether a model looks up: every word if these are few, and random ones."""
    return checked_at(
        model,
        TASK,
        at.n,
        "the model looks up an index",
        every=f"every word of {at.n} symbols with every index" if at.n * at.symbols**at.n <= EVERY else None,
        random=f"random words of {at.n:,} symbols",
        samples=max(20, min(300, 4_000_000 // at.n**2)),
        decode=last,
        symbols=at.symbols,
    )


def prove(model: Model, at: IndexLookupParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all inputs of this size, if these are not too many."""
    what, count = f"words of {at.n} symbols with an index", at.n * at.symbols**at.n
    return proved_size(model, TASK, at.n, what, count, symbols=at.symbols)


def size(at: IndexLookupParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1),
        SizeRow("head dimension", built.head_dimension, "O(log n)", "ceil(log2 n)"),
        SizeRow("width of the stream", built.width, "O(log n)", "2 ceil(log2 n) + 2"),
        SizeRow("bits of a query, a key", digits(at.n), "", "one sign per coordinate"),
        SizeRow("recurrent: bits of state", "not built", math.ceil(at.n * math.log2(at.symbols)), "at least n log2 s"),
    )


def break_it(at: IndexLookupParameters) -> Report:
    """With one digit less, two positions have the same key."""
    drawn = TASK.samples(300, at.n, SEED, symbols=at.symbols)
    statement = f"index lookup in {at.n} positions with {digits(at.n) - 1} of {digits(at.n)} digits"
    model = by_signs(at.n, at.symbols, digits(at.n) - 1).to(at.dtype)
    return agreement(model, TASK, drawn, statement, seed=SEED, decode=last, symbols=at.symbols)


THEOREM = theorem_in(
    __name__,
    IndexLookupParameters,
    assumptions=("a table of positions", "words of one length"),
    attention="softmax",
    computes="task:index-lookup?symbols={symbols}",
    precision="signs for queries and keys, O(log(n s)) bits for means",
    task="index-lookup",
    small=(
        {"n": 5, "symbols": 3},
        {"n": 300, "symbols": 10, "dtype": "float32"},
        {"n": 200, "dtype": "float16"},
    ),
    large=(
        {"n": 1_000},
        {"n": 2_000, "symbols": 10, "dtype": "float32"},
        {"n": 10_000, "symbols": 50},
    ),
)
