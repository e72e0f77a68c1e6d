"""First-order logic with numerical predicates by hard attention.

Statement: for every sentence of FO[Mon] (first-order logic of order with any predicates of one position and the length)
there is a transformer with one leftmost-hard head in each layer, no mask and suitable positions that answers at the
last position of every word of at most N symbols whether the sentence holds of it; over the reals the same for all N.
With strict past masks and rightmost-hard heads, positions are the predicates alone, which are finitely many vectors,
and there is no greatest length.
Idea: a symbol with the truth of each predicate at its position is a finer letter. Over finer letters the sentence is
one of order alone, so its automaton has no group and is a cascade of resets: each level is what the last reset set. A
head without mask finds the last reset before i by a score with a term 2^(k (j - i)), a product of a number of i and a
number of j, which is small before i and larger than all else from i on.
Cite: Barcelo, Kozachinskiy, Lin and Podolskii (2024), Logical languages accepted by transformer encoders with hard
attention: FO[Mon] by leftmost-hard attention and arbitrary positions, by way of temporal logic. Angluin, Chiang and
Yang (2023), whose masked form has positions with finitely many values. Both are built by an own construction for the
cited statement: the automaton of the sentence and a cascade in place of Kamp's theorem.
Scope: from a sentence to an automaton, and from it to a cascade, sizes grow beyond every tower of exponentials in the
worst case, as in the paper's way; more than 20,000 states or 2,000 sets of a cascade are refused. Every head has a
sink, a key and a value of its own, which a first token could be. Without masks N is at most 113 in float64 and 17 in
float32, where the powers of two end. The way back from models to sentences is not built.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from capax.auditor.model_proof import ModelProof
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.language import Language, letters_of
from capax.formal.logic.fo.automaton import FinerLetters, fo_automaton
from capax.formal.logic.fo.formula import FoLanguage, quantifier_depth
from capax.formal.logic.fo.text import parse_fo, printed_fo
from capax.formal.logic.fo.words import fo_words
from capax.model.model import Model
from capax.model.positions import Positions
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import FORMULAS, LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.logic.monadic import longest_unmasked, monadic_model, unmasked
from capax.theorems.proofs import proved_language

NAME: Final = "monadic-predicates"


@lru_cache(maxsize=32)
def automaton_of(language: FoLanguage) -> tuple[Dfa, FinerLetters]:
    """The automaton of a sentence over finer letters, and these."""
    return fo_automaton(language)


def hard_model(language: FoLanguage, attention: str, length: int, numbers: str) -> Model:
    """The model of a sentence."""
    masked = monadic_model(*automaton_of(language), printed_fo(language.formula))
    return (masked if attention == "rightmost-hard" else unmasked(masked, length, numbers)).to(numbers)


@dataclass(frozen=True, slots=True)
class MonadicParameters:
    """The parameters of the theorem."""

    formula: str = parameter(
        "forall x. {isprime(x + 1)} -> a(x) | exists y. y < x & b(y) & {2 * y >= n}",
        "a sentence: a(x), x < y, x = y, {a predicate of x and n}, ! & | ->, exists x., forall x.",
    )
    alphabet: str = parameter("ab", "the letters of words")
    attention: str = parameter(
        "leftmost-hard", "without masks, or with strict past masks", choices=("leftmost-hard", "rightmost-hard")
    )
    length: int = parameter(60, "the greatest length N that is tried", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def language_of(at: MonadicParameters) -> FoLanguage:
    """The language of a formula's text over the letters of `alphabet`."""
    return FoLanguage(parse_fo(at.formula), letters_of(at.alphabet))


def _words(language: FoLanguage) -> Language:
    return fo_words(language, *automaton_of(language))


def construct(at: MonadicParameters) -> Model:
    """The model of a formula's text."""
    return hard_model(language_of(at), at.attention, at.length, at.dtype)


def verify(model: Model, at: MonadicParameters) -> Report:
    """Whether a model says of words what the sentence says: all short ones, and random ones often inside."""
    return recognises(model, _words(language_of(at)), at.length, trials=FORMULAS)


def prove(model: Model, at: MonadicParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, _words(language_of(at)), at.length, least=least)


def size(at: MonadicParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the sentence's."""
    language = language_of(at)
    dfa, finer = automaton_of(language)
    built = construct(at).size
    free = at.attention == "rightmost-hard"
    return (
        SizeRow("quantifiers inside each other", quantifier_depth(language.formula)),
        SizeRow("numerical predicates", len(finer.predicates)),
        SizeRow("states of the automaton over finer letters", dfa.size, "a tower", "of exponentials, at worst"),
        SizeRow("layers", built.attention_layers, "", "the levels of the cascade"),
        SizeRow("heads per layer", max(built.heads, default=0), 1),
        SizeRow("width of the stream", built.width),
        SizeRow("greatest length", "any" if free else longest_unmasked(at.dtype), "", "" if free else at.dtype),
    )


def break_it(at: MonadicParameters) -> Report:
    """No predicate is true anywhere: the model does not know where a position is."""
    language = language_of(at)
    model = hard_model(language, "rightmost-hard", at.length, at.dtype)
    names = model.positions.functions
    blind = replace(model, positions=Positions(("1",) * len(names), 0 * model.positions.weight))
    words = random_words(_words(language), min(at.length, 12), 300)
    return recognises_some(
        blind, _words(language), words, "the sentence by a model whose positions say nothing", seed=LANGUAGES.seed
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Sentences of FO[Mon], without masks and with them."""
    if not isinstance(thing, FoLanguage):
        return
    what = "leftmost-hard heads without masks; positions of N different vectors"
    most = min(max_length, longest_unmasked("float64"))
    note = "over the reals for every length"
    yield Route(NAME, what, lambda: hard_model(thing, "leftmost-hard", most, "float64"), most, note=note)
    what = "rightmost-hard heads, strict past masks; positions of finitely many vectors"
    yield Route(NAME, what, lambda: hard_model(thing, "rightmost-hard", max_length, "float64"))


THEOREM = theorem_in(
    __name__,
    MonadicParameters,
    assumptions=("positions know the truth of the predicates", "a sink in every head, which holds the first state"),
    attention="leftmost-hard, no mask; or rightmost-hard, strict past masks",
    computes="fo:{formula}",
    precision="O(N log N) bits without masks (floating point: O(log N) bits of mantissa); 1 bit with them",
    small=(
        {"attention": "rightmost-hard", "length": 300},
        {"formula": "forall x y. a(x) & b(y) -> x < y", "length": 113},
        {"formula": "{n % 2 = 0} & forall x. (a(x) -> {2 * x < n}) & (b(x) -> {2 * x >= n})", "length": 100},
        {"formula": "exists x y. next(x, y) & a(x) & a(y) & {issquare(x)}", "dtype": "float32", "length": 17},
    ),
    large=({"attention": "rightmost-hard", "length": 2_000}, {"length": 113}),
)
