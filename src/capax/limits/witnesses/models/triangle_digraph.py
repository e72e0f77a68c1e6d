"""A model that finds the vertices in triangles of directed graphs, in exact integers: two layers."""

import numpy as np

from capax.limits.witnesses.models.triangle_graph import all_rows
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Readout, Sink
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary


def solving(n: int) -> Model:
    """Layer 1 tells each vertex i the vertices k with an edge to i; layer 2 looks for a j from i with an edge to one.

    The score of j in layer 2 is 2 (n x_ij + row_j . before_i), above 2n exactly if there are edges i to j, j to k and k
    to i; the sink stands at 2n + 1.
    """
    rows = all_rows(n)
    names = [f"{part} {j}" for part in ("to", "is", "from") for j in range(n)]
    row, vertex, before = (np.arange(n) + part * n for part in range(3))
    d = 3 * n + 1
    embedding = np.zeros((len(rows), d), np.int64)
    embedding[:, row] = [[int(bit) for bit in text] for text in rows]
    table = np.zeros((n, d), np.int64)
    table[np.arange(n), vertex] = 1
    read = np.zeros((d, 2), np.int64)
    read[-1, 1] = 2
    value_bits = (2 * n).bit_length() + 1
    return Model(
        vocabulary=Vocabulary(tuple(rows)),
        embedding=embedding,
        positions=Positions((), np.zeros((0, d), np.int64), table),
        blocks=(
            Block((_predecessors(n, d, row, vertex, before),), np.zeros(d, np.int64), _capped(d, before)),
            Block((_triangles(n, d, row, vertex, before),), np.zeros(d, np.int64)),
        ),
        readout=Readout(Affine(read, np.array([1, 0]))),
        decoding=Classes((0, 1)),
        names=(*names, "answer"),
        numbers=f"integer:{max(8, (2 * n + 2).bit_length() + 1)},4,{value_bits}",
        min_length=n,
        max_length=n,
        provenance=Provenance(layout={"task": "triangle-graph", "n": n}),
    )


def _predecessors(n: int, d: int, row: Array, vertex: Array, before: Array) -> Head:
    """The head of layer 1: the mean of n e_k over the k with an edge to the query's vertex; nothing without such k."""
    query, key = np.zeros((d, n + 1), np.int64), np.zeros((d, n + 1), np.int64)
    value, output = np.zeros((d, n), np.int64), np.zeros((n, d), np.int64)
    for j in range(n):
        query[vertex[j], j], key[row[j], j] = 2, 1
        value[vertex[j], j], output[j, before[j]] = n, 1
    sink = np.zeros(n + 1, np.int64)
    sink[-1] = 1
    return Head(
        Affine(query, np.eye(n + 1, dtype=np.int64)[-1]),
        Affine(key, np.zeros(n + 1, np.int64)),
        Affine(value, np.zeros(n, np.int64)),
        output,
        "average-hard",
        sink=Sink(sink, np.zeros(n, np.int64)),
        name="edges to the vertex",
    )


def _capped(d: int, before: Array) -> Mlp:
    """x becomes min(x, 1) where the head wrote: at least n / n = 1 for every edge."""
    n = len(before)
    first, second = np.zeros((d, n), np.int64), np.zeros((n, d), np.int64)
    first[before, np.arange(n)] = 1
    second[np.arange(n), before] = -1
    return Mlp((Affine(first, np.full(n, -1)), Affine(second, np.zeros(d, np.int64))))


def _triangles(n: int, d: int, row: Array, vertex: Array, before: Array) -> Head:
    """The head of layer 2: 1 if some key's score is above the sink's."""
    query, key = np.zeros((d, 2 * n + 1), np.int64), np.zeros((d, 2 * n + 1), np.int64)
    for j in range(n):
        query[row[j], j], key[vertex[j], j] = 2 * n, 1
        query[before[j], n + j], key[row[j], n + j] = 2, 1
    sink = np.zeros(2 * n + 1, np.int64)
    sink[-1] = 2 * n + 1
    output = np.zeros((1, d), np.int64)
    output[0, -1] = 1
    return Head(
        Affine(query, np.eye(2 * n + 1, dtype=np.int64)[-1]),
        Affine(key, np.zeros(2 * n + 1, np.int64)),
        Affine(np.zeros((d, 1), np.int64), np.ones(1, np.int64)),
        output,
        "average-hard",
        sink=Sink(sink, np.zeros(1, np.int64)),
        name="a vertex on the way back",
    )
