"""First-order logic with counting by one uniform softmax head with sines and cosines.

Statement: for every sentence of FOC[MOD; +] (counting quantifiers over positions, which are known by their symbols and
remainders; numbers that are added and compared) there is a transformer of one layer with one softmax head without mask,
positions sin(2 pi i / M) and cos(2 pi i / M) and two feed-forward networks that answers at every position of every word
whether the sentence holds of it. The same weights serve all lengths.
Idea: a normal form has no quantifiers but one count for each type of positions, a symbol and a remainder: a boolean
combination of linear conditions on these counts. A uniform head has the counts divided by n + 1, and by a sink 1
divided by it; a condition is the sign of a sum of them, and AND and OR are a least and a greatest, by ReLU units.
Cite: Chiang, Cholak and Pillay (2023), Tighter bounds on the expressivity of transformer encoders: FOC[MOD; +] is a
lower bound for softmax encoders with sinusoidal positions and an upper one in fixed precision. The elimination of
quantifiers and the weights are an own construction for the cited statement; numbers are read as rational.
Scope: over the reals for all lengths, with a margin of 1 / (2 (n + 1)) that shrinks; in floating point up to the length
in the table. Moduli have a common multiple of at most 60; sentences whose elimination of quantifiers takes more than
20,000 conditions are refused. Words are asked of the normal form, which the tests compare with the definition.
`fixed-precision-formula` is the way back.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.by_trial import by_trial
from capax.formal.languages.language import Language, letters_of
from capax.formal.logic.foc.formula import FocLanguage
from capax.formal.logic.foc.normal import FocNormalForm, foc_normal_form
from capax.formal.logic.foc.text import parse_foc, printed_normal
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.logic.type_counts import exact_foc_length, type_counting_model
from capax.theorems.proofs import proved_language

NAME: Final = "counting-quantifiers"


@lru_cache(maxsize=32)
def normal_of(language: FocLanguage) -> FocNormalForm:
    """The normal form of a sentence."""
    return foc_normal_form(language)


@dataclass(frozen=True, slots=True)
class CountingQuantifierParameters:
    """The parameters of the theorem."""

    formula: str = parameter(
        "exists x. (exists[x] p. a(p) & p % 3 != 1) & (exists[x + 1] p. b(p)) | #p[p % 2 = 0 & a(p)] > 2 * #p[b(p)]",
        "a sentence: a(p), p % m = r, sums compared, exists[x] p., exists x., #p[...], ! & | ->",
    )
    alphabet: str = parameter("ab", "the letters of words")
    length: int = parameter(60, "the greatest length that is tried", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def language_of(at: CountingQuantifierParameters) -> FocLanguage:
    """The language of a formula's text over the letters of `alphabet`."""
    return FocLanguage(parse_foc(at.formula), letters_of(at.alphabet))


def words_of(normal: FocNormalForm) -> Language:
    """The language with random words; whether a word is in it is asked of the normal form."""
    return by_trial("foc", normal.alphabet, printed_normal(normal)[:200], normal.accepts)


def construct(at: CountingQuantifierParameters) -> Model:
    """The model of a formula's text; it is the same for every length."""
    return type_counting_model(normal_of(language_of(at))).to(at.dtype)


def verify(model: Model, at: CountingQuantifierParameters) -> Report:
    """Whether a model says of words what the sentence says: all short ones, and random ones."""
    return recognises(model, words_of(normal_of(language_of(at))), at.length)


def prove(model: Model, at: CountingQuantifierParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, words_of(normal_of(language_of(at))), at.length, least=least)


def size(at: CountingQuantifierParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the sentence's."""
    normal = normal_of(language_of(at))
    built = construct(at).size
    return (
        SizeRow("types of positions", len(normal.types), "", f"symbols, and remainders modulo {normal.modulus}"),
        SizeRow("conditions of the normal form", len(normal.inequalities)),
        SizeRow("layers", built.attention_layers, 2, "the survey's: at most two uniform layers"),
        SizeRow("heads", sum(built.heads), "", "one uniform head holds all counts"),
        SizeRow("width of the stream", built.width),
        SizeRow("depth of the MLPs", f"{built.input_mlp_depth}, {max(built.mlp_depth, default=0)}"),
        SizeRow("right in floating point up to length", exact_foc_length(normal, at.dtype), "", at.dtype),
    )


def break_it(at: CountingQuantifierParameters) -> Report:
    """No positions: remainders are not known."""
    normal = normal_of(language_of(at))
    model = type_counting_model(normal, positions=False).to(at.dtype)
    words = random_words(words_of(normal), min(at.length, 12), 300)
    return recognises_some(
        model, words_of(normal), words, "the sentence without sines and cosines of positions", seed=LANGUAGES.seed
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Sentences of FOC[MOD; +]."""
    if isinstance(thing, FocLanguage):
        normal = normal_of(thing)
        note = f"over the reals for all lengths; in float64 up to length {exact_foc_length(normal, 'float64'):,}"
        what = f"one uniform head for {len(normal.types)} types of positions; softmax, no mask"
        yield Route(NAME, what, lambda: type_counting_model(normal), note=note)


THEOREM = theorem_in(
    __name__,
    CountingQuantifierParameters,
    assumptions=("positions are sines and cosines", "a sink with score 0, which stands for a first token"),
    attention="softmax (uniform); no mask",
    computes="foc:{formula}",
    precision="O(log N) bits",
    small=(
        {"formula": "#p[a(p)] > #p[b(p)]", "length": 1_000, "dtype": "float32"},
        {"formula": "exists[2] p. (a(p) & exists[1] q. b(q)) | p % 2 = 0", "length": 200},
        {"formula": "exists x. 2 * x > #p[a(p)] & 3 * x < #p[b(p)] + 1 & x != 1"},
        {"formula": "#p[p % 12 = 5] = #p[p % 12 = 0] & #p[a(p)] >= 2 * #p[b(p) & p % 3 = 2]", "dtype": "float32"},
        {"formula": "true"},
    ),
    large=({"length": 3_000},),
)
