"""The attention unit of the theorem: one layer, one softmax head, keys by position and queries by subset."""

from collections.abc import Callable, Sequence

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, OracleMap, Origin, Readout
from capax.model.positions import Positions
from capax.model.vocabulary import Classes, Decoding, Numbers, Vocabulary
from capax.theorems.sparse_averaging.parts.dual import Subset
from capax.theorems.sparse_averaging.parts.reading import pair_name, point_vector, points


def picked(width: int, columns: Sequence[int]) -> Affine:
    """The map that picks some directions of a stream."""
    return Affine(np.eye(width)[:, list(columns)], np.zeros(len(columns)))


def decoding(dimension: int) -> Decoding:
    """The answers: the number itself, or for vectors the axis of the largest coordinate (`run` has the vectors)."""
    return Numbers() if dimension == 1 else Classes(tuple(f"e{axis}" for axis in range(1, dimension + 1)))


def table_unit(keys: Array, queries: Array, subsets: Sequence[Subset], dimension: int, numbers: str) -> Model:
    """The unit whose token map is the embedding: the vocabulary lists the subsets, and a row holds the query (S, m)."""
    return _unit(keys, queries, subsets, dimension, numbers, None)


def oracle_unit(
    keys: Array, query: Callable[[Subset], Array], subsets: Sequence[Subset], dimension: int, numbers: str
) -> Model:
    """The unit whose token map is an oracle: the embedding holds the bits of the subset, a function makes the query."""
    return _unit(keys, np.zeros((len(subsets), keys.shape[1])), subsets, dimension, numbers, query)


def _unit(
    keys: Array,
    queries: Array,
    subsets: Sequence[Subset],
    dimension: int,
    numbers: str,
    query: Callable[[Subset], Array] | None,
) -> Model:
    length, m = keys.shape
    parts = {"z": dimension, "mean": dimension, "query": m, "key": m, "bit": 0 if query is None else length}
    names = tuple(f"{part} {k}" for part, size in parts.items() for k in range(size))
    ends = np.cumsum(list(parts.values())).tolist()
    z, mean, query_slots, key, bit = (list(range(e - s, e)) for e, s in zip(ends, parts.values(), strict=True))
    width = len(names)
    rows = np.zeros((len(subsets), width))
    rows[:, query_slots] = queries
    for row, subset in zip(rows, subsets, strict=True):
        row[[bit[j] for j in subset] if bit else []] = 1
    vectors = points(dimension)
    embedding = np.concatenate([rows] * len(vectors))
    embedding[:, z] = np.repeat([point_vector(p, dimension) for p in vectors], len(subsets), axis=0)
    table = np.zeros((length, width))
    table[:, key] = keys
    origin = Origin("the mean of z over the positions of y")
    output = np.eye(width)[mean]
    head = Head(
        picked(width, query_slots), picked(width, key), picked(width, z), output, name="sparse average", origin=origin
    )
    oracle = None if query is None else OracleMap(_from_bits(query, bit, query_slots), "the query of a subset")
    return Model(
        vocabulary=Vocabulary(tuple(pair_name(p, s) for p in vectors for s in subsets)),
        embedding=embedding,
        positions=Positions((), np.zeros((0, width)), table),
        blocks=(Block((head,), np.zeros(width)),),
        readout=Readout(picked(width, mean)),
        decoding=decoding(dimension),
        names=names,
        input_mlp=oracle,
        min_length=length,
        max_length=length,
    ).to(numbers)


def _from_bits(query: Callable[[Subset], Array], bit: list[int], query_slots: list[int]) -> Callable[[Array], Array]:
    """The function of a stream that puts the query of the subset in its bits into the directions for it."""

    def function(x: Array) -> Array:
        flat = x.reshape(-1, x.shape[-1])
        added = np.zeros_like(flat, dtype=float)
        for row, bits in zip(added, flat[:, bit], strict=True):
            row[query_slots] = query(tuple(np.flatnonzero(bits > 0.5).tolist()))
        return added.reshape(x.shape)

    return function
