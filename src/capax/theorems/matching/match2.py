"""Match2 by one head of dimension 3.

Statement: for all M and N there is a transformer of one layer with one softmax head of dimension 3 and two ReLU units
that, on every word x of at most N tokens in 1 ... M, answers 1 exactly at the positions i for which some j has x_i +
x_j = 0 mod M. O(log M + log log N) bits per number suffice.
Idea: put x on the circle at the angle 2 pi x / M. The score c (cos(a_i + a_j) - 1) is bilinear in (cos, sin, 1), is 0
on matches and at most -8 c / M^2 elsewhere. A blank row with score 0 and value 0, here the head's sink, gives the mass
somewhere to go: the head's output is at most 1/6 without a match and at least 6/13 with one. A ramp makes it 0 or 1.
With integers instead: the query a = x mod M and the key b = -x mod M have the score -(a - b)^2, whose gap is 1.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 6 (number
cited, not checked here). A common sketch asks for one embedding of dimension 3 that also has room for a blank token; no
such map exists, so here the blank is the zero key.
Scope: the trigonometric scale is M^2 ln(6N) / 8, eight times less than usual, since 1 - cos(2 pi / M) >= 8 / M^2. The
code checks all short words and random longer ones; the argument above is what covers the rest, over real numbers.
Largest modulus on the grid 5, 10, 20, 50, ... with 20 random words of 40 tokens right, near misses among them:
trigonometric 2e8 in float64, 2,000 in float32, 50 in float16, 10 in bfloat16; integer 5e7, 2,000, 20, 10. A modulus
that passed is measured, not proved.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.vocabulary import Vocabulary
from capax.report import Report
from capax.tasks.match2 import TASK
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import agreement, checked
from capax.theorems.matching.parts.ramp import ANSWER, answer_of, ramp
from capax.theorems.proofs import proved_task
from capax.theorems.weights.stream import Stream, Terms

CIRCLE = Stream(("cos", "sin", "weight on matches", "answer"))
LINE = Stream(("x mod M", "(x mod M)^2", "-x mod M", "(-x mod M)^2", "weight on matches", "answer"))


def angle(x: int, modulus: int) -> float:
    """The angle of a residue; the reduction is exact for integers of any size."""
    return 2 * math.pi * (x % modulus) / modulus


def circle(tokens: Sequence[int], modulus: int, length: int, share: float = 1.0, blank: bool = True) -> Model:
    """The trigonometric model of some tokens; `share` of the scale that the theorem asks for."""
    rows = [{"cos": math.cos(angle(x, modulus)), "sin": math.sin(angle(x, modulus))} for x in tokens]
    head = CIRCLE.head(
        query=[{"cos": 1}, {"sin": -1}, {"": -1}],
        key=[{"cos": 1}, {"sin": 1}, {"": 1}],
        value=[{"": 1}],
        into=["weight on matches"],
        sink=((0, 0, 0), (0,)) if blank else None,
        scale=share * modulus**2 * math.log(6 * length) / 8,
        name="opposite angles",
    )
    return _model(CIRCLE, tokens, rows, head, length)


def line(tokens: Sequence[int], modulus: int, length: int, share: float = 1.0, blank: bool = True) -> Model:
    """The integer model of some tokens."""
    rows = []
    for x in tokens:
        a, b = float(x % modulus), float(-x % modulus)
        rows.append({"x mod M": a, "(x mod M)^2": a * a, "-x mod M": b, "(-x mod M)^2": b * b})
    head = LINE.head(
        query=[{"x mod M": 2}, {"": -1}, {"(x mod M)^2": -1}],
        key=[{"-x mod M": 1}, {"(-x mod M)^2": 1}, {"": 1}],
        value=[{"": 1}],
        into=["weight on matches"],
        sink=((0, 0, 0), (0,)) if blank else None,
        scale=2.0 ** math.ceil(math.log2(math.log(6 * length))) * share,  # a power of two: exact
        name="opposite residues",
    )
    return _model(LINE, tokens, rows, head, length)


def _model(stream: Stream, tokens: Sequence[int], rows: Sequence[Terms], head: Any, length: int) -> Model:
    return Model(
        vocabulary=Vocabulary(tuple(tokens)),
        embedding=stream.rows(rows),
        positions=stream.positions({}),
        blocks=(stream.block(head, mlp=ramp(stream, "weight on matches", "answer")),),
        readout=answer_of(stream, "answer"),
        decoding=ANSWER,
        names=stream.names,
        max_length=length,
    )


FORMS = {"trigonometric": circle, "integer": line}


@dataclass(frozen=True, slots=True)
class Match2Parameters:
    """The parameters of the theorem."""

    modulus: int = parameter(5, "the modulus M; tokens are 1 ... M", 3, 100_000)
    length: int = parameter(40, "the greatest length N", 2, 20_000)
    form: str = parameter("trigonometric", "the embedding", choices=tuple(FORMS))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32", "float16", "bfloat16"))


def construct(at: Match2Parameters) -> Model:
    """The model for a modulus and words of at most `length` tokens."""
    return FORMS[at.form](range(1, at.modulus + 1), at.modulus, at.length).to(at.dtype)


def verify(model: Model, at: Match2Parameters) -> Report:
    """Whether a model computes Match2: all short words, and random ones."""
    return checked(model, TASK, at.length, modulus=at.modulus)


def prove(model: Model, at: Match2Parameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_task(model, TASK, at.length, least=least, modulus=at.modulus)


def size(at: Match2Parameters) -> tuple[SizeRow, ...]:
    """The sizes beside the paper's."""
    built = construct(at).size
    scale = at.modulus**2 * math.log(6 * at.length)
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1),
        SizeRow("head dimension m", built.head_dimension, 3),
        SizeRow("width of the stream", built.width, 3, "the weight on matches and the answer are kept apart"),
        SizeRow("ReLU units", built.hidden, "any function", "the ramp of the output"),
        SizeRow(
            "scale of the scores",
            scale / 8 if at.form == "trigonometric" else 2.0 ** math.ceil(math.log2(math.log(6 * at.length))),
            scale,
            "the paper's, M^2 ln(6N)" if at.form == "trigonometric" else "the gap is 1 and not 8 / M^2",
        ),
    )


def break_it(at: Match2Parameters) -> Report:
    """Without the blank row the weights of a position without a match have nowhere else to go."""
    build = FORMS[at.form]
    words = [[1] * min(at.length, 2), [1], [1, at.modulus]]
    statement = "Match2 without the blank row (the sink): all weight falls on tokens, whether they match or not"
    return agreement(
        build(range(1, at.modulus + 1), at.modulus, at.length, blank=False).to(at.dtype),
        TASK,
        words,
        statement,
        chosen=True,
        modulus=at.modulus,
    )


THEOREM = theorem_in(
    __name__,
    Match2Parameters,
    assumptions=("a blank row that every query sees, with score 0 and value 0 (the head's sink)",),
    attention="softmax",
    computes="task:match2?modulus={modulus}",
    precision="O(log M + log log N) bits; measured below",
    task="match2",
    small=(
        {"modulus": 4, "form": "integer"},
        {"modulus": 1000, "dtype": "float32"},
        {"modulus": 2000, "form": "integer", "dtype": "float32"},
        {"modulus": 20, "length": 20, "dtype": "float16"},
    ),
    large=({"modulus": 20_000, "length": 2_000}, {"modulus": 100_000, "length": 2_000, "form": "integer"}),
)
