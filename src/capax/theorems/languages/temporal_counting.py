"""Temporal logic with counting and numerical predicates by average-hard attention.

Statement: for every formula of LTL + C[Mon] (temporal operators of past and future, sums of counts compared with each
other, any predicates of one position and the length) there is a transformer with average-hard attention whose answers
at all positions of every word of at most N symbols are the truth of the formula there. A temporal operator takes one
layer and one head, a comparison of counts two layers and two heads for each count and one for each side.
Idea: a uniform head has the mean c / m of a bit over the m positions that count, and 1 / m as the mean of a mark at one
of them. The score (2 c j - j^2) / m is then highest at j = c: a second head reads the count c itself. Sums of counts
are whole numbers, compared exactly. An operator reads the nearest position that decides it: its score is its index.
Cite: Barcelo, Kozachinskiy, Lin and Podolskii (2024), Logical languages accepted by transformer encoders with hard
attention: LTL with counting by average-hard attention with arbitrary positions. An own construction for the cited
statement: which masks the paper allows was not read; here heads have the masks none, causal, strict past, and their
mirror images.
Scope: formulas are read at the last position, where the paper reads at the first. With N a bound, so that one network
can tell a position with a bit from all without; positions are i, i^2, the predicates and marks of the first and last.
Scores differ by at least 1 / N, and are right in floating point while N^2 is far below the mantissa: N up to 10^6 in
float64, and up to 500 in float32.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.languages.by_trial import by_trial
from capax.formal.languages.language import Language, letters_of
from capax.formal.logic.ltlc.formula import CountsAtLeast, LtlcLanguage, PositionCount, Temporal, ltlc_subformulas
from capax.formal.logic.ltlc.text import parse_ltlc, printed_ltlc
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import FORMULAS, LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.logic.temporal_counts import LtlcBuilder, layer_of
from capax.theorems.proofs import proved_language

NAME: Final = "temporal-counting"
LONGEST: Final = {"float64": 1_000_000, "float32": 500}
PARITY: Final = "P ({i % 2 = 0} & #<[true] = #[a]) | {i % 2 = 0} & #<[true] = #[a]"
"""An odd number of a: some position, the last included, is even and one less than the number of a."""


def counting_model(language: LtlcLanguage, length: int, numbers: str) -> Model:
    """The model of a formula for words of at most a length."""
    if length > LONGEST[numbers]:
        what = f"in {numbers} models are built for words of up to {LONGEST[numbers]:,} symbols, not {length:,}"
        raise CapaxError("too-large", what, hint="a shorter --length, or float64")
    return LtlcBuilder(language, length).model().to(numbers)


@dataclass(frozen=True, slots=True)
class TemporalCountingParameters:
    """The parameters of the theorem."""

    formula: str = parameter(
        "2 * #<[a] > #[b] & (b S {isprime(i + 1)}) | #>[a & X b] >= 2",
        "a formula: letters, {a predicate of i and n}, ! & | ->, S U Y X P F H G, #<[a] #>[a] #[a] compared",
    )
    alphabet: str = parameter("ab", "the letters of words")
    length: int = parameter(60, "the greatest length N", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def language_of(at: TemporalCountingParameters) -> LtlcLanguage:
    """The language of a formula's text over the letters of `alphabet`."""
    return LtlcLanguage(parse_ltlc(at.formula), letters_of(at.alphabet))


def words_of(language: LtlcLanguage) -> Language:
    """The language with random words."""
    return by_trial("ltlc", language.alphabet, printed_ltlc(language.formula), language.accepts)


def construct(at: TemporalCountingParameters) -> Model:
    """The model of a formula's text."""
    return counting_model(language_of(at), at.length, at.dtype)


def verify(model: Model, at: TemporalCountingParameters) -> Report:
    """Whether a model says of words what the formula says: all short ones, and random ones."""
    return recognises(model, words_of(language_of(at)), at.length, trials=FORMULAS)


def prove(model: Model, at: TemporalCountingParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, words_of(language_of(at)), at.length, least=least)


def size(at: TemporalCountingParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the formula's."""
    language = language_of(at)
    nodes = ltlc_subformulas(language.formula)
    counts: dict[PositionCount, None] = {}
    for node in nodes:
        counts |= dict.fromkeys(count for _, count in node.terms) if isinstance(node, CountsAtLeast) else {}
    operators = sum(isinstance(node, Temporal) for node in nodes)
    heads = operators + 2 * len(counts) + len({count.side for count in counts})
    built = construct(at).size
    return (
        SizeRow(
            "layers", built.attention_layers, layer_of(language.formula)[language.formula], "1 an operator, 2 a count"
        ),
        SizeRow("heads", sum(built.heads), heads, "1 an operator, 2 a count, 1 a side that is counted on"),
        SizeRow("head dimension", built.head_dimension, "O(1)"),
        SizeRow("width of the stream", built.width, "O(size)"),
        SizeRow("greatest length", at.length, "", f"at most {LONGEST[at.dtype]:,} in {at.dtype}"),
    )


def break_it(at: TemporalCountingParameters) -> Report:
    """No mark at the first or last position: means cannot be turned into counts."""
    language = language_of(at)
    model = LtlcBuilder(language, at.length, marks=False).model().to(at.dtype)
    words = random_words(words_of(language), min(at.length, 12), 300)
    return recognises_some(
        model,
        words_of(language),
        words,
        "the formula without marks at the first and last position",
        seed=LANGUAGES.seed,
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Formulas of LTL + C[Mon]."""
    if isinstance(thing, LtlcLanguage):
        what = "average-hard heads, one for each operator and two for each count"
        yield Route(NAME, what, lambda: counting_model(thing, max_length, "float64"), max_length)


THEOREM = theorem_in(
    __name__,
    TemporalCountingParameters,
    assumptions=("positions know i, i^2, the predicates, the first and the last", "a sink in the heads of operators"),
    attention="average-hard; masks none, causal, strict past, and their mirror images",
    computes="ltlc:{formula}",
    precision="O(log N) bits",
    small=(
        {"formula": PARITY, "length": 120},
        {"formula": "#[#<[a] >= #>[b]] >= 2 & F true | a", "dtype": "float32"},
        {"formula": "P (a U (b U {i = n - 1})) & H (a -> F b | b)", "length": 40},
        {"formula": "3 * #[c] = 2 * #<[a] + 1 | G c", "alphabet": "abc"},
    ),
    large=({"length": 1_000}, {"formula": PARITY, "length": 3_000}),
)
