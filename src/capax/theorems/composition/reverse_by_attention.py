"""Reverse by attention alone.

Statement: for all N and k there is a transformer of two layers, with two softmax heads and one, and without any
feed-forward sublayer, that answers at every position of every word of at most N of k letters with the letter that
stands there in the reversed word. Its width is 2 k + 4. With hard attention in the second layer one model serves all N.
Idea: let position j be followed by x - 1 others. Two heads that see later positions only, with sinks that weigh 1 and
2, give it 1/x and 2/(x+1). Position i looks for x = t, where t = i + 1. The score -t^2/x + (t+1)^2/(x+1) is linear in
these two numbers, and equal to 1 - (t-x)^2/(x(x+1)): it is largest at x = t alone. Of 1/x by itself a linear score is
largest at an end of the word.
Cite: the sublayers are those of Press, Smith and Levy (2020), Improving transformer models by reordering their
sublayers; the construction is capax's own.
Scope: the model runs on every order of sublayers with two attentions, such as `ssf` and `fss`, as feed-forward
sublayers may do nothing. The scores differ by 1/(N(N+1)) only, so the softmax has a scale of about 3 N^2; float32 was
tried to N = 100.
"""

import math
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Head, Readout
from capax.model.vocabulary import Classes, Vocabulary
from capax.report import Report
from capax.tasks.inputs.letters import SYMBOLS, letters
from capax.tasks.reverse import TASK
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.checks import SEED, agreement, checked, sampled
from capax.theorems.proofs import proved_task
from capax.theorems.weights.stream import Stream

FAR = 16
"""A position whose x is d from the right one has a weight of at most FAR^(-d^2) of that one's."""


def _to_the_end(stream: Stream, weight: float, into: str) -> Head:
    """The head that sees later positions and a sink of this weight: weight / (weight + their number)."""
    return stream.head(
        query=[{"": 1.0}],
        key=[{"": 0.0}],
        value=[{"": 0.0}],
        into=[into],
        sink=((math.log(weight),), (1.0,)),
        mask="strict future",
        name=f"the share of a sink of weight {weight:g} among the later positions",
    )


def by_attention(symbols: int, longest: int | None, *, second: bool = True) -> Model:
    """The model for words of a greatest length, or for all with hard attention; with one of the two numbers or both."""
    read = letters(symbols)
    here, there = (tuple(f"{word} {x}" for x in read) for word in ("token", "mirrored"))
    stream = Stream((*here, "i", "i^2", "1/x", "2/(x+1)", *there))
    other = 0.5 if second else 0.0
    flip = stream.head(
        query=[{"i^2": -1.0, "i": -2.0, "": -1.0}, {"i^2": other, "i": 4 * other, "": 4 * other}],
        key=[{"1/x": 1.0}, {"2/(x+1)": 1.0}],
        value=[{name: 1.0} for name in here],
        into=there,
        attention="softmax" if longest is not None else "average-hard",
        scale=1.0 if longest is None else longest * (longest + 1) * math.log(FAR),
        name="the mirrored position",
    )
    sinks = (_to_the_end(stream, 1, "1/x"), _to_the_end(stream, 2, "2/(x+1)"))
    return Model(
        vocabulary=Vocabulary(read),
        embedding=stream.rows([{name: 1.0} for name in here]),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=(stream.block(*sinks), stream.block(flip)),
        readout=Readout(stream.affine([{name: 1.0} for name in there])),
        decoding=Classes(read),
        names=stream.names,
        max_length=longest,
    )


@dataclass(frozen=True, slots=True)
class ReverseParameters:
    """The parameters of the theorem."""

    length: int = parameter(20, "the greatest length N", 2, 2_000)
    symbols: int = like(SYMBOLS)
    attention: str = parameter("softmax", "the attention of the second layer", choices=("softmax", "hard"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def _model(at: ReverseParameters, *, second: bool = True) -> Model:
    return by_attention(at.symbols, at.length if at.attention == "softmax" else None, second=second).to(at.dtype)


def construct(at: ReverseParameters) -> Model:
    """The model."""
    return _model(at)


def verify(model: Model, at: ReverseParameters) -> Report:
    """Whether a model reverses: all short words, and random ones."""
    return checked(model, TASK, at.length, symbols=at.symbols)


def prove(model: Model, at: ReverseParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_task(model, TASK, at.length, least=least, symbols=at.symbols)


def size(at: ReverseParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the statement."""
    built = construct(at).size
    return (
        SizeRow("attention layers", built.attention_layers, 2),
        SizeRow("heads", sum(built.heads), 3),
        SizeRow("MLP depth", max(built.mlp_depth), 0, "no feed-forward sublayer"),
        SizeRow("width of the stream", built.width, 2 * at.symbols + 4),
    )


def break_it(at: ReverseParameters) -> Report:
    """With one of the two numbers, the score is largest at an end of the word."""
    words = sampled(TASK, at.length, 20, SEED, symbols=at.symbols)
    statement = "reverse with 1/x alone in the second layer"
    return agreement(_model(at, second=False), TASK, words, statement, seed=SEED, symbols=at.symbols)


THEOREM = theorem_in(
    __name__,
    ReverseParameters,
    assumptions=("heads with masks and sinks", "positions i and i^2"),
    attention="softmax; average-hard in the second layer",
    computes="task:reverse?symbols={symbols}",
    precision="O(log N) bits",
    task="reverse",
    small=({"length": 100, "dtype": "float32"}, {"attention": "hard", "symbols": 3}),
    large=({"length": 300},),
)
