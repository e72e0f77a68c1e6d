"""Shuffle-Dyck-k by two layers that count.

Statement: for all k there is a transformer of two layers without positions, with one uniform head that has k values and
two heads that attend to the last place of the highest score, and 2 k ReLU units, that answers at every place of every
word of k kinds of brackets whether the brackets of each kind, left alone, match in the word up to there. With softmax
heads alone: two layers of one head each, for words of at most N places.
Idea: the height of a kind of bracket is the number of its opening brackets minus that of its closing ones. Its mean
over the prefix is a uniform head's output, 0 exactly where the height is 0. A word is in the language if no height is
ever below 0 and all are 0 at the end; a head whose sink has the score 0 tells "above 0" from 0, however small it is.
Cite: Bhattamishra, Ahuja and Goyal (2020), On the ability and limitations of transformers to recognize formal
languages: Shuffle-Dyck-k by transformers with uniform attention. The exact test against 0 by a sink is ours.
Scope: means of at most 2^53 (float64) or 2^24 (float32) places are exactly 0 when they should be. All short words and
random ones are checked.
"""

from collections.abc import Iterable

from capax.formal.languages.brackets import brackets, shuffle_dyck
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.report import Report
from capax.tasks.base.parameter import Parameter
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.brackets.counting import counting

NAME = "shuffle-dyck"


def construct(k: int, attention: str, length: int, numbers: str) -> Model:
    """The model for k kinds of brackets."""
    return counting(brackets(k), attention=attention, length=length).to(numbers)


def verify(model: Model, k: int, attention: str, length: int, numbers: str) -> Report:
    """Whether a model recognises Shuffle-Dyck-k: all short words, and random ones."""
    return recognises(model, shuffle_dyck(k), length)


def size(k: int, attention: str, length: int, numbers: str) -> tuple[Row, ...]:
    """The sizes beside those of the argument."""
    made = construct(k, attention, length, numbers).size
    return (
        Row("layers", made.attention_layers, "O(1)"),
        Row("heads per layer", ", ".join(map(str, made.heads)), "O(k)", "one uniform head holds all k means"),
        Row("width of the stream", made.width, "O(k)", "2 k + 4"),
        Row("ReLU units", made.hidden, "O(k)", "2 k"),
        Row("greatest length", length if attention == "softmax" else "any", "", "up to the integers of the numbers"),
    )


def break_it(k: int, attention: str, length: int, numbers: str) -> Report:
    """One count for all kinds: a bracket closes one of another kind."""
    pairs = brackets(max(k, 2))
    model = counting(pairs, attention=attention, length=length, together=True).to(numbers)
    words = [(pairs[0][0], pairs[0][1]), (pairs[0][0], pairs[1][1])]
    return recognises_some(
        model, shuffle_dyck(max(k, 2)), words, "Shuffle-Dyck with one count for all kinds of brackets"
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Shuffle-Dyck-k for any k, by hard attention and by softmax."""
    if isinstance(thing, Language) and thing.family == NAME:
        k = int(thing.parameters["k"])
        yield Route(NAME, "counts by means; hard attention", lambda: construct(k, "hard", max_length, "float64"))
        what = "counts by means; softmax"
        yield Route(NAME, what, lambda: construct(k, "softmax", max_length, "float64"), max_length)


THEOREM = Theorem(
    name=NAME,
    title="Shuffle-Dyck-k by two layers that count",
    statement=(
        "For all k, a transformer with two layers, k means in one uniform head, two hard heads and 2 k ReLU units says "
        "at every place of every word of k kinds of brackets whether each kind matches on its own in the word so far; "
        "with softmax heads alone, for words of at most N places."
    ),
    assumptions=("a sink with score 0 in the hard heads",),
    attention="softmax (uniform) and rightmost-hard, or softmax alone; causal masks",
    precision="O(log N) bits",
    citation=(
        "Bhattamishra, Ahuja and Goyal (2020), On the ability and limitations of transformers to recognize formal "
        "languages"
    ),
    parameters=(
        Parameter("k", 2, "the kinds of brackets", 1, 50),
        Parameter("attention", "hard", "the kind of attention of the second layer", choices=("hard", "softmax")),
        Parameter("length", 60, "the greatest length N", 2, 100_000),
        Parameter("numbers", "float64", "the number system", choices=("float64", "float32")),
    ),
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    breaks="construction",
    limits="Heights are exact up to the integers of the number system: 2^53 places in float64, 2^24 in float32.",
    task="language",
    small=(
        {"k": 1},
        {"attention": "softmax"},
        {"k": 3, "numbers": "float32"},
        {"k": 5, "attention": "softmax", "numbers": "float32", "length": 300},
    ),
    large=({"k": 4, "length": 3_000}, {"k": 3, "attention": "softmax", "length": 3_000}),
)
