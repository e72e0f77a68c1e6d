"""Vertices in triangles by one layer, third-order or pairwise.

Statement: for all N there is a transformer of one layer with one third-order softmax head of dimension 3N + 2, and
another with one pairwise softmax head of dimension 2N + 1, each with two ReLU units, that on the adjacency matrix of
every simple graph on N vertices, given row by row, answer for each vertex whether it is in a triangle.
Idea: third order: the score A_ij + A_jk + A_ki - 3 is 0 on triangles and at most -1 on other pairs (j, k). Each term is
a sum over coordinates of row times position. A blank token, whose pair with itself scores -1/2, takes the rest.
Pairwise: the product of rows i and j counts common neighbours, so N A_ij + row_i . row_j is at least N + 1 for some j
exactly if i is in a triangle; a sink at N + 1/2 takes the rest.
Cite: the poster of Sanford, Hsu and Telgarsky (2023), for the task and for depth times H m = Omega(N / log N) of
pairwise heads, by a reduction to triangle detection in a distributed network (cited, not checked here). The
constructions are ours; the pairwise one meets that bound up to a logarithm, in one layer.
Scope: a token is a row, so the vocabulary has 2^N texts; above 10 vertices it holds the rows of the checked graphs
alone. All other weights do not depend on the vocabulary.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Head, TensorHead
from capax.model.positions import Positions
from capax.model.vocabulary import Vocabulary
from capax.report import Report, joined
from capax.tasks.tri_id_graph import TASK
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import SEED, agreement
from capax.theorems.matching.parts.ramp import ANSWER, answer_of, ramp
from capax.theorems.proofs import proved_size
from capax.theorems.weights.stream import Stream, constants, each, family

BLANK = "blank"
ALL_ROWS = 10
"""Up to this many vertices the model reads every row."""


def stream_of(n: int) -> Stream:
    """The stream for n vertices: a row of the matrix, the vertex, whether there is one."""
    return Stream((*family("to", n), *family("is", n), "vertex", BLANK, "weight on triangles", "answer"))


def third_order(n: int, terms: int = 3) -> TensorHead:
    """The third-order head; with fewer `terms` it does not ask for all sides of the triangle."""
    stream, to, own = stream_of(n), family("to", n), family("is", n)
    query = [*each(to), *constants(n), *each(to)]
    key1 = [*each(own), *each(to), *[{"vertex": 1.0}] * n]
    key2 = [*[{"vertex": 1.0}] * n, *each(own), *each(own)]
    if terms == 2:
        query[n : 2 * n] = [{}] * n
    every, blank = {"vertex": 1.0, BLANK: 1.0}, {BLANK: 1.0}
    return stream.tensor_head(
        query=[*query, {"": -float(terms)}, {"": terms - 0.5}],
        keys=([*key1, every, blank], [*key2, every, blank]),
        values=([{"vertex": 1.0}], [{"vertex": 1.0}]),
        into=["weight on triangles"],
        scale=2 * math.log(6 * n * n),
        name="triangles",
    )


def pairwise(n: int) -> Head:
    """The pairwise head."""
    stream, to, own = stream_of(n), family("to", n), family("is", n)
    return stream.head(
        query=[*each(to, float(n)), *each(to), {"": 1.0}],
        key=[*each(own), *each(to), {}],
        value=[{"": 1.0}],
        into=["weight on triangles"],
        sink=([0.0] * (2 * n) + [n + 0.5], [0.0]),
        scale=2 * math.log(6 * n),
        name="neighbours with a common neighbour",
    )


def model_of(n: int, rows: Sequence[str], head: Head | TensorHead, blank: bool) -> Model:
    """The model that reads some rows; a blank token stands before the word if there is one."""
    stream, to, own = stream_of(n), family("to", n), family("is", n)
    table = stream.rows([*([{}] if blank else []), *({own[i]: 1.0} for i in range(n))])
    vectors = [{**{to[j]: 1.0 for j in range(n) if row[j] == "1"}, "vertex": 1.0} for row in rows]
    return Model(
        vocabulary=Vocabulary((BLANK, *rows)),
        embedding=stream.rows([{BLANK: 1.0}, *vectors]),
        positions=Positions((), np.zeros((0, stream.width)), table),
        blocks=(stream.block(head, mlp=ramp(stream, "weight on triangles", "answer")),),
        readout=answer_of(stream, "answer"),
        decoding=ANSWER,
        names=stream.names,
        min_length=n,
        max_length=n,
        prefix=(BLANK,) if blank else (),
    )


def rows_for(n: int) -> list[str]:
    """Every row, or the rows of the graphs that the check draws."""
    if n <= ALL_ROWS:
        return ["".join(bits) for bits in product("01", repeat=n)]
    return sorted({row for graph in drawn(n) for row in graph})


def drawn(n: int) -> list[list[str]]:
    """The random graphs of the check."""
    return TASK.samples(max(6, min(60, 2_000 // n)), n, SEED)


@dataclass(frozen=True, slots=True)
class TriIdGraphParameters:
    """The parameters of the theorem."""

    n: int = parameter(5, "the number of vertices N", 3, 200)
    order: str = parameter("third", "the order of the head", choices=("third", "pairwise"))


def construct(at: TriIdGraphParameters) -> Model:
    """The model for n vertices."""
    third = at.order == "third"
    return model_of(at.n, rows_for(at.n), third_order(at.n) if third else pairwise(at.n), third)


def verify(model: Model, at: TriIdGraphParameters) -> Report:
    """Whether a model finds the vertices in triangles: every graph up to 5 vertices, and random ones."""
    parts: list[Report] = []
    assert TASK.every is not None
    if at.n <= 5:
        words: Iterable[list[str]] = TASK.every(at.n)
        statement = f"every graph on {at.n} vertices"
        parts.append(agreement(model, TASK, words, statement))
    statement = f"random graphs on {at.n} vertices, with at most two edges inside the classes of a bipartite one"
    parts.append(agreement(model, TASK, drawn(at.n), statement, seed=SEED))
    return joined("the model finds the vertices in triangles", tuple(parts))


def prove(model: Model, at: TriIdGraphParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all inputs of this size, if these are not too many."""
    what, count = f"graphs on {at.n} vertices", 2 ** math.comb(at.n, 2)
    return proved_size(model, TASK, at.n, what, count, one_answer=False)


