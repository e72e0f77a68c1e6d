"""Dyck-1 by two layers, without positions.

Statement: there is a transformer of two layers without positions, with one uniform head, two heads that attend to the
last position of the highest score, and two ReLU units, that answers at every position of every word of one kind of
bracket whether the brackets match in the word up to there; with softmax heads alone, for words of at most N positions.
Idea: the mean of +1 and -1 over a prefix is its height over its length. No height may be below 0, and the last must be
0. See `shuffle_dyck`, of which this is the case k = 1.
Cite: Bhattamishra, Ahuja and Goyal (2020), On the ability and limitations of transformers to recognize formal
languages: Dyck-1 by uniform attention. The exact test against 0 by a sink is ours.
Scope: heights are exact up to the integers of the number system: 2^53 positions in float64, 2^24 in float32. The
softmax form is made for one greatest length, since its margin is 1 / N^2.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.brackets import brackets, dyck
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.brackets.counting import counting
from capax.theorems.proofs import proved_language

NAME = "dyck1"


@dataclass(frozen=True, slots=True)
class Dyck1Parameters:
    """The parameters of the theorem."""

    attention: str = parameter("hard", "the kind of attention of the second layer", choices=("hard", "softmax"))
    length: int = parameter(100, "the greatest length N", 2, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: Dyck1Parameters) -> Model:
    """The model for one kind of bracket."""
    return counting(brackets(1), attention=at.attention, length=at.length).to(at.dtype)


def verify(model: Model, at: Dyck1Parameters) -> Report:
    """Whether a model recognises Dyck-1: all short words, and random ones."""
    return recognises(model, dyck(1), at.length)


def prove(model: Model, at: Dyck1Parameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, dyck(1), at.length, least=least)


def size(at: Dyck1Parameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the argument."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 2),
        SizeRow("heads per layer", ", ".join(map(str, built.heads)), "O(1)"),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow("ReLU units", built.hidden, "O(1)"),
        SizeRow("positions", 0, "", "the causal mask is enough"),
        SizeRow(
            "margin of the answer", 0.5 if at.attention == "hard" else 0.5 / at.length**2, "1 / n^2 by means alone"
        ),
    )


def break_it(at: Dyck1Parameters) -> Report:
    """Without the question whether a height was below 0, order does not count."""
    model = counting(brackets(1), attention=at.attention, length=at.length, order=False).to(at.dtype)
    return recognises_some(model, dyck(1), ["()", ")("], "Dyck-1 by the last height alone")


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Dyck-1, by hard attention and by softmax."""
    if isinstance(thing, Language) and thing.family == "dyck" and thing.parameters["k"] == 1:
        yield Route(
            NAME,
            "the height as a mean; hard attention",
            lambda: construct(Dyck1Parameters("hard", max_length, "float64")),
        )
        what = "the height as a mean; softmax"
        yield Route(NAME, what, lambda: construct(Dyck1Parameters("softmax", max_length, "float64")), max_length)


THEOREM = theorem_in(
    __name__,
    Dyck1Parameters,
    assumptions=("a sink with score 0 in the hard heads",),
    attention="softmax (uniform) and rightmost-hard, or softmax alone; causal masks",
    computes="language:dyck-1",
    precision="O(log N) bits",
    breaks="construction",
    task="language",
    small=({"attention": "softmax"}, {"dtype": "float32"}, {"attention": "softmax", "dtype": "float32"}),
    large=({"length": 5_000}, {"length": 5_000, "attention": "softmax", "dtype": "float32"}),
)
