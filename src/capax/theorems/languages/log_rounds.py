"""Any automaton by one block with shared weights.

Statement: for every automaton with s states and every N there is a transformer with a single block, of one head and one
MLP, that is run ceil(log2 n) times on words of n letters and answers at every position of every word of at most N
letters whether the automaton accepts the word up to there. The weights of the block are the same in every round; their
number does not depend on the rounds, and grows with N as the number of its bits.
Idea: pointer doubling. Every position holds the map of states of the last 2^t letters, as the next state of each state,
and the bits of a pointer to the position before them. A round reads map and pointer there, composes the two maps, and
moves the pointer on; where there is no such position the sink gives the identity map and a pointer to nowhere. It is
a RASP program with a `repeat` loop, and its certificate is by induction: one proof for the block, for any rounds.
Cite: Merrill and Sabharwal (2025), A little depth goes a long way: the expressive power of log-depth transformers:
regular languages by looping a block of constant size log n times. Dehghani et al. (2019), Universal Transformers.
Scope: the loop has s + log2(N + 1) states. Automata of more than 12 states are refused, and so is N above 1,024.
`log-depth` has a layer of its own for each doubling.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce

from capax.auditor.model_proof import ModelProof
from capax.compiler.compile import compile
from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.regex import regex_dfa
from capax.model.loop import unrolled_model
from capax.model.model import Model
from capax.rasp.ir import build_loops
from capax.rasp.python.embed import aggregate, indices, select, tokens, where
from capax.rasp.python.program import SOp
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, random_words, recognises, recognises_some
from capax.theorems.proofs import proved_language

NAME = "log-rounds"
MOST_STATES = 12
LONGEST = 1024


def prefix_program(dfa: Dfa, longest: int) -> SOp:
    """The program that says at each position whether the automaton accepts the word up to there."""
    return prefix_maps(dfa, longest)[dfa.start].isin([str(q) for q in sorted(dfa.accepting)])


def prefix_maps(dfa: Dfa, longest: int) -> tuple[SOp, ...]:
    """For each state of an automaton the program that says, at each position, where the word up to there leads from it.

    The states are strings, since of several strings there is no mean: a head that read two would be an error.
    """
    if dfa.size > MOST_STATES:
        what = f"an automaton of {dfa.size} states; at most {MOST_STATES} are put into one block"
        raise CapaxError("bad-option", what, hint="the theorem log-depth has a layer for each doubling")
    bits = range(longest.bit_length())
    maps = [tokens.map({a: str(row[i]) for i, a in enumerate(dfa.alphabet)}) for row in dfa.delta]
    back = [_bit(indices, k) for k in bits]  # the position before, counted from 1: 0 is nowhere
    names = [*(f"from_{q}" for q in range(dfa.size)), *(f"bit_{k}" for k in bits)]
    states = [build_loops.new_state(name) for name in names]
    own, pointer = states[: dfa.size], states[dfa.size :]
    there = reduce(lambda a, b: a & b, [select(_bit(indices + 1, k), pointer[k], "==") for k in bits])
    earlier = [aggregate(there, each, str(q)) for q, each in enumerate(own)]
    composed = [_then(first, own) for first in earlier]
    moved = [aggregate(there, each, False) for each in pointer]
    return build_loops.repeat("ceil_log2(length)", states, [*maps, *back], [*composed, *moved])[: dfa.size]


def _bit(number: SOp, k: int) -> SOp:
    """Whether a bit of a number is set."""
    bit: SOp = number // 2**k % 2 == 1
    return bit


def _then(first: SOp, second: list[SOp]) -> SOp:
    """Where a state leads that first leads to another: what the second map has for that one."""
    result = second[-1]
    for q, after in enumerate(second[:-1]):
        result = where(first == str(q), after, result)
    return result


def by_rounds(dfa: Dfa, longest: int, *, certify: bool = False) -> Model:
    """The model of an automaton for words of at most `longest` letters."""
    if longest > LONGEST:
        what = f"words of {longest:,} letters; at most {LONGEST:,} are compiled"
        raise CapaxError("bad-option", what, hint="the theorem log-depth takes longer words")
    program = prefix_program(dfa, longest)
    model = compile(program, alphabet=dfa.alphabet, max_length=longest, certify=certify, words=4, budget=100_000).model
    return replace(model, provenance=replace(model.provenance, answer="yes or no at the last position", read="last"))


@dataclass(frozen=True, slots=True)
class LogRoundsParameters:
    """The parameters of the theorem."""

    pattern: str = parameter("(a|b(ab*a)*b)*", "a regular expression")
    alphabet: str = parameter("ab", "the letters of words")
    length: int = parameter(40, "the greatest length N", 1, LONGEST)


def construct(at: LogRoundsParameters) -> Model:
    """The model of a regular expression's minimal automaton."""
    return by_rounds(regex_dfa(at.pattern, at.alphabet), at.length)


