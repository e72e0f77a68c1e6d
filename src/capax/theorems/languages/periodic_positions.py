"""Regular languages in AC0 by hard attention with periodic positions.

Statement: for every regular language in AC0 there are a number m and a transformer with one rightmost-hard head in each
layer, strict past masks and the position i modulo m, that answers at every position of every word whether the word up
to there is in the language. The layers are the levels of a cascade of resets.
Idea: the letter and its position modulo m are a finer letter. A word over finer letters that may be repeated has a
length that m divides; if the language is in AC0, what such words do has no group for some m. So the automaton over
finer letters is a cascade of resets.
Cite: Yang, Chiang and Angluin (2024), Masked hard-attention transformers recognize exactly the star-free languages,
with positions modulo numbers: first-order logic with them, which for regular languages is AC0 by Barrington, Compton,
Straubing and Therien (1992), Regular languages in NC1.
Scope: m up to 12 and 60 states times positions are tried, the least m first; larger automata are refused, and so are
those of languages outside AC0, such as parity. Cascades are exponential in the worst case, and refused when too large.
The finer letters are made by an input MLP of two stages of ReLU units.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.automata.cascade import Cascade, HasGroupError, cascade
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.model.model import Model
from capax.model.positions import Positions
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.automata.periodic import by_positions, modulus_of
from capax.theorems.proofs import proved_language

NAME = "periodic-positions"


def finer_automaton(pattern: str, alphabet: str) -> tuple[Dfa, int, Dfa, Cascade]:
    """The minimal automaton of an expression, the number m, the automaton over finer letters and its cascade."""
    dfa = regex_dfa(pattern, alphabet)
    finer = modulus_of(dfa)
    if finer is None:
        what = "no number up to 12 makes resets of this automaton by positions modulo it, or the cascade is too large"
        raise CapaxError("bad-option", what, hint="(aa)* and (aa|bb)* have one; log-depth builds any automaton")
    return dfa, *finer


@dataclass(frozen=True, slots=True)
class PeriodicPositionsParameters:
    """The parameters of the theorem."""

    pattern: str = parameter("(aa|bb)*", "a regular expression of a language in AC0")
    alphabet: str = parameter("ab", "the letters of words")
    length: int = parameter(60, "the greatest length that is tried", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: PeriodicPositionsParameters) -> Model:
    """The model of a regular expression's minimal automaton."""
    return by_positions(*finer_automaton(at.pattern, at.alphabet)).to(at.dtype)


def verify(model: Model, at: PeriodicPositionsParameters) -> Report:
    """Whether a model accepts what the automaton does: all short words, and random ones."""
    return recognises(model, regex_dfa(at.pattern, at.alphabet), at.length)


def prove(model: Model, at: PeriodicPositionsParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, regex_dfa(at.pattern, at.alphabet), at.length, least=least)


def size(at: PeriodicPositionsParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the automaton's."""
    dfa, modulus, finer, levels = finer_automaton(at.pattern, at.alphabet)
    built = by_positions(dfa, modulus, finer, levels).size
    return (
        SizeRow("states of the minimal automaton", dfa.size),
        SizeRow("the number m", modulus),
        SizeRow(
            "states over finer letters", finer.size, dfa.size * modulus + 1, "at most m times as many, and failure"
        ),
        SizeRow("layers", built.attention_layers, len(levels.levels), "the levels of the cascade"),
        SizeRow("heads per layer", max(built.heads, default=0), 1),
        SizeRow("width of the stream", built.width, "exponential", "in the number of states, at worst"),
        SizeRow("greatest length", "any"),
    )


def break_it(at: PeriodicPositionsParameters) -> Report:
    """Without positions every position is the first, and the second letter leads to failure."""
    dfa, modulus, finer, levels = finer_automaton(at.pattern, at.alphabet)
    model = by_positions(dfa, modulus, finer, levels)
    lost = replace(model, positions=Positions(("i%1",), model.positions.weight)).to(at.dtype)
    words = random_words(dfa, min(at.length, 16), 300)
    return recognises_some(lost, dfa, words, "the same model without positions", seed=LANGUAGES.seed)


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Automata that have a group, and none over letters with positions modulo some number."""
    if not isinstance(thing, Dfa):
        return
    try:
        cascade(thing)
        return  # star-free: no positions are needed
    except HasGroupError:
        finer = modulus_of(thing)
    except CapaxError:
        return
    if finer is not None:
        levels = len(finer[2].levels)
        what = f"positions modulo {finer[0]}, a cascade of {levels} reset{'s' * (levels != 1)}; rightmost-hard"
        yield Route(NAME, what, lambda: by_positions(thing, *finer))


THEOREM = theorem_in(
    __name__,
    PeriodicPositionsParameters,
    assumptions=("the language is in AC0", "the position i modulo m", "an input MLP of two stages"),
    attention="rightmost-hard; strict past masks",
    computes="regex:{pattern}",
    precision="O(log m) bits",
    small=(
        {"pattern": "(aa)*", "alphabet": "a"},
        {"pattern": "(abab)*", "dtype": "float32", "length": 60},
        {"pattern": "((aa)*b)*", "length": 20},
    ),
    large=(
        {"pattern": "((a|b){3})*a?", "length": 3_000},
        {"pattern": "(abab)*", "dtype": "float32", "length": 300},
        {"pattern": "((aa)*b)*"},
    ),
)
