"""Dyck-k by four layers.

Statement: for all k and N there is a transformer of four layers with 1, 1, 1 and 2 heads of key dimension at most 4,
width O(log k), positions i, i^2 and 1 / (i + 1), and O(log k) ReLU units, that answers at every position of every word
of at most N brackets of k kinds whether they match in the word up to there. The last two layers are hard, or softmax as
well.
Idea: a uniform head has the height over the number of positions; the position whose number is the level of a bracket is
where (2 L j - j^2) / (i + 1) is highest, and has L and L^2; a closing bracket's partner is the last opening bracket of
its level; its kind must be the same. At the end nothing may be amiss anywhere, and the height must be 0.
Cite: Weiss, Goldberg and Yahav (2021), Thinking like transformers: Dyck-k in RASP by heights and partners. Yao, Peng,
Papadimitriou and Narasimhan (2021), Self-attention networks can process bounded hierarchical languages: two layers of
soft attention generate Dyck-k; their encodings are not used here.
Scope: levels are whole numbers found by a gap of 1 / (i + 1): words of more than 100,000 brackets in float64 and 1,000
in float32 are refused, since levels would be confused.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.languages.brackets import brackets, dyck
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.brackets.nesting import nesting
from capax.theorems.languages.parts.latest_set_bit import STEEP
from capax.theorems.proofs import proved_language

NAME = "dyck"
LONGEST = {"float64": 100_000, "float32": 1_000}


@dataclass(frozen=True, slots=True)
class DyckParameters:
    """The parameters of the theorem."""

    k: int = parameter(2, "the kinds of brackets", 1, 50)
    attention: str = parameter("hard", "the kind of attention", choices=("hard", "softmax"))
    length: int = parameter(60, "the greatest length N", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: DyckParameters) -> Model:
    """The model for k kinds of brackets and words of at most `length`."""
    if at.length > LONGEST[at.dtype]:
        what = f"{at.dtype} tells levels apart in words of at most {LONGEST[at.dtype]:,} brackets"
        raise CapaxError("bad-option", what, hint="take a shorter length, or float64")
    return nesting(brackets(at.k), at.attention, at.length, STEEP[at.dtype]).to(at.dtype)


def verify(model: Model, at: DyckParameters) -> Report:
    """Whether a model recognises Dyck-k: all short words, and random ones."""
    return recognises(model, dyck(at.k), at.length)


def prove(model: Model, at: DyckParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, dyck(at.k), at.length, least=least)


def size(at: DyckParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the argument."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, "O(1)", "for every k and N"),
        SizeRow("heads per layer", ", ".join(map(str, built.heads)), "O(1)"),
        SizeRow("head dimension", built.head_dimension, "O(log k)", "values have a bit more than the kinds"),
        SizeRow("width of the stream", built.width, "O(log k)", "14 + 2 ceil(log2 k)"),
        SizeRow("ReLU units", built.hidden, "O(log k)"),
        SizeRow("gap of the scores", 1 / (at.length + 1), "1 / (N + 1)", "of the second layer"),
    )


def break_it(at: DyckParameters) -> Report:
    """Without the kinds, any closing bracket will do."""
    pairs = brackets(max(at.k, 2))
    model = nesting(pairs, at.attention, at.length, STEEP[at.dtype], kinds=False).to(at.dtype)
    words = [(*pairs[0],), (pairs[0][0], pairs[1][1])]
    return recognises_some(model, dyck(max(at.k, 2)), words, "Dyck-k without comparing the kinds of partners")


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Dyck-k, by hard attention and by softmax."""
    if isinstance(thing, Language) and thing.family == NAME:
        k = int(thing.parameters["k"])
        for attention in ("hard", "softmax"):
            what = f"levels, then partners; {attention}"
            yield Route(NAME, what, _builder(k, attention, max_length), max_length)


def _builder(k: int, attention: str, length: int) -> Callable[[], Model]:
    return lambda: construct(DyckParameters(k, attention, length, "float64"))


THEOREM = theorem_in(
    __name__,
    DyckParameters,
    assumptions=("positions i, i^2 and 1 / (i + 1)", "one token before the word"),
    attention="softmax (uniform), average-hard and rightmost-hard, or softmax alone; causal masks",
    computes="language:dyck-{k}",
    precision="about 2 log2 N bits; 3 log2 N by softmax",
    breaks="construction",
    task="language",
    small=(
        {"k": 1},
        {"attention": "softmax"},
        {"k": 3, "attention": "softmax", "length": 300},
        {"k": 5, "dtype": "float32", "length": 500},
    ),
    large=({"k": 9, "length": 3_000}, {"k": 2, "attention": "softmax", "length": 3_000}),
)
