"""Models for q-sparse averaging: one-hot keys that solve it, and random keys of too few bits."""

from itertools import combinations
from math import comb

import numpy as np

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Numbers, Vocabulary

UNIT = 64
"""What a sign is multiplied by: means are whole numbers of 1/64, rounded."""
MOST_SETS = 20_000


def solving(q: int) -> Model:
    """One head that averages over the q named positions exactly: its keys are one-hot, so m = 2q + 1."""
    return _model(q, np.eye(2 * q + 1, dtype=np.int64))


def random_keys(q: int, dim: int, reach: int, seed: int) -> Model:
    """The same head with random integer keys of that many dimensions."""
    keys = np.random.default_rng(seed).integers(-reach, reach + 1, (2 * q + 1, dim))
    return _model(q, keys)


def _model(q: int, keys: Array) -> Model:
    """A token's query is the sum of the keys of the positions that it names; the highest scores are averaged."""
    n = 2 * q + 1
    if comb(n, q) > MOST_SETS:
        raise CapaxError(
            "bad-option", f"{comb(n, q):,} sets of q = {q} positions are too many tokens", hint="take q to 7"
        )
    sets = list(combinations(range(n), q))
    k = keys.shape[1]
    d = 2 * k + 2  # query, key, value, answer
    embedding = np.zeros((2 * len(sets), d), np.int64)
    tokens = []
    for row, (sign, named) in enumerate((sign, named) for sign in (1, -1) for named in sets):
        tokens.append(f"{'+' if sign > 0 else '-'}e1 {','.join(map(str, named))}")
        embedding[row, :k] = keys[list(named)].sum(axis=0)
        embedding[row, 2 * k] = sign * UNIT
    table = np.zeros((n, d), np.int64)
    table[:, k : 2 * k] = keys
    read = np.zeros((d, 1), np.int64)
    read[-1] = 1
    return Model(
        vocabulary=Vocabulary(tuple(tokens)),
        embedding=embedding,
        positions=Positions((), np.zeros((0, d), np.int64), table),
        blocks=(Block((_head(k, d),), np.zeros(d, np.int64)),),
        readout=Readout(Affine(read, np.zeros(1, np.int64))),
        decoding=Numbers(),
        names=tuple([f"query {i}" for i in range(k)] + [f"key {i}" for i in range(k)] + ["sign", "mean"]),
        numbers="integer:8,4,8",
        min_length=n,
        max_length=n,
        provenance=Provenance(layout={"task": "sparse-averaging", "q": q}, unit=1 / UNIT),
    )


def _head(k: int, d: int) -> Head:
    query, key = np.zeros((d, k), np.int64), np.zeros((d, k), np.int64)
    query[np.arange(k), np.arange(k)] = key[k + np.arange(k), np.arange(k)] = 1
    value, output = np.zeros((d, 1), np.int64), np.zeros((1, d), np.int64)
    value[2 * k, 0] = output[0, 2 * k + 1] = 1
    none = np.zeros(k, np.int64)
    return Head(
        Affine(query, none),
        Affine(key, none),
        Affine(value, np.zeros(1, np.int64)),
        output,
        "average-hard",
        name="mean",
    )
