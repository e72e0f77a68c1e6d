"""Match3Bigram by two layers of one head.

Statement: for all M and N there is a transformer of two layers with one softmax head each, of dimension at most 4, that
on every word of at most N tokens in 1 ... M answers whether some j has x_i + x_j + x_(j+1) = 0 mod M.
Idea: the first head copies the next token; the MLP between the layers makes of (x_j, x_(j+1)) the key of their sum; the
second head is that of Match2 with this key. Rows without a next token score at most -1. The MLP is where forms differ.
`integer`: the sum mod M by two ReLU units and its square by log2 M stages of a few units. `trigonometric`: the cosine
and sine of the sum by 2M ReLU units, linear between integers. `oracle`: the angles are added by an arbitrary function,
as the paper allows.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 8 (number
cited, not checked here); the ReLU forms of the token map are ours.
Scope: the scale 2048 makes the copy exact in floats; over the reals it is off by less than e^-1000. 3 is the dimension
of the second head; the stream holds query, key and value at once and is wider. Largest modulus on the grid 10, 20, 50,
... with 40 random words of 40 tokens right: integer and oracle 1e5 in float64 (no failure, the largest tried) and 2,000
in float32; trigonometric 5,000 (the largest tried) and 500.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Array, Head, Mlp, OracleMap
from capax.model.vocabulary import Vocabulary
from capax.report import Report
from capax.tasks.match3_bigram import TASK
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import TASKS, agreement, checked
from capax.theorems.matching.match2 import angle
from capax.theorems.matching.parts.ramp import ANSWER, answer_of, ramp
from capax.theorems.proofs import proved_task
from capax.theorems.weights.staged import square
from capax.theorems.weights.stream import Stream, Terms

OUT = ("weight on matches", "answer")
LINE = Stream(("x", "a", "a^2", "i", "i^2", "next", "has next", "b", "b^2", *OUT))
CIRCLE = Stream(("cos", "sin", "x", "i", "i^2", "next", "has next", "sum cos", "sum sin", *OUT))
ORACLE = Stream(("cos", "sin", "i", "i^2", "next cos", "next sin", "has next", "sum cos", "sum sin", *OUT))


def following(stream: Stream, values: Sequence[str], into: Sequence[str], ahead: int = 1) -> Head:
    """The head that copies directions of the position `ahead` of its own; at the end of the word it copies zeros."""
    n = float(ahead)
    return stream.head(
        query=[{"i": 2.0, "": 2 * n}, {"": -1.0}, {"i^2": -1.0, "i": -2 * n, "": -n * n}, {"": 1.0}],
        key=[{"i": 1.0}, {"i^2": 1.0}, {"": 1.0}, {}],
        value=[*({name: 1.0} for name in values), {"": 1.0}],
        into=[*into, "has next"],
        sink=((0, 0, 0, -0.5), (0,) * (len(values) + 1)),
        scale=2048.0,
        name="next",
    )


def key_by_integers(modulus: int) -> Mlp:
    """The MLP that writes b = -(x + next) mod M and its square."""
    bits = max(1, (modulus - 1).bit_length())
    total = {"x": 1.0, "next": 1.0}
    first = {
        "sum": total,
        "over M": {**total, "": -float(modulus)},
        "over M + 1": {**total, "": -float(modulus) - 1.0},
    }
    # b = M - s for s <= M, and 2M - s above; two units tell which.
    b = {"": float(modulus), "over M": float(modulus), "over M + 1": -float(modulus), "sum": -1.0}
    stages, squared = square(b, bits, "square")
    for number, stage in enumerate(stages):
        stage["b"] = b if number == 0 else {"b": 1.0}
    return LINE.mlp([first, *stages], {"b": {"b": 1.0}, "b^2": squared})


def key_by_angles(modulus: int) -> Mlp:
    """The MLP that writes the cosine and the sine of the angle of x + next: linear between integers."""
    units = {f"sum above {s}": {"x": 1.0, "next": 1.0, "": -float(s)} for s in range(2 * modulus)}
    writes: dict[str, Terms] = {}
    for name, function in (("sum cos", math.cos), ("sum sin", math.sin)):
        heights = [function(angle(s, modulus)) for s in range(2 * modulus + 1)]
        slopes = [0.0, *(after - before for before, after in pairwise(heights))]
        bends = {f"sum above {s}": slopes[s + 1] - slopes[s] for s in range(2 * modulus)}
        writes[name] = {**bends, "": heights[0]}
    return CIRCLE.mlp([units], writes)


def add_angles(x: Array) -> Array:
    """What the oracle adds to rows of the stream: the cosine and the sine of the sum of two angles."""
    cos, sin, next_cos, next_sin = (x[..., ORACLE.names.index(n)] for n in ("cos", "sin", "next cos", "next sin"))
    added = np.zeros_like(x)
    added[..., ORACLE.names.index("sum cos")] = cos * next_cos - sin * next_sin
    added[..., ORACLE.names.index("sum sin")] = sin * next_cos + cos * next_sin
    return added


def integer_form(modulus: int, length: int, ahead: int) -> Model:
    """The model with integer residues."""
    rows = [{"x": float(x), "a": float(x % modulus), "a^2": float(x % modulus) ** 2} for x in range(1, modulus + 1)]
    match = LINE.head(
        query=[{"a": 2.0}, {"": -1.0}, {"a^2": -1.0}],
        # Without a next token the key's second coordinate is 1 too large: the score is at most -1.
        key=[{"b": 1.0}, {"b^2": 1.0, "has next": -1.0, "": 1.0}, {"": 1.0}],
        value=[{"": 1.0}],
        into=[OUT[0]],
        sink=((0, 0, 0), (0,)),
        scale=2.0 ** math.ceil(math.log2(math.log(6 * length))),
        name="opposite sums",
    )
    copy = following(LINE, ["x"], ["next"], ahead)
    return _model(LINE, rows, copy, key_by_integers(modulus), match, length)


def angle_form(modulus: int, length: int, ahead: int, oracle: bool) -> Model:
    """The model with angles, whose sum is found by ReLU units or by an oracle."""
    stream = ORACLE if oracle else CIRCLE
    rows: list[dict[str, float]] = []
    for x in range(1, modulus + 1):
        positions = {"cos": math.cos(angle(x, modulus)), "sin": math.sin(angle(x, modulus))}
        rows.append(positions if oracle else {**positions, "x": float(x)})
    match = stream.head(
        query=[{"cos": 1.0}, {"sin": -1.0}, {"": -1.0}],
        key=[{"sum cos": 1.0}, {"sum sin": 1.0}, {"has next": -1.0, "": 2.0}],
        value=[{"": 1.0}],
        into=[OUT[0]],
        sink=((0, 0, 0), (0,)),
        scale=modulus**2 * math.log(6 * length) / 8,
        name="opposite sums",
    )
    if oracle:
        copy = following(stream, ["cos", "sin"], ["next cos", "next sin"], ahead)
        return _model(stream, rows, copy, OracleMap(add_angles, "the sum of two angles"), match, length)
    return _model(stream, rows, following(stream, ["x"], ["next"], ahead), key_by_angles(modulus), match, length)


def _model(stream: Stream, rows: Sequence[Terms], copy: Head, sums: Mlp | OracleMap, match: Head, length: int) -> Model:
    return Model(
        vocabulary=Vocabulary(tuple(range(1, len(rows) + 1))),
        embedding=stream.rows(rows),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=(stream.block(copy, mlp=sums), stream.block(match, mlp=ramp(stream, *OUT))),
        readout=answer_of(stream, OUT[1]),
        decoding=ANSWER,
        names=stream.names,
        max_length=length,
    )


FORMS: dict[str, Callable[[int, int, int], Model]] = {
    "integer": integer_form,
    "trigonometric": lambda modulus, length, ahead: angle_form(modulus, length, ahead, oracle=False),
    "oracle": lambda modulus, length, ahead: angle_form(modulus, length, ahead, oracle=True),
}


@dataclass(frozen=True, slots=True)
class Match3BigramParameters:
    """The parameters of the theorem."""

    modulus: int = parameter(7, "the modulus M; tokens are 1 ... M", 4, 100_000)
    length: int = parameter(40, "the greatest length N", 2, 10_000)
    form: str = parameter("integer", "the MLP between the layers", choices=tuple(FORMS))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: Match3BigramParameters) -> Model:
    """The model for a modulus and words of at most `length` tokens."""
    return FORMS[at.form](at.modulus, at.length, 1).to(at.dtype)


def verify(model: Model, at: Match3BigramParameters) -> Report:
    """Whether a model computes Match3Bigram: all short words, and random ones."""
    return checked(model, TASK, at.length, trials=replace(TASKS, every=5_000), modulus=at.modulus)


def prove(model: Model, at: Match3BigramParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_task(model, TASK, at.length, least=least, modulus=at.modulus)


def size(at: Match3BigramParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the paper's."""
    built = construct(at).size
    dimension = "the second head has 3; the first has 4 with its sink"
    units = {"integer": "4 in each stage", "trigonometric": "2M", "oracle": "an arbitrary function, not counted"}[
        at.form
    ]
    return (
        SizeRow("layers", built.attention_layers, 2),
        SizeRow("heads per layer", max(built.heads), 1),
        SizeRow("head dimension m", built.head_dimension, 3, dimension),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow("stages of the MLP between the layers", built.mlp_depth[0], "any function"),
        SizeRow("its ReLU units per stage", built.hidden, "any function", units),
    )


def break_it(at: Match3BigramParameters) -> Report:
    """With a first head that looks two positions ahead instead of one, other pairs are found."""
    words = [[1, 1, at.modulus - 2], [at.modulus - 2, 1, 1], [1, 2, 1, at.modulus - 2]]
    statement = "Match3Bigram with a first head that copies the token after the next"
    return agreement(
        FORMS[at.form](at.modulus, max(at.length, 4), 2).to(at.dtype),
        TASK,
        words,
        statement,
        chosen=True,
        modulus=at.modulus,
    )


THEOREM = theorem_in(
    __name__,
    Match3BigramParameters,
    assumptions=("positions i and i^2", "a sink in each head"),
    attention="softmax",
    computes="task:match3-bigram?modulus={modulus}",
    precision="O(log M + log N) bits",
    breaks="construction",
    task="match3-bigram",
    small=(
        {"form": "trigonometric"},
        {"form": "oracle"},
        {"modulus": 1000, "length": 100},
        {"modulus": 1000, "length": 100, "dtype": "float32"},
        {"modulus": 300, "length": 100, "form": "trigonometric"},
    ),
    large=({"modulus": 100_000, "length": 2_000}, {"modulus": 2_000, "length": 1_000, "form": "oracle"}),
)
