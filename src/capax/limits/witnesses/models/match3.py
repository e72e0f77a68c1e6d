"""Models for Match3 on the words of set disjointness: a histogram that solves it, and random layers."""

import numpy as np

from capax.errors import CapaxError
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary

MOST = 64
"""The greatest modulus: the second stage has M (M + 1) / 2 units."""


def layout_of(n: int, modulus: int) -> dict[str, object]:
    """The layout of words of set disjointness."""
    return {"task": "match3", "n": n, "modulus": modulus}


def random_layers(n: int, modulus: int, shape: ToyShape, seed: int) -> Model:
    """Random layers that read residues and answer 0 or 1."""
    return random_model(shape, range(1, modulus + 1), (0, 1), 2 * n + 1, seed, layout_of(n, modulus))


def solving(n: int, modulus: int) -> Model:
    """One uniform head of dimension M that counts residues exactly, and an MLP that asks for every pair of them."""
    if modulus > MOST:
        raise CapaxError(
            "bad-option", f"the model that solves Match3 is made for M up to {MOST}", hint="take a smaller n"
        )
    length, m = 2 * n + 1, modulus
    # directions: is r (M), count of r (M), answer (1)
    d = 2 * m + 1
    embedding = np.zeros((m, d), np.int64)
    embedding[np.arange(m), (np.arange(m) + 1) % m] = 1
    value, output = np.zeros((d, m), np.int64), np.zeros((m, d), np.int64)
    value[np.arange(m), np.arange(m)] = length  # a mean of these is a count
    output[np.arange(m), m + np.arange(m)] = 1
    nothing = Affine(np.zeros((d, 1), np.int64), np.zeros(1, np.int64))
    head = Head(nothing, nothing, Affine(value, np.zeros(m, np.int64)), output, "softmax", name="counts")
    readout = np.zeros((d, 2), np.int64)
    readout[-1, 1] = 2
    return Model(
        vocabulary=Vocabulary(tuple(range(1, m + 1))),
        embedding=embedding,
        positions=Positions((), np.zeros((0, d), np.int64)),
        blocks=(Block((head,), np.zeros(d, np.int64), _pairs(m)),),
        readout=Readout(Affine(readout, np.array([1, 0]))),
        decoding=Classes((0, 1)),
        names=tuple([f"is {r}" for r in range(m)] + [f"count of {r}" for r in range(m)] + ["answer"]),
        numbers=f"integer:{max(10, length.bit_length() + 2)},1,{length.bit_length() + 1}",
        min_length=length,
        max_length=length,
        provenance=Provenance(layout=layout_of(n, modulus)),
    )


def _pairs(m: int) -> Mlp:
    """The stages: which residues occur, then for each pair whether both occur and sum to 0 with the token itself."""
    d = 2 * m + 1
    # first stage: at all (M), above (M), is r (M)
    first, first_bias = np.zeros((d, 3 * m), np.int64), np.zeros(3 * m, np.int64)
    for r in range(m):
        first[m + r, r] = first[m + r, m + r] = first[r, 2 * m + r] = 1
        first_bias[m + r] = -1
    pairs = [(a, b) for a in range(m) for b in range(a, m)]
    second = np.zeros((3 * m, len(pairs)), np.int64)
    for unit, (a, b) in enumerate(pairs):
        for r in (a, b):
            second[r, unit] += 1
            second[m + r, unit] -= 1
        second[2 * m + (-(a + b)) % m, unit] = 1
    last = np.zeros((len(pairs), d), np.int64)
    last[:, -1] = 1
    return Mlp(
        (
            Affine(first, first_bias),
            Affine(second, np.full(len(pairs), -2)),
            Affine(last, np.zeros(d, np.int64)),
        )
    )
