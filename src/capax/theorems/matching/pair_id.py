"""PairID by one head of dimension 3 in exact integers.

Statement: for all M with (M - 1)^2 < 2^(P-1) there is a transformer of one layer with one average-hard head of
dimension 3, whose weights and activations are integers of P bits, that answers PairID (the poster's name of Match2) on
every word over 1 ... M, of any length.
Idea: the query a = x mod M and the key b = -x mod M have the score -(a - b)^2, which is 0 on matches and at most -1
elsewhere; the sink has score 0 and value 0. With k matches the mean of the values 4 is 4 k / (k + 1), which is at least
2, and it is 0 with none: rounding to an integer cannot confuse the two. No length enters.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 6 (number
cited, not checked here), for the task, which their poster calls PairID; the integer form is ours.
Scope: arithmetic is the runtime's exact integers, so "exact" is about the model as it is run, not about reals. Integers
have at most 30 bits: M up to 16,384 here, 23,171 by the bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Readout, Sink
from capax.model.positions import Positions
from capax.model.vocabulary import Nearest, Vocabulary
from capax.report import Report
from capax.tasks.pair_id import TASK
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import agreement, checked
from capax.theorems.matching.match2 import LINE
from capax.theorems.proofs import proved_task

VALUE_BITS = 4


def integers(tokens: Sequence[int], modulus: int, bits: int) -> Model:
    """The model of some tokens in integers of `bits` bits; what does not fit is clipped, as the system does."""
    most = (1 << (bits - 1)) - 1
    rows = []
    for x in tokens:
        a, b = x % modulus, -x % modulus
        rows.append([min(number, most) for number in (a, a * a, b, b * b, 0, 0)])
    first = LINE.head(
        query=[{"x mod M": 2}, {"": -1}, {"(x mod M)^2": -1}],
        key=[{"-x mod M": 1}, {"(-x mod M)^2": 1}, {"": 1}],
        value=[{"": 4}],
        into=["weight on matches"],
        sink=((0, 0, 0), (0,)),
        attention="average-hard",
        name="opposite residues",
    )
    assert first.sink is not None
    # The answer is min(mean, 1), as relu(mean) - relu(mean - 1).
    units = {"mean": {"weight on matches": 1.0}, "above 1": {"weight on matches": 1.0, "": -1.0}}
    mlp = LINE.mlp([units], {"answer": {"mean": 1.0, "above 1": -1.0}})
    head = Head(
        whole(first.query),
        whole(first.key),
        whole(first.value),
        _whole(first.output),
        "average-hard",
        sink=Sink(_whole(first.sink.key), _whole(first.sink.value)),
        name=first.name,
    )
    return Model(
        vocabulary=Vocabulary(tuple(tokens)),
        embedding=np.array(rows, np.int64),
        positions=Positions((), np.zeros((0, LINE.width), np.int64)),
        blocks=(Block((head,), np.zeros(LINE.width, np.int64), Mlp(tuple(whole(m) for m in mlp.maps))),),
        readout=Readout(whole(LINE.affine([{"answer": 1.0}]))),
        decoding=Nearest((0.0, 1.0), (0, 1)),
        names=LINE.names,
        numbers=f"integer:{bits},1,{VALUE_BITS}",
    )


def whole(map: Affine) -> Affine:
    """A map with integer weights."""
    return Affine(_whole(map.weight), _whole(map.bias))


def _whole(array: Array) -> Array:
    return array.astype(np.int64)


def needed(modulus: int) -> int:
    """The bits that the squares of residues need, sign included."""
    return max(VALUE_BITS, int((modulus - 1) ** 2).bit_length() + 1)


@dataclass(frozen=True, slots=True)
class PairIdParameters:
    """The parameters of the theorem."""

    modulus: int = parameter(12, "the modulus M; tokens are 1 ... M", 3, 16_384)
    length: int = parameter(40, "the greatest length of the sampled words", 2, 20_000)


def construct(at: PairIdParameters) -> Model:
    """The model with as many bits as the modulus needs."""
    return integers(range(1, at.modulus + 1), at.modulus, needed(at.modulus))


def verify(model: Model, at: PairIdParameters) -> Report:
    """Whether a model computes PairID: all short words, and random ones."""
    return checked(model, TASK, at.length, modulus=at.modulus)


def prove(model: Model, at: PairIdParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_task(model, TASK, at.length, least=least, modulus=at.modulus)


def size(at: PairIdParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1),
        SizeRow("head dimension m", built.head_dimension, 3),
        SizeRow("bits P of a number", needed(at.modulus), "O(log M)", "2 log2 M + 1"),
        SizeRow("width of the stream", built.width, 3, "residues, squares, mean and answer"),
    )


def break_it(at: PairIdParameters) -> Report:
    """With half the bits the squares are clipped and unequal residues tie, or matches are lost."""
    bits = max(VALUE_BITS, needed(at.modulus) // 2)
    words = [[x, y] for x in range(1, min(at.modulus, 60) + 1) for y in range(1, min(at.modulus, 60) + 1)]
    statement = f"PairID mod {at.modulus} with integers of {bits} bits instead of {needed(at.modulus)}"
    return agreement(
        integers(range(1, at.modulus + 1), at.modulus, bits), TASK, words, statement, chosen=True, modulus=at.modulus
    )


THEOREM = theorem_in(
    __name__,
    PairIdParameters,
    assumptions=("means are rounded to the nearest integer", "a sink with score 0 and value 0"),
    attention="average-hard",
    computes="task:pair-id?modulus={modulus}",
    precision="P = 2 log2 M + 1 bits, exact",
    task="pair-id",
    small=({"modulus": 4}, {"modulus": 16_384, "length": 100}),
    large=({"modulus": 5000, "length": 2_000},),
)
