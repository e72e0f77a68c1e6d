"""The model without a table or an oracle: two layers that read the positions of a subset one by one."""

from functools import lru_cache
from typing import Final

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Origin, Readout
from capax.model.positions import Positions
from capax.model.vocabulary import Vocabulary
from capax.theorems.sparse_averaging.parts.descent import descend, descent_mlp
from capax.theorems.sparse_averaging.parts.dual import Subset, sign_keys
from capax.theorems.sparse_averaging.parts.random_unit import sharpness
from capax.theorems.sparse_averaging.parts.reading import TokenReading, point_name, point_vector, points
from capax.theorems.sparse_averaging.parts.subsets import smallest
from capax.theorems.sparse_averaging.parts.unit import decoding, picked

GATHER: Final = 64.0
"""The scale of the head that gathers: tokens of other positions weigh e^-64 or less."""

MOST: Final = 1024
"""The largest m that is searched; the weights have about 4 m^2 numbers."""


def oracle_free_unit(keys: Array, q: int, dimension: int, alpha: float, steps: int, numbers: str) -> Model:
    """The model that reads each position as q + 1 tokens, the positions of its subset and its vector.

    Layer 1 gathers the tokens of a position. With steps = 0 it sums their keys, and the sum is the query: the matched
    filter. Else it gathers bits, and the MLP makes the dual vector of them by that many steps of descent. Layer 2 takes
    the mean.
    """
    length, m = keys.shape
    reading = TokenReading(length, q, dimension, "spread")
    sizes = {"z": dimension, "mean": dimension, "query": m, "key": m, "named": length if steps else m}
    sizes |= {"bit": length if steps else 0, "group": 2, "vector": 1}
    ends = np.cumsum(list(sizes.values())).tolist()
    at = {name: list(range(e - s, e)) for (name, s), e in zip(sizes.items(), ends, strict=True)}
    width = ends[-1]
    embedding = np.zeros((length + 2 * dimension, width))
    embedding[:length, at["named"]] = np.eye(length) if steps else keys
    embedding[length:, at["z"]] = [point_vector(p, dimension) for p in points(dimension)]
    gathered = at["bit"] if steps else at["query"]
    factor = (q + 1) * (1.0 if steps else alpha / m)
    gather = Head(
        Affine(np.eye(width)[:, at["group"]] @ np.array([[2.0, 0.0], [0.0, 0.0]]), np.array([0.0, -1.0])),
        picked(width, at["group"]),
        picked(width, at["named"]),
        factor * np.eye(width)[gathered],
        scale=GATHER,
        name="gather",
        origin=Origin("the positions that this position names"),
    )
    mlp = descent_mlp(keys, steps, alpha, width, at["bit"], at["query"]) if steps else None
    return Model(
        vocabulary=Vocabulary((*range(length), *map(point_name, points(dimension)))),
        embedding=embedding,
        positions=Positions((), np.zeros((0, width)), _table(reading, keys, at, width)),
        blocks=(Block((gather,), np.zeros(width), mlp), Block((_average(at, width, alpha),), np.zeros(width))),
        readout=Readout(picked(width, at["mean"])),
        decoding=decoding(dimension),
        names=tuple(f"{name} {k}" for name, size in sizes.items() for k in range(size)),
        min_length=length * (q + 1),
        max_length=length * (q + 1),
    ).to(numbers)


def _table(reading: TokenReading, keys: Array, at: dict[str, list[int]], width: int) -> Array:
    """The rows of the word's positions: their group and its square, and where the vector stands, its key and a mark."""
    length = reading.length
    table = np.zeros((length * (reading.q + 1), width))
    group = np.repeat(np.arange(length, dtype=float), reading.q + 1)
    table[:, at["group"]] = np.stack([group, group**2], axis=1)
    table[np.ix_(reading.rows, np.array(at["key"]))] = keys
    table[reading.rows, at["vector"][0]] = 1
    return table


def _average(at: dict[str, list[int]], width: int, alpha: float) -> Head:
    """The head that takes the mean: products of queries and keys, and -alpha for tokens that hold no vector."""
    m = len(at["query"])
    mark = np.eye(width)[:, at["vector"]]
    query = np.concatenate([np.eye(width)[:, at["query"]], np.zeros((width, 1))], axis=1)
    key = np.concatenate([np.eye(width)[:, at["key"]], mark], axis=1)
    return Head(
        Affine(query, np.append(np.zeros(m), alpha)),
        Affine(key, np.append(np.zeros(m), -1.0)),
        picked(width, at["z"]),
        np.eye(width)[at["mean"]],
        name="sparse average",
        origin=Origin("the mean of z over the positions of y"),
    )


def bits_of(length: int, subsets: tuple[Subset, ...]) -> Array:
    """The bits (S, N) of subsets."""
    bits = np.zeros((len(subsets), length))
    for row, subset in zip(bits, subsets, strict=True):
        row[list(subset)] = 1
    return bits


def deviation(keys: Array, bits: Array, coefficients: Array, alpha: float) -> float:
    """The worst error over all vectors, of queries that are these combinations of keys, over the reals."""
    scores = alpha * (coefficients @ keys) @ keys.T / keys.shape[1]
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    right = bits / bits.sum(axis=1, keepdims=True)
    return float(np.abs(weights - right).sum(axis=1).max())


def best_alpha(keys: Array, subsets: tuple[Subset, ...], error: float, steps: int) -> tuple[float, float]:
    """The factor of the queries and the worst error with it.

    With descent it is the theorem's. The matched filter has uneven products on the subset, which a large factor makes
    worse, so the best of some factors is taken.
    """
    bits = bits_of(len(keys), subsets)
    if steps:
        alpha = float(sharpness(len(keys), error))
        return alpha, deviation(keys, bits, descend(keys, bits, steps), alpha)
    candidates = (
        (deviation(keys, bits, bits, a), a) for a in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)
    )
    worst, alpha = min(candidates)
    return alpha, worst


@lru_cache(maxsize=32)
def smallest_oracle_free_m(length: int, error: float, steps: int, seed: int, subsets: tuple[Subset, ...]) -> int | None:
    """The smallest m, up to 1,024, at which the model's error over subsets is at most 9/10 of the one allowed."""
    # The property is not monotone in m: the descent may be lucky. The search finds one m with a failure before it.
    return smallest(lambda m: best_alpha(sign_keys(length, m, seed), subsets, error, steps)[1] <= 0.9 * error, 2, MOST)
