"""Past temporal logic by masked rightmost-hard attention.

Statement: for every formula of past temporal logic (since, yesterday, once, historically, all strict) with h different
temporal subformulas, at most d inside each other, there is a transformer of d layers with h heads of dimension 1 in
all, strict past masks, rightmost-hard attention and no positions, that answers at every position of every word whether
the formula holds there. By softmax in position of hard attention, with the position i: the same layers and heads, for
words of at most N positions. The languages of such formulas are the star-free ones.
Idea: `a S b` holds at i exactly if b holds at the last j < i at which b holds or a does not, so one head that attends
to the last such position reads b there; a sink says no where there is none. Boolean connectives are ReLU units: relu(x
+ y - 1) and 1 - relu(1 - x - y). For softmax, a ReLU unit makes the score j + 1 at such positions and 0 elsewhere.
Cite: Yang, Chiang and Angluin (2024), Masked hard-attention transformers recognize exactly the star-free languages:
both directions, by way of B-RASP. Kamp (1968): temporal logic and first-order logic of order are equally expressive.
Scope: future operators and the way back from models to formulas are not built. The softmax form is exact in floating
point, since exp underflows to 0; over the reals each head leaves an error of about N e^(-C/2) with the scale C = 2048.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.language import letters_of
from capax.formal.logic.ltl import TEMPORAL, LtlLanguage, subformulas, temporal_depth
from capax.formal.logic.ltl_text import parse_ltl
from capax.model.model import Model
from capax.model.parts import Head
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.latest_set_bit import STEEP
from capax.theorems.languages.parts.temporal import temporal
from capax.theorems.proofs import proved_language

NAME = "ltl"


def language_of(formula: str, alphabet: str) -> LtlLanguage:
    """The language of a formula's text over the letters of `alphabet`."""
    return LtlLanguage(parse_ltl(formula), letters_of(alphabet))


def recogniser_of(language: LtlLanguage, attention: str, length: int, numbers: str) -> Model:
    """The model of a language."""
    return temporal(language, attention, length, STEEP[numbers]).to(numbers)


@dataclass(frozen=True, slots=True)
class LtlParameters:
    """The parameters of the theorem."""

    formula: str = parameter("b & ((a | b) S (c & Y a))", "a formula: letters, not, and, or, S, Y, P, H")
    alphabet: str = parameter("abc", "the letters of words")
    attention: str = parameter("hard", "the kind of attention", choices=("hard", "softmax"))
    length: int = parameter(60, "the greatest length N", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: LtlParameters) -> Model:
    """The model of a formula's text."""
    return recogniser_of(language_of(at.formula, at.alphabet), at.attention, at.length, at.dtype)


def verify(model: Model, at: LtlParameters) -> Report:
    """Whether a model says yes exactly where the formula does: all short words, and random ones."""
    return recognises(model, language_of(at.formula, at.alphabet), at.length)


def prove(model: Model, at: LtlParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, language_of(at.formula, at.alphabet), at.length, least=least)


def size(at: LtlParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the formula's."""
    built = construct(at).size
    parsed = parse_ltl(at.formula)
    temporal_parts = sum(isinstance(part, TEMPORAL) for part in subformulas(parsed))
    before = [built.input_mlp_depth] if built.input_mlp_depth else []
    return (
        SizeRow("layers", built.attention_layers, temporal_depth(parsed), "the temporal depth"),
        SizeRow("heads", sum(built.heads), temporal_parts, "one for each temporal subformula"),
        SizeRow("head dimension", built.head_dimension, "O(1)"),
        SizeRow(
            "width of the stream", built.width, "O(size)", "a direction for each letter and each part that is kept"
        ),
        SizeRow("depth of the MLPs", ", ".join(map(str, [*before, *built.mlp_depth])) or "0", "", "nested connectives"),
        SizeRow("greatest length", at.length if at.attention == "softmax" else "any"),
    )


def break_it(at: LtlParameters) -> Report:
    """Means of all selected positions, and not the last of them."""
    language = language_of(at.formula, at.alphabet)
    model = recogniser_of(language, "hard", at.length, at.dtype)
    blocks = [
        replace(block, heads=tuple(replace(h, attention="average-hard") for h in block.heads if isinstance(h, Head)))
        for block in model.blocks
    ]
    words = random_words(language, min(at.length, 12), 300)
    statement = "the formula by heads that take the mean of the selected positions, and not the last of them"
    return recognises_some(replace(model, blocks=tuple(blocks)), language, words, statement, seed=LANGUAGES.seed)


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Every formula, by hard attention and by softmax."""
    if isinstance(thing, LtlLanguage):
        what = "a rightmost-hard head for each temporal operator"
        yield Route(NAME, what, lambda: recogniser_of(thing, "hard", max_length, "float64"))
        what = "a softmax head for each temporal operator"
        note = "exact since exp underflows to 0 in floating point"
        yield Route(NAME, what, lambda: recogniser_of(thing, "softmax", max_length, "float64"), max_length, note=note)


THEOREM = theorem_in(
    __name__,
    LtlParameters,
    assumptions=("a sink with score 1/2 in every head",),
    attention="rightmost-hard, softmax; strict past masks",
    computes="ltl:{formula}",
    precision="1 bit; O(log N) bits by softmax",
    small=(
        {"attention": "softmax"},
        {"formula": "P (a & P (b & P (a & P b)))", "alphabet": "ab"},
        {"formula": "H (a -> Y b) & not (b S (a & H b))", "alphabet": "ab", "attention": "softmax"},
        {"formula": "H (a -> Y b)", "alphabet": "ab", "attention": "softmax", "dtype": "float32", "length": 300},
    ),
    large=({"length": 3_000, "attention": "softmax"}, {"length": 3_000}),
)
