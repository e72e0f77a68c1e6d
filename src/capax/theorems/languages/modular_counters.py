"""Counters modulo p by two layers.

Statement: for every automaton whose letters are commuting permutations of its states (such as counting modulo p) and
every N there is a transformer of two layers, with one uniform head and then one head of key dimension 2 for each class
of letters that permute alike, positions i, i^2, 1 / (i + 1) and i mod p, and one stage of ReLU units, that answers at
every position of every word of at most N letters whether the automaton accepts the word up to there.
Idea: the share of a letter among the positions so far is c / (i + 1), where c is its count. The score (2 c j - j^2) /
(i + 1) is bilinear in that and in positions, and highest at position j = c, which knows c mod p. The counts modulo the
orders decide; as digits of one number they are read off a broken line.
Cite: Liu, Ash, Goel, Krishnamurthy and Zhang (2023), Transformers learn shortcuts to automata: commutative automata by
constant depth. The position whose number is the count is from constructions of Turing machines (Perez, Barcelo and
Marinkovic 2021).
Scope: the gap of the scores is 1 / (i + 1): words of more than 10^7 letters in float64 and 1,000 in float32 are
refused, and so are more than 4,000 (1,000 in float32) counts. Groups that are not commutative are built by
`solvable-group`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.catalogue import mod
from capax.model.model import Model
from capax.model.parts import AttentionKind
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.automata.counters import commuting, counting_modulo
from capax.theorems.languages.parts.latest_set_bit import STEEP
from capax.theorems.proofs import proved_language

NAME = "modular-counters"
LONGEST = {"float64": 10_000_000, "float32": 1_000}
MOST_COUNTS = {"float64": 4_000, "float32": 1_000}


def by_counts(dfa: Dfa, attention: AttentionKind, length: int, numbers: str, marked: bool = True) -> Model:
    """The model of an automaton of commuting permutations, for words of at most `length` letters."""
    if length > LONGEST[numbers]:
        raise CapaxError(
            "bad-option", f"{numbers} tells counts apart up to {LONGEST[numbers]:,} positions", hint="float64"
        )
    counts = commuting(dfa, MOST_COUNTS[numbers])
    if counts is None:
        what = "the automaton's letters do not permute its states in any order, or have too many counts"
        raise CapaxError("bad-option", what, hint="counters are for automata such as those of mod-p")
    return counting_modulo(dfa, counts, attention, STEEP[numbers], length, marked).to(numbers)


def _automaton(p: int) -> Dfa:
    automaton = mod(p).automaton
    assert automaton is not None, "counting modulo p is regular"
    return automaton


@dataclass(frozen=True, slots=True)
class ModularCountersParameters:
    """The parameters of the theorem."""

    p: int = parameter(3, "the modulus", 2, 1_000)
    attention: AttentionKind = parameter(
        "softmax", "the kind of attention of the second layer", choices=("softmax", "average-hard")
    )
    length: int = parameter(100, "the greatest length N", 1, 1_000_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: ModularCountersParameters) -> Model:
    """The model that says whether the number of ones is divisible by p."""
    return by_counts(_automaton(at.p), at.attention, at.length, at.dtype)


def verify(model: Model, at: ModularCountersParameters) -> Report:
    """Whether a model counts modulo p: all short words, and random ones."""
    return recognises(model, mod(at.p), at.length)


def prove(model: Model, at: ModularCountersParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, mod(at.p), at.length, least=least)


def size(at: ModularCountersParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 2, "for every p and N"),
        SizeRow("heads per layer", ", ".join(map(str, built.heads)), "O(1)", "one more for each class of letters"),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow("ReLU units", built.hidden, "O(p)", "two where the answer changes"),
        SizeRow("gap of the scores", 1 / (at.length + 1), "1 / (N + 1)"),
    )


def break_it(at: ModularCountersParameters) -> Report:
    """Without the mark before the word, there is no position whose number is the count of a word of ones."""
    model = by_counts(_automaton(at.p), at.attention, at.length, at.dtype, marked=False)
    words = ["1" * n for n in range(1, min(at.length, 2 * at.p) + 1)]
    return recognises_some(model, mod(at.p), words, f"counting modulo {at.p} without a position before the word")


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Automata of commuting permutations, for words up to a length."""
    if isinstance(thing, Dfa) and commuting(thing, MOST_COUNTS["float64"]) is not None:
        if thing.size == 1:
            return
        what = "counts of letters, looked up; softmax"
        note = f"the gap of the scores is {1 / (max_length + 1):.2g}"
        yield Route(NAME, what, lambda: by_counts(thing, "softmax", max_length, "float64"), max_length, note=note)


THEOREM = theorem_in(
    __name__,
    ModularCountersParameters,
    assumptions=("positions i, i^2, 1 / (i + 1) and i mod p", "one token before the word"),
    attention="softmax (uniform), then softmax or average-hard; causal masks",
    computes="language:mod-{p}",
    precision="about 2 log2 N bits",
    task="language",
    small=(
        {"p": 2},
        {"p": 7, "attention": "average-hard"},
        {"p": 60, "length": 300},
        {"p": 5, "dtype": "float32", "length": 1_000},
        {"p": 5, "dtype": "float32", "length": 1_000, "attention": "average-hard"},
    ),
    large=({"p": 500, "length": 5_000}, {"p": 3, "length": 20_000, "attention": "average-hard"}),
)