def verify(model: Model, at: LogRoundsParameters) -> Report:
    """Whether a model accepts what the automaton does: all short words, and random ones."""
    return recognises(model, regex_dfa(at.pattern, at.alphabet), at.length)


def prove(model: Model, at: LogRoundsParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, regex_dfa(at.pattern, at.alphabet), at.length, least=least)


def size(at: LogRoundsParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    dfa = regex_dfa(at.pattern, at.alphabet)
    built = construct(at).size
    assert built.loop is not None
    return (
        SizeRow("states s of the minimal automaton", dfa.size),
        SizeRow("attention layers in the loop", built.loop.layers, 1),
        SizeRow("heads of the block", max(built.heads, default=0), 1),
        SizeRow("rounds at the greatest length", (at.length - 1).bit_length(), "", "ceil(log2 N)"),
        SizeRow("parameters of the shared block", built.loop.block_parameters),
        SizeRow("parameters, the loop written out", built.loop.unrolled),
        SizeRow("greatest length", at.length, at.length),
    )


def break_it(at: LogRoundsParameters) -> Report:
    """One round less: the first half of a long word is not seen."""
    dfa = regex_dfa(at.pattern, at.alphabet)
    model = construct(at)
    assert model.loop is not None
    full = unrolled_model(model, at.length)
    fewer = replace(full, blocks=(*full.blocks[: model.loop.first], *full.blocks[model.loop.end :]))
    words = [word for word in random_words(dfa, at.length, 300) if full.min_length <= len(word)]
    statement = f"words of {at.length} letters with one round less"
    return recognises_some(fewer, dfa, words, statement, seed=LANGUAGES.seed)


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Every automaton of few states, for words up to a length."""
    if isinstance(thing, Dfa) and thing.size <= MOST_STATES and max_length <= LONGEST and _decides(thing):
        what = "one block with shared weights, run ceil(log2 n) times; softmax"
        yield Route(NAME, what, lambda: by_rounds(thing, max_length), max_length)


def _decides(dfa: Dfa) -> bool:
    """Whether some words that are not empty are accepted, and some are not: else there is one answer to give."""
    new = set(dfa.delta[dfa.start])
    seen: set[int] = set()
    while new:
        seen |= new
        new = {after for state in new for after in dfa.delta[state]} - seen
    return bool(seen & dfa.accepting) and bool(seen - dfa.accepting)


THEOREM = theorem_in(
    __name__,
    LogRoundsParameters,
    assumptions=("the bits of positions", "a sink that holds the identity map"),
    attention="softmax",
    computes="regex:{pattern}",
    precision="float32: every number is a small integer, and unselected weights underflow to zero",
    small=({"length": 9}, {"pattern": "(ab|ba)*", "length": 17}, {"length": 2}),
    large=({"length": 300}, {"pattern": "(ab|ba)*", "length": 33}),
)