def size(at: TriIdGraphParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    third = at.order == "third"
    bound = "" if third else round(at.n / math.log2(at.n), 1)
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1, "third-order" if third else "pairwise"),
        SizeRow(
            "head dimension m", built.head_dimension, bound, "" if third else "Omega(N / log2 N), without its constant"
        ),
        SizeRow("width of the stream", built.width, "", "2N + 4"),
        SizeRow("vocabulary", len(rows_for(at.n)), "", "rows that the model reads"),
    )


def break_it(at: TriIdGraphParameters) -> Report:
    """Without the term A_jk, two neighbours need not be neighbours of each other."""
    statement = "TriIDGraph with the score A_ij + A_ki - 2, which does not ask for the third side"
    return agreement(
        model_of(at.n, rows_for(at.n), third_order(at.n, terms=2), True),
        TASK,
        drawn(at.n),
        statement,
        seed=SEED,
    )


THEOREM = theorem_in(
    __name__,
    TriIdGraphParameters,
    assumptions=("tokens are rows of N bits", "a table of N positions"),
    attention="third-order softmax; softmax",
    computes="task:tri-id-graph",
    precision="O(log N) bits",
    breaks="construction",
    task="tri-id-graph",
    small=({"n": 4}, {"n": 5, "order": "pairwise"}, {"n": 24}, {"n": 40, "order": "pairwise"}),
    large=({"n": 100}, {"n": 200, "order": "pairwise"}),
)
