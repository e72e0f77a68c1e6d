"""A model that finds the vertices in triangles, in exact integers."""

from itertools import product

import numpy as np

from capax.errors import CapaxError
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Readout, Sink
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary

MOST = 12


def all_rows(n: int) -> list[str]:
    """The tokens: all rows of n bits."""
    if n > MOST:
        raise CapaxError("bad-option", f"2^{n} rows are too many tokens", hint=f"take n to {MOST}")
    return ["".join(bits) for bits in product("01", repeat=n)]


def random_layers(n: int, shape: ToyShape, seed: int) -> Model:
    """A model of random weights that reads the rows of a matrix."""
    return random_model(shape, all_rows(n), (0, 1), n, seed, {"task": "triangle-graph", "n": n})


def solving(n: int) -> Model:
    """One average-hard head of dimension 2n + 1: a neighbour with a common neighbour beats the sink.

    The score 2 (n A_ij + row_i . row_j) is above 2n exactly if i and j are neighbours with a common neighbour; the sink
    stands at 2n + 1.
    """
    rows = all_rows(n)
    d = 2 * n + 1  # row, vertex, answer
    embedding = np.zeros((len(rows), d), np.int64)
    embedding[:, :n] = [[int(bit) for bit in row] for row in rows]
    table = np.zeros((n, d), np.int64)
    table[np.arange(n), n + np.arange(n)] = 1
    query, key = np.zeros((d, 2 * n + 1), np.int64), np.zeros((d, 2 * n + 1), np.int64)
    for j in range(n):
        query[j, j], query[j, n + j] = 2 * n, 2
        key[n + j, j] = key[j, n + j] = 1
    bias = np.zeros(2 * n + 1, np.int64)
    bias[-1] = 1
    sink = np.zeros(2 * n + 1, np.int64)
    sink[-1] = 2 * n + 1
    output = np.zeros((1, d), np.int64)
    output[0, -1] = 1
    head = Head(
        Affine(query, bias),
        Affine(key, np.zeros(2 * n + 1, np.int64)),
        Affine(np.zeros((d, 1), np.int64), np.ones(1, np.int64)),
        output,
        "average-hard",
        sink=Sink(sink, np.zeros(1, np.int64)),
        name="neighbours with a common neighbour",
    )
    read = np.zeros((d, 2), np.int64)
    read[-1, 1] = 2
    return Model(
        vocabulary=Vocabulary(tuple(rows)),
        embedding=embedding,
        positions=Positions((), np.zeros((0, d), np.int64), table),
        blocks=(Block((head,), np.zeros(d, np.int64)),),
        readout=Readout(Affine(read, np.array([1, 0]))),
        decoding=Classes((0, 1)),
        names=tuple([f"to {j}" for j in range(n)] + [f"is {j}" for j in range(n)] + ["answer"]),
        numbers=f"integer:{max(8, (2 * n + 2).bit_length() + 1)},4,2",
        min_length=n,
        max_length=n,
        provenance=Provenance(layout={"task": "triangle-graph", "n": n}),
    )
