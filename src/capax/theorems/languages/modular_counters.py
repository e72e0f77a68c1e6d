"""Counters modulo p by two layers.

Statement: for every automaton whose letters are commuting permutations of its states (such as counting modulo p) and
every N there is a transformer of two layers, with one uniform head and then one head of key dimension 2 for each
class of letters that permute alike, positions i, i^2, 1 / (i + 1) and i mod p, and one stage of ReLU units, that
answers at every place of every word of at most N letters whether the automaton accepts the word up to there.
Idea: the share of a letter among the places so far is c / (i + 1), where c is its count. The score
(2 c j - j^2) / (i + 1) is bilinear in that and in positions, and highest at place j = c, which knows c mod p. The
counts modulo the orders decide; as digits of one number they are read off a broken line.
Cite: Liu, Ash, Goel, Krishnamurthy and Zhang (2023), Transformers learn shortcuts to automata: commutative automata by
constant depth. The place whose number is the count is from constructions of Turing machines (Perez, Barcelo and
Marinkovic 2021).
Scope: the gap of the scores is 1 / (i + 1), so rounding limits N: to about 10^7 in float64 and 1,000 in float32.
Groups that are not commutative are built by the theorem solvable-group.
"""

from collections.abc import Iterable

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.catalogue import mod
from capax.model.model import Model
from capax.model.parts import AttentionKind
from capax.report import Report
from capax.tasks.base.parameter import Parameter
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.automata.commuting import commuting
from capax.theorems.languages.parts.automata.counters import counting_modulo
from capax.theorems.languages.parts.latest_set_bit import STEEP

NAME = "modular-counters"
LONGEST = {"float64": 10_000_000, "float32": 1_000}
MOST_COUNTS = {"float64": 4_000, "float32": 1_000}


def by_counts(dfa: Dfa, attention: AttentionKind, length: int, numbers: str, marked: bool = True) -> Model:
    """The model of an automaton of commuting permutations, for words of at most `length` letters."""
    if length > LONGEST[numbers]:
        raise CapaxError(
            "bad-option", f"{numbers} tells counts apart up to {LONGEST[numbers]:,} places", hint="float64"
        )
    found = commuting(dfa, MOST_COUNTS[numbers])
    if found is None:
        what = "the automaton's letters do not permute its states in any order, or have too many counts"
        raise CapaxError("bad-option", what, hint="counters are for automata such as those of mod-p")
    return counting_modulo(dfa, found, attention, STEEP[numbers], length, marked).to(numbers)


def _automaton(p: int) -> Dfa:
    automaton = mod(p).automaton
    assert automaton is not None, "counting modulo p is regular"
    return automaton


def construct(p: int, attention: AttentionKind, length: int, numbers: str) -> Model:
    """The model that says whether the number of ones is divisible by p."""
    return by_counts(_automaton(p), attention, length, numbers)


def verify(model: Model, p: int, attention: AttentionKind, length: int, numbers: str) -> Report:
    """Whether a model counts modulo p: all short words, and random ones."""
    return recognises(model, mod(p), length)


def size(p: int, attention: AttentionKind, length: int, numbers: str) -> tuple[Row, ...]:
    """The sizes beside the bounds."""
    made = construct(p, attention, length, numbers).size
    return (
        Row("layers", made.attention_layers, 2, "for every p and N"),
        Row("heads per layer", ", ".join(map(str, made.heads)), "O(1)", "one more for each class of letters"),
        Row("width of the stream", made.width, "O(1)"),
        Row("ReLU units", made.hidden, "O(p)", "two where the answer changes"),
        Row("gap of the scores", 1 / (length + 1), "1 / (N + 1)"),
    )


def break_it(p: int, attention: AttentionKind, length: int, numbers: str) -> Report:
    """Without the mark before the word, there is no place whose number is the count of a word of ones."""
    model = by_counts(_automaton(p), attention, length, numbers, marked=False)
    words = ["1" * n for n in range(1, min(length, 2 * p) + 1)]
    return recognises_some(model, mod(p), words, f"counting modulo {p} without a place before the word")


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Automata of commuting permutations, for words up to a length."""
    if isinstance(thing, Dfa) and commuting(thing, MOST_COUNTS["float64"]) is not None:
        if thing.size == 1:
            return
        what = "counts of letters, looked up; softmax"
        note = f"the gap of the scores is {1 / (max_length + 1):.2g}"
        yield Route(NAME, what, lambda: by_counts(thing, "softmax", max_length, "float64"), max_length, note=note)


THEOREM = Theorem(
    name=NAME,
    title="Counters modulo p by two layers",
    statement=(
        "For every automaton whose letters are commuting permutations of its states, such as counting modulo p, and "
        "every N, a transformer with two layers, one uniform head and one head of key dimension 2 for each class of "
        "letters says at every place of every word of at most N letters whether the automaton accepts the word so far."
    ),
    assumptions=("positions i, i^2, 1 / (i + 1) and i mod p", "one token before the word"),
    attention="softmax (uniform), then softmax or average-hard; causal masks",
    precision="about 2 log2 N bits",
    citation="Liu, Ash, Goel, Krishnamurthy and Zhang (2023), Transformers learn shortcuts to automata",
    parameters=(
        Parameter("p", 3, "the modulus", 2, 1_000),
        Parameter(
            "attention", "softmax", "the kind of attention of the second layer", choices=("softmax", "average-hard")
        ),
        Parameter("length", 100, "the greatest length N", 1, 1_000_000),
        Parameter("numbers", "float64", "the number system", choices=("float64", "float32")),
    ),
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    limits=(
        "The gap of the scores is 1 / (N + 1): words of more than 10^7 letters in float64 and 1,000 in float32 are "
        "refused, and so are more than 4,000 (1,000 in float32) counts."
    ),
    task="language",
    small=(
        {"p": 2},
        {"p": 7, "attention": "average-hard"},
        {"p": 60, "length": 300},
        {"p": 5, "numbers": "float32", "length": 1_000},
        {"p": 5, "numbers": "float32", "length": 1_000, "attention": "average-hard"},
    ),
    large=({"p": 500, "length": 5_000}, {"p": 3, "length": 20_000, "attention": "average-hard"}),
)
