"""Shuffle-Dyck-k by two layers that count.

Statement: for all k there is a transformer of two layers without positions, with one uniform head that has k values and
two heads that attend to the last position of the highest score, and 2 k ReLU units, that answers at every position of
every word of k kinds of brackets whether the brackets of each kind, left alone, match in the word up to there. With
softmax heads alone: two layers of one head each, for words of at most N positions.
Idea: the height of a kind of bracket is the number of its opening brackets minus that of its closing ones. Its mean
over the prefix is a uniform head's output, 0 exactly where the height is 0. A word is in the language if no height is
ever below 0 and all are 0 at the end; a head whose sink has the score 0 tells "above 0" from 0, however small it is.
Cite: Bhattamishra, Ahuja and Goyal (2020), On the ability and limitations of transformers to recognize formal
languages: Shuffle-Dyck-k by transformers with uniform attention. The exact test against 0 by a sink is ours.
Scope: heights are exact up to the integers of the number system: 2^53 positions in float64, 2^24 in float32. All short
words and random ones are checked.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.brackets import brackets, shuffle_dyck
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.brackets.counting import counting
from capax.theorems.proofs import proved_language

NAME = "shuffle-dyck"


@dataclass(frozen=True, slots=True)
class ShuffleDyckParameters:
    """The parameters of the theorem."""

    k: int = parameter(2, "the kinds of brackets", 1, 50)
    attention: str = parameter("hard", "the kind of attention of the second layer", choices=("hard", "softmax"))
    length: int = parameter(60, "the greatest length N", 2, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: ShuffleDyckParameters) -> Model:
    """The model for k kinds of brackets."""
    return counting(brackets(at.k), attention=at.attention, length=at.length).to(at.dtype)


def verify(model: Model, at: ShuffleDyckParameters) -> Report:
    """Whether a model recognises Shuffle-Dyck-k: all short words, and random ones."""
    return recognises(model, shuffle_dyck(at.k), at.length)


def prove(model: Model, at: ShuffleDyckParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, shuffle_dyck(at.k), at.length, least=least)


def size(at: ShuffleDyckParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the argument."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, "O(1)"),
        SizeRow("heads per layer", ", ".join(map(str, built.heads)), "O(k)", "one uniform head holds all k means"),
        SizeRow("width of the stream", built.width, "O(k)", "2 k + 4"),
        SizeRow("ReLU units", built.hidden, "O(k)", "2 k"),
        SizeRow(
            "greatest length",
            at.length if at.attention == "softmax" else "any",
            "",
            "up to the integers of the numbers",
        ),
    )


def break_it(at: ShuffleDyckParameters) -> Report:
    """One count for all kinds: a bracket closes one of another kind."""
    pairs = brackets(max(at.k, 2))
    model = counting(pairs, attention=at.attention, length=at.length, together=True).to(at.dtype)
    words = [(pairs[0][0], pairs[0][1]), (pairs[0][0], pairs[1][1])]
    return recognises_some(
        model, shuffle_dyck(max(at.k, 2)), words, "Shuffle-Dyck with one count for all kinds of brackets"
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Shuffle-Dyck-k for any k, by hard attention and by softmax."""
    if isinstance(thing, Language) and thing.family == NAME:
        k = int(thing.parameters["k"])
        yield Route(
            NAME,
            "counts by means; hard attention",
            lambda: construct(ShuffleDyckParameters(k, "hard", max_length, "float64")),
        )
        what = "counts by means; softmax"
        yield Route(
            NAME, what, lambda: construct(ShuffleDyckParameters(k, "softmax", max_length, "float64")), max_length
        )


THEOREM = theorem_in(
    __name__,
    ShuffleDyckParameters,
    assumptions=("a sink with score 0 in the hard heads",),
    attention="softmax (uniform) and rightmost-hard, or softmax alone; causal masks",
    computes="language:shuffle-dyck-{k}",
    precision="O(log N) bits",
    breaks="construction",
    task="language",
    small=(
        {"k": 1},
        {"attention": "softmax"},
        {"k": 3, "dtype": "float32"},
        {"k": 5, "attention": "softmax", "dtype": "float32", "length": 300},
    ),
    large=({"k": 4, "length": 3_000}, {"k": 3, "attention": "softmax", "length": 3_000}),
)
