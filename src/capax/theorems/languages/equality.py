"""Equality of two strings by two layers of logarithmic width.

Statement: for all n there is a transformer of two layers with one softmax head each, of dimension at most ceil(log2 n)
+ 1, and one ReLU stage of two units, that answers at the last position of every word x_1 ... x_n y_1 ... y_n of bits
whether x = y. A recurrent model needs n bits of state, and one layer of pairwise heads H m p = Omega(n).
Idea: in the first layer y_i reads x_i, whose position has the same binary digits and is in the first half; the MLP
writes |x_i - y_i|; in the second layer differences draw all attention, against a sink with half their score.
Cite: Bhattamishra, Hahn, Blunsom and Kanade (2024), Separations in the representational capabilities of transformers
and recurrent architectures: two layers of logarithmic size, and both lower bounds.
Scope: the lower bounds are cited; the recurrent one is the count of states, 2^n after x. Tried to n = 1,000 in float32
and to n = 40 in float16.
"""

import math
from dataclasses import dataclass

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Readout
from capax.model.positions import Positions
from capax.model.vocabulary import Vocabulary
from capax.report import Report
from capax.tasks.equality import TASK
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import SEED, agreement, checked_at, last
from capax.theorems.matching.parts.ramp import ANSWER
from capax.theorems.proofs import proved_size
from capax.theorems.weights.bits import digits, sign_names, signs
from capax.theorems.weights.stream import Stream, each

EVERY = 4_200


def comparing(n: int, used: int) -> Model:
    """The model that uses this many of the digits."""
    placed = sign_names("position", n)[:used]
    stream = Stream((*placed, "first half", "bit", "partner", "differs", "unequal"))
    table = stream.rows([{**signs(p % n, placed), "first half": float(p < n)} for p in range(2 * n)])
    partner = stream.head(
        query=[*each(placed), {"": 2.0}],
        key=[*each(placed), {"first half": 1.0}],
        value=[{"bit": 1.0}],
        into=["partner"],
        scale=math.log(16 * n),
        name="the same position of the first half",
    )
    # A difference in the second half: relu(x - y) + relu(y - x), and nothing in the first half.
    units = {
        "x above y": {"partner": 1.0, "bit": -1.0, "first half": -2.0},
        "y above x": {"bit": 1.0, "partner": -1.0, "first half": -2.0},
    }
    mlp = stream.mlp([units], {"differs": {"x above y": 1.0, "y above x": 1.0}})
    any_difference = stream.head(
        query=[{"": 1.0}],
        key=[{"differs": 1.0}],
        value=[{"differs": 1.0}],
        into=["unequal"],
        sink=((0.5,), (0.0,)),
        scale=4 * math.log(16 * n),
        name="any difference",
    )
    return Model(
        vocabulary=Vocabulary((0, 1)),
        embedding=stream.rows([{"bit": 0.0}, {"bit": 1.0}]),
        positions=Positions((), np.zeros((0, stream.width)), table),
        blocks=(stream.block(partner, mlp=mlp), stream.block(any_difference)),
        readout=Readout(stream.affine([{"unequal": -1.0, "": 1.0}])),
        decoding=ANSWER,
        names=stream.names,
        min_length=2 * n,
        max_length=2 * n,
    )


@dataclass(frozen=True, slots=True)
class EqualityParameters:
    """The parameters of the theorem."""

    n: int = parameter(6, "the bits of each half", 3, 5_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32", "float16"))


def construct(at: EqualityParameters) -> Model:
    """The model for halves of n bits."""
    return comparing(at.n, digits(at.n)).to(at.dtype)


def verify(model: Model, at: EqualityParameters) -> Report:
    """Whether a model tells equal halves: every word if these are few, and random ones."""
    return checked_at(
        model,
        TASK,
        at.n,
        "the model tells whether the halves are equal",
        every=f"every word of two halves of {at.n} bits" if 4**at.n <= EVERY else None,
        random=f"random words of two halves of {at.n:,} bits that are equal or differ in one position or more",
        samples=max(12, min(100, 4_000_000 // at.n**2)),
        decode=last,
    )


def prove(model: Model, at: EqualityParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all inputs of this size, if these are not too many."""
    return proved_size(model, TASK, at.n, f"words of two halves of {at.n} bits", 4**at.n)


def size(at: EqualityParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 2),
        SizeRow("heads per layer", max(built.heads), 1),
        SizeRow("head dimension", built.head_dimension, "O(log n)", "ceil(log2 n) + 1"),
        SizeRow("width of the stream", built.width, "O(log n)", "ceil(log2 n) + 5"),
        SizeRow("ReLU units", built.hidden, "O(1)"),
        SizeRow("recurrent: bits of state", "not built", at.n, "at least n"),
        SizeRow("one layer: H m p", "not built", "Omega(n)", "cited"),
    )


def break_it(at: EqualityParameters) -> Report:
    """With one digit less, two positions are compared with the mean of two."""
    model = comparing(at.n, digits(at.n) - 1).to(at.dtype)
    statement = f"equality of {at.n} bits with {digits(at.n) - 1} of {digits(at.n)} digits of the position"
    drawn = TASK.samples(300, at.n, SEED)
    return agreement(model, TASK, drawn, statement, seed=SEED, decode=last)


THEOREM = theorem_in(
    __name__,
    EqualityParameters,
    assumptions=("a table of positions", "words of one length"),
    attention="softmax",
    computes="task:equality",
    precision="O(log n) bits",
    task="equality",
    small=({"n": 5}, {"n": 200, "dtype": "float32"}, {"n": 40, "dtype": "float16"}),
    large=({"n": 500}, {"n": 1_000, "dtype": "float32"}, {"n": 5_000}),
)
