"""Solvable groups by two layers for each step of the derived series.

Statement: for every automaton whose letters permute its states and generate a solvable group G of derived length d, and
every N, there is a transformer of 2 d layers, one uniform head and then heads of key dimension 2 in turn, at most a - 1
of these for a cyclic factor of order a, with positions i, i^2, 1 / (i + 1) and i modulo the orders and two stages of
ReLU units, that answers at every position of every word of at most N letters whether the automaton accepts the word up
to there.
Idea: in G / G' the order of letters does not matter, so that counts modulo the orders say the product there. Write the
product as n r(c), with n in G' and r(c) a chosen element of its class c. The next letter x makes of it n (r(c) x
r(d)^-1) r(d), so n is a product of letters of G' that are known from x and the classes: the same problem in G', two
layers on.
Cite: Liu, Ash, Goel, Krishnamurthy and Zhang (2023), Transformers learn shortcuts to automata: solvable automata by
constant depth, through the Krohn-Rhodes theorem. Barrington and Therien (1988), Finite monoids and the fine structure
of NC1.
Scope: groups have at most 200 elements; automata with both groups that do not commute and resets are not built at
constant depth. The gap of the scores is 1 / (i + 1): words of more than 10^7 letters in float64 and 1,000 in float32
are refused. No such model is known for a group that is not solvable.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.formal.automata.derived_series import Factor, derived_series
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.catalogue import language
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.model.parts import AttentionKind
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.automata.solvable import counting_in_steps
from capax.theorems.languages.parts.latest_set_bit import STEEP
from capax.theorems.proofs import proved_language

NAME = "solvable-group"
LONGEST = {"float64": 10_000_000, "float32": 1_000}
MOST_ELEMENTS = 200
GROUPS = ("s3", "s4", "d3", "d4", "d5", "d6", "a4", "q8")


def steps(dfa: Dfa) -> list[Factor] | None:
    """The derived series of an automaton's group; None if it has none, or one that is large or not solvable."""
    maps = [tuple(dfa.delta[q][a] for q in range(dfa.size)) for a in range(len(dfa.alphabet))]
    if dfa.size > MOST_ELEMENTS or any(len(set(one)) < dfa.size for one in maps):
        return None
    return derived_series(maps, MOST_ELEMENTS)


def by_steps(dfa: Dfa, attention: AttentionKind, length: int, numbers: str, marked: bool = True) -> Model:
    """The model of an automaton of permutations that generate a solvable group."""
    if length > LONGEST[numbers]:
        what = f"{numbers} tells counts apart up to {LONGEST[numbers]:,} positions"
        raise CapaxError("bad-option", what, hint="take a shorter length, or float64")
    factors = steps(dfa)
    if not factors:
        what = f"the automaton's letters do not generate a solvable group of 2 to {MOST_ELEMENTS} permutations"
        raise CapaxError("bad-option", what, hint="log-depth builds a model for any automaton")
    return counting_in_steps(dfa, factors, attention, STEEP[numbers], length, marked).to(numbers)


def _named(group: str) -> tuple[Language, Dfa]:
    problem = language(f"word-problem-{group}")
    assert problem.automaton is not None, "word problems of finite groups are regular"
    return problem, problem.automaton


@dataclass(frozen=True, slots=True)
class SolvableGroupParameters:
    """The parameters of the theorem."""

    group: str = parameter("s4", "the group, over its generators", choices=GROUPS)
    attention: AttentionKind = parameter(
        "softmax", "the kind of attention of even layers", choices=("softmax", "average-hard")
    )
    length: int = parameter(60, "the greatest length N", 1, 1_000_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: SolvableGroupParameters) -> Model:
    """The model that says whether the product of a word over generators is the identity."""
    return by_steps(_named(at.group)[1], at.attention, at.length, at.dtype)


def verify(model: Model, at: SolvableGroupParameters) -> Report:
    """Whether a model solves the word problem: all short words, and random ones."""
    return recognises(model, _named(at.group)[0], at.length)


def prove(model: Model, at: SolvableGroupParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, _named(at.group)[0], at.length, least=least)


def size(at: SolvableGroupParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the argument."""
    automaton = _named(at.group)[1]
    factors = steps(automaton)
    assert factors is not None, "the groups that are offered are solvable"
    built = by_steps(automaton, at.attention, at.length, at.dtype).size
    heads = max(sum(order - 1 for order in factor.orders) for factor in factors)
    return (
        SizeRow("elements of the group", automaton.size),
        SizeRow("steps of the derived series d", len(factors)),
        SizeRow("layers", built.attention_layers, 2 * len(factors), "2 d, for every N"),
        SizeRow("heads per layer", max(built.heads), heads, "at most a - 1 for a cyclic factor of order a"),
        SizeRow("width of the stream", built.width, "O(|G|)"),
        SizeRow("ReLU units of a stage", built.hidden, "O(|G|^2)"),
        SizeRow("gap of the scores", 1 / (at.length + 1), "1 / (N + 1)"),
    )


def break_it(at: SolvableGroupParameters) -> Report:
    """Without the mark before the word, there is no position whose number is the count of a word of one letter."""
    named, automaton = _named(at.group)
    model = by_steps(automaton, at.attention, at.length, at.dtype, marked=False)
    words = [symbol * n for n in range(1, min(at.length, 12) + 1) for symbol in named.alphabet]
    return recognises_some(model, named, words, f"the word problem of {at.group} without a position before the word")


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Automata of permutations that generate a solvable group whose elements do not commute."""
    if not isinstance(thing, Dfa):
        return
    factors = steps(thing)
    if factors is None or len(factors) < 2:
        return
    what = f"counters in {len(factors)} steps; softmax"
    note = f"the gap of the scores is {1 / (max_length + 1):.2g}"
    yield Route(NAME, what, lambda: by_steps(thing, "softmax", max_length, "float64"), max_length, note=note)


THEOREM = theorem_in(
    __name__,
    SolvableGroupParameters,
    assumptions=("positions i, i^2, 1 / (i + 1) and i modulo the orders", "one token before the word"),
    attention="softmax (uniform), then softmax or average-hard, in turn; causal masks",
    computes="language:word-problem-{group}",
    precision="about 2 log2 N bits",
    task="language",
    small=(
        {"group": "s3"},
        {"group": "q8", "attention": "average-hard"},
        {"group": "d5", "length": 300},
        {"group": "a4", "dtype": "float32", "length": 500},
    ),
    large=({"group": "s4", "length": 3_000},),
)
