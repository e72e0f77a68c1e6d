"""FIRST by one head.

Statement: a transformer of one layer with one leftmost-hard head, no positions and no MLP answers at every position of
every word of bits whether its first bit is a one. With a softmax head, the position [i = 0] and the scale s, it does so
for all words of at most N positions if and only if e^s > N - 1.
Idea: with equal scores, a leftmost-hard head attends to the first position. With softmax, the first position has the
weight e^s / (e^s + n - 1), which must be above 1/2 for the sign to be right whatever the others are.
Cite: Chiang and Cholak (2022), Overcoming a theoretical limitation of self-attention: FIRST, why soft attention with a
fixed scale fails on long words, and scaling by the logarithm of the length. Hahn (2020): one symbol counts little.
Scope: the scale of the softmax form is that of the greatest length, ln(2 N), and not of each word's own. With a fixed
scale the softmax form is wrong on long words; with ln(2 N) the margin is at least 1/3.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.catalogue import first
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.proofs import proved_language
from capax.theorems.weights.stream import Stream

NAME = "first"
PLAIN = Stream(("bit", "first bit"))
PLACED = Stream(("[i=0]", "bit", "first bit"))
ROWS = {"0": {"bit": -1.0}, "1": {"bit": 1.0}}
ANSWER = {"": 0.5, "first bit": 0.5}


def leftmost() -> Model:
    """The model by hard attention."""
    head = PLAIN.head(
        query=[{}],
        key=[{}],
        value=[{"bit": 1.0}],
        into=["first bit"],
        attention="leftmost-hard",
        mask="causal",
        name="the first position",
    )
    return recogniser(PLAIN, ROWS, (PLAIN.block(head),), ANSWER)


def weighted(scale: float, length: int | None) -> Model:
    """The model by softmax with a scale."""
    head = PLACED.head(
        query=[{"": 1.0}],
        key=[{"[i=0]": 1.0}],
        value=[{"bit": 1.0}],
        into=["first bit"],
        mask="causal",
        scale=scale,
        name="mostly the first position",
    )
    blocks = (PLACED.block(head),)
    return recogniser(PLACED, ROWS, blocks, ANSWER, positions={"[i=0]": "[i=0]"}, max_length=length)


@dataclass(frozen=True, slots=True)
class FirstParameters:
    """The parameters of the theorem."""

    attention: str = parameter("softmax", "the kind of attention", choices=("softmax", "hard"))
    length: int = parameter(200, "the greatest length N", 2, 1_000_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: FirstParameters) -> Model:
    """The model, for every length or for words of at most `length` positions."""
    return (leftmost() if at.attention == "hard" else weighted(math.log(2 * at.length), at.length)).to(at.dtype)


def verify(model: Model, at: FirstParameters) -> Report:
    """Whether a model recognises FIRST: all short words, and random ones."""
    return recognises(model, first(), at.length)


def prove(model: Model, at: FirstParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, first(), at.length, least=least)


def size(at: FirstParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the argument."""
    built = construct(at).size
    soft = at.attention == "softmax"
    weight = 2 * at.length / (2 * at.length + at.length - 1)
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow(
            "scale of the scores", math.log(2 * at.length) if soft else "any", "ln(N - 1)", "more than this, by softmax"
        ),
        SizeRow("weight on the first position", weight if soft else 1, "above 1/2", "at the greatest length"),
    )


def break_it(at: FirstParameters) -> Report:
    """A scale that does not grow: on a word longer than e^s + 1, the others outvote the first."""
    scale = 2.0
    words = ["1" + "0" * n for n in range(20)]
    return recognises_some(
        weighted(scale, None).to(at.dtype), first(), words, f"FIRST by softmax with the fixed scale {scale}"
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """FIRST itself, by hard attention and by softmax."""
    if isinstance(thing, Language) and thing.family == NAME:
        yield Route(NAME, "one leftmost-hard head", lambda: construct(FirstParameters("hard", max_length, "float64")))
        note = "the scale grows as the logarithm of the greatest length"
        what = "one softmax head"
        yield Route(
            NAME, what, lambda: construct(FirstParameters("softmax", max_length, "float64")), max_length, note=note
        )


THEOREM = theorem_in(
    __name__,
    FirstParameters,
    assumptions=("the scale of the softmax form grows with the greatest length",),
    attention="leftmost-hard, softmax; causal mask",
    computes="language:first",
    precision="O(log N) bits",
    task="language",
    small=({"attention": "hard"}, {"dtype": "float32", "length": 2_000}),
    large=({"length": 20_000, "dtype": "float32"},),
)
