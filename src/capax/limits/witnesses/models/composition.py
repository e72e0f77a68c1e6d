"""Models for composition: two layers that solve it, their heads side by side in one layer, and random layers."""

import numpy as np

from capax.errors import CapaxError
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Vocabulary

NAMES = ("i", "i^2", "v0", "v1", "v2")
"""The directions: the position, its square, the token, and what the two heads find."""


def solving(n: int) -> Model:
    """Two layers of one head that answer g(f(x)) exactly, in integers."""
    return _model(n, (Block((_lookup(n, 0),), _zeros()), Block((_lookup(n, 1),), _zeros())))


def side_by_side(n: int) -> Model:
    """The same two heads in one layer, where the second cannot know what the first found."""
    return _model(n, (Block((_lookup(n, 0), _lookup(n, 1)), _zeros()),))


def random_layers(n: int, shape: ToyShape, seed: int) -> Model:
    """Random layers that read prompts and answer a number."""
    layout = {"task": "composition", "n": n}
    return random_model(shape, range(n), range(n), 2 * n + 1, seed, layout)


def _zeros() -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.zeros(len(NAMES), np.int64)


def _lookup(n: int, step: int) -> Head:
    """The head that reads the position step * n + v by the score 2 p j - j^2, and writes its token to v_(step + 1)."""
    query, key = np.zeros((5, 2), np.int64), np.zeros((5, 2), np.int64)
    query[2 + step, 0] = 2
    key[0, 0] = key[1, 1] = 1
    value, output = np.zeros((5, 1), np.int64), np.zeros((1, 5), np.int64)
    value[2, 0] = output[0, 3 + step] = 1
    none = np.zeros(2, np.int64)
    return Head(
        Affine(query, np.array([2 * step * n, -1])),
        Affine(key, none),
        Affine(value, np.zeros(1, np.int64)),
        output,
        "average-hard",
        name="fg"[step],
    )


def _model(n: int, blocks: tuple[Block, ...]) -> Model:
    bits = max(2 * (2 * n + 1).bit_length() + 2, 8)
    if bits > 30:
        raise CapaxError(
            "bad-option", f"for n = {n} positions and their squares need {bits} bits", hint="take n to 8,000"
        )
    embedding = np.zeros((n, 5), np.int64)
    embedding[:, 2] = np.arange(n)
    weight = np.zeros((2, 5), np.int64)
    weight[0, 0] = weight[1, 1] = 1
    readout = np.zeros((5, n), np.int64)
    readout[4] = 2 * np.arange(n)
    return Model(
        vocabulary=Vocabulary(tuple(range(n))),
        embedding=embedding,
        positions=Positions(("i", "i^2"), weight),
        blocks=blocks,
        readout=Readout(Affine(readout, -(np.arange(n) ** 2))),
        decoding=Classes(tuple(range(n))),
        names=NAMES,
        numbers=f"integer:{bits},4,{max(2, n.bit_length() + 1)}",
        min_length=2 * n + 1,
        max_length=2 * n + 1,
        provenance=Provenance(layout={"task": "composition", "n": n}),
    )
