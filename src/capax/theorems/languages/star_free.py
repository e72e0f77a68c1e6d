"""Star-free automata by a cascade of resets.

Statement: for every automaton without groups (whose language, if it is minimal, is star-free) there is a transformer
with one layer for each level of a cascade of resets, one rightmost-hard head of key dimension 1 in each, strict past
masks and no positions, that answers at every position of every word whether the automaton accepts the word up to there.
By softmax, with the position i: the same layers and heads, for words of at most N positions.
Idea: a reset automaton either stays as it is or is set to a value, so its state is what the last reset set: one head
that attends to the last position with a reset. Each level of the cascade reads the letter and the states of the levels
above, which the layers below it have computed. The levels are the heights of the sets of states that words lead to.
Cite: Yang, Chiang and Angluin (2024), Masked hard-attention transformers recognize exactly the star-free languages, by
the Krohn-Rhodes theorem in the form of Maler (2010): a flip-flop is one head.
Scope: the cascade is a holonomy decomposition (`capax.formal.automata.cascade`). Its levels can be exponential in the
number of states; more than 2,000 sets or 4,000 inputs to levels are refused, and so is an automaton with a group.
Feed-forward maps are ReLU units.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.automata.cascade import Cascade, HasGroupError, Level, cascade
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.languages.parts.automata.resets import resetting
from capax.theorems.languages.parts.latest_set_bit import STEEP
from capax.theorems.proofs import proved_language

NAME = "star-free"


def by_resets(dfa: Dfa, attention: str, length: int, numbers: str) -> Model:
    """The model of an automaton without groups."""
    return resetting(dfa, cascade(dfa), attention, length, STEEP[numbers]).to(numbers)


@dataclass(frozen=True, slots=True)
class StarFreeParameters:
    """The parameters of the theorem."""

    pattern: str = parameter("(ab|ba)*c(a|b)*|.*aab", "a regular expression of a star-free language")
    alphabet: str = parameter("abc", "the letters of words")
    attention: str = parameter("hard", "the kind of attention", choices=("hard", "softmax"))
    length: int = parameter(60, "the greatest length N", 1, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: StarFreeParameters) -> Model:
    """The model of a regular expression's minimal automaton."""
    return by_resets(regex_dfa(at.pattern, at.alphabet), at.attention, at.length, at.dtype)


def verify(model: Model, at: StarFreeParameters) -> Report:
    """Whether a model accepts what the automaton does: all short words, and random ones."""
    return recognises(model, regex_dfa(at.pattern, at.alphabet), at.length)


def prove(model: Model, at: StarFreeParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, regex_dfa(at.pattern, at.alphabet), at.length, least=least)


def size(at: StarFreeParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the automaton's."""
    dfa = regex_dfa(at.pattern, at.alphabet)
    built, levels = construct(at).size, cascade(dfa).levels
    return (
        SizeRow("states of the minimal automaton", dfa.size),
        SizeRow("layers", built.attention_layers, len(levels), "the levels of the cascade"),
        SizeRow("heads per layer", max(built.heads, default=0), 1),
        SizeRow("width of the stream", built.width, "exponential", "in the number of states, at worst"),
        SizeRow("ReLU units of a stage", built.hidden, "exponential", "at worst"),
        SizeRow("greatest length", at.length if at.attention == "softmax" else "any"),
    )


def break_it(at: StarFreeParameters) -> Report:
    """The deepest level never reset: it holds what it began with."""
    dfa = regex_dfa(at.pattern, at.alphabet)
    resets = cascade(dfa)
    levels = [*resets.levels[:-1], *(_still(level) for level in resets.levels[-1:])]
    model = resetting(dfa, Cascade(tuple(levels), resets.last), "hard", at.length, STEEP[at.dtype]).to(at.dtype)
    words = random_words(dfa, min(at.length, 16), 300)
    return recognises_some(
        model, dfa, words, "the cascade without the resets of its deepest level", seed=LANGUAGES.seed
    )


def _still(level: Level) -> Level:
    return Level(level.values, level.start, level.nodes, (None,) * len(level.nodes), level.after)


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Automata without groups, by hard attention and by softmax."""
    if not isinstance(thing, Dfa):
        return
    try:
        levels = len(cascade(thing).levels)
    except HasGroupError:
        return
    except CapaxError as error:
        refused = error

        def refuse() -> Model:
            raise refused

        yield Route(NAME, "a cascade of resets", refuse)
        return
    what = f"a cascade of {levels} reset{'s' * (levels != 1)}; rightmost-hard"
    yield Route(NAME, what, lambda: by_resets(thing, "hard", max_length, "float64"))
    what = f"a cascade of {levels} reset{'s' * (levels != 1)}; softmax"
    note = "exact since exp underflows to 0 in floating point"
    yield Route(NAME, what, lambda: by_resets(thing, "softmax", max_length, "float64"), max_length, note=note)


THEOREM = theorem_in(
    __name__,
    StarFreeParameters,
    assumptions=("the automaton has no group", "a sink with score 1/2 in every head, which holds the first state"),
    attention="rightmost-hard, softmax; strict past masks",
    computes="regex:{pattern}",
    precision="1 bit; O(log N) bits by softmax",
    breaks="construction",
    small=(
        {"attention": "softmax", "length": 30},
        {"pattern": "(ab)*", "alphabet": "ab"},
        {"pattern": "(a(a(ab)*b)*b)*", "alphabet": "ab"},
        {"pattern": ".*a..", "alphabet": "ab", "attention": "softmax", "dtype": "float32", "length": 100},
        {"pattern": ".*", "alphabet": "ab"},
    ),
    large=(
        {"length": 3_000, "attention": "softmax"},
        {"pattern": ".*a..", "alphabet": "ab", "attention": "softmax", "dtype": "float32", "length": 300},
        {"pattern": "(a(a(a(a(ab)*b)*b)*b)*b)*", "alphabet": "ab"},
    ),
)
