"""Random transformers in exact integers, of a given shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.parts import Affine, Array, AttentionKind, Block, Head, Mask, Mlp, Readout
from capax.model.positions import Positions
from capax.model.provenance import Provenance
from capax.model.vocabulary import Classes, Token, Vocabulary


@dataclass(frozen=True, slots=True)
class ToyShape:
    """The sizes of a random model; `reach` is the greatest weight."""

    layers: int = 1
    heads: int = 1
    dim: int = 2
    width: int = 8
    hidden: int = 16
    numbers: str = "integer:8,4,4"
    mask: Mask = "none"
    attention: AttentionKind = "softmax"
    reach: int = 3


def random_model(
    shape: ToyShape,
    tokens: Sequence[Token],
    answers: Sequence[Token],
    length: int,
    seed: int,
    layout: Mapping[str, Any],
) -> Model:
    """A model of random weights that reads words of one length, with the layout that it declares."""
    system = parse(shape.numbers)
    assert isinstance(system, Integer), "a random model is in exact integers"
    random = np.random.default_rng(seed)

    def weights(*size: int) -> Array:
        return random.integers(-shape.reach, shape.reach + 1, size)

    def affine(inputs: int, outputs: int) -> Affine:
        return Affine(weights(inputs, outputs), weights(outputs))

    def head() -> Head:
        # Scores between 0 and PW fill the table of weights; larger ones are cut.
        spread = np.zeros(shape.dim, np.int64)
        query, key = affine(shape.width, shape.dim), affine(shape.width, shape.dim)
        key = Affine(_sparse(random, key.weight), spread)
        return Head(
            Affine(_sparse(random, query.weight), spread),
            key,
            affine(shape.width, shape.dim),
            weights(shape.dim, shape.width),
            shape.attention,
            shape.mask,
        )

    return Model(
        vocabulary=Vocabulary(tuple(tokens)),
        embedding=weights(len(tokens), shape.width),
        positions=Positions((), np.zeros((0, shape.width), np.int64), weights(length, shape.width)),
        blocks=tuple(
            Block(
                tuple(head() for _ in range(shape.heads)),
                np.zeros(shape.width, np.int64),
                Mlp((affine(shape.width, shape.hidden), affine(shape.hidden, shape.width))),
            )
            for _ in range(shape.layers)
        ),
        readout=Readout(affine(shape.width, len(answers))),
        decoding=Classes(tuple(answers)),
        names=tuple(f"x{i}" for i in range(shape.width)),
        numbers=shape.numbers,
        min_length=length,
        max_length=length,
        provenance=Provenance(layout=dict(layout)),
    )


def _sparse(random: np.random.Generator, weight: Array) -> Array:
    """The weights with all but one of each column set to 0: scores stay small, and weights differ."""
    sparse = np.zeros_like(weight)
    for column in range(weight.shape[1]):
        sparse[int(random.integers(len(weight))), column] = int(random.choice([-1, 1]))
    return sparse
