"""A finite automaton is a decoder with chain of thought.

Statement: for every probabilistic finite automaton p there is a decoder over tokens that are a symbol and a state such
that every word y has p(y) = the sum of the probabilities of the chains that spell y. For every deterministic one there
is a decoder of two layers that, after any word, generates the states along it and whether it is accepted.
Idea: a token that names the state makes the next one depend on the last alone; a chain is a run.
Cite: Nowak, Svete, Butoi and Cotterell (2024), On the Representational Capacity of Neural Language Models with
Chain-of-Thought Reasoning.
Scope: probabilities are those of the table rounded to the number system. The sum over chains has as many terms as there
are runs: states to the power of the length. Reading is exact up to 31,635,419 symbols in float64 and 1,362 in float32;
longer words are refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.formal.automata.dfa import Dfa, words_up_to
from capax.formal.automata.pfa import Pfa, random_pfa
from capax.model.model import Model
from capax.report import Report, joined
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.languages.parts.automata.reader import chain, reader, verdict
from capax.theorems.languages.parts.automata.writer import Thoughts, generator, spelled, writer
from capax.theorems.turing.parts.decoder_limits import most_cells

LETTERS = "abcdefghij"
TOLERANCE = {"float64": 1e-12, "float32": 1e-6}


def automaton(states: int, symbols: int, seed: int) -> Pfa:
    """The random automaton of given parameters."""
    return random_pfa(tuple(LETTERS[:symbols]), states, np.random.default_rng(seed))


def deterministic(states: int, symbols: int, seed: int) -> Dfa:
    """A random deterministic automaton of the same sizes."""
    random = np.random.default_rng(seed)
    delta = tuple(tuple(int(q) for q in random.integers(states, size=symbols)) for _ in range(states))
    accepting = frozenset(q for q in range(states) if random.random() < 0.5) or frozenset({0})
    return Dfa(tuple(LETTERS[:symbols]), delta, 0, accepting)


@dataclass(frozen=True, slots=True)
class AutomatonThoughtsParameters:
    """The parameters of the theorem."""

    states: int = parameter(3, "the number of states", 1, 40)
    symbols: int = parameter(2, "the size of the alphabet", 1, 10)
    length: int = parameter(5, "all words up to this length are checked", 1, 10)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))
    seed: int = parameter(0, "of the random automaton", 0, 2**31)


def construct(at: AutomatonThoughtsParameters) -> Model:
    """The decoder that writes words."""
    return writer(automaton(at.states, at.symbols, at.seed), at.dtype)


def verify(model: Model, at: AutomatonThoughtsParameters) -> Report:
    """Whether the chains of a model spell short words with their probabilities, and a reader gives right verdicts."""
    pfa = automaton(at.states, at.symbols, at.seed)
    parts = (
        same_words(model, pfa, at.length),
        same_support(deterministic(at.states, at.symbols, at.seed), at.dtype, at.length),
        same_verdicts(deterministic(at.states, at.symbols, at.seed), at.dtype, at.length, at.seed),
    )
    return joined("automata are decoders with chain of thought", parts)


def prove(model: Model, at: AutomatonThoughtsParameters, least: int) -> ModelProof | None:
    """Whether every word up to the length has its probability as the sum over chains."""
    one = same_words(model, automaton(at.states, at.symbols, at.seed), at.length)
    inputs = f"words of up to {at.length} symbols, each with its probability as the sum over the chains that spell it"
    return ModelProof(inputs, one.count or 0, model.numbers, whole=True, counterexample=one.counterexample)


def same_words(model: Model, pfa: Pfa, length: int) -> Report:
    """Whether every word up to a length has its probability as the sum over chains."""
    worst, count, wrong = 0.0, 0, None
    for word in words_up_to(pfa.alphabet, length):
        count += 1
        got, right = spelled(model, pfa, word), pfa.probability(word)
        if not abs(got - right) <= worst:
            worst, wrong = abs(got - right), {"word": "".join(word), "decoder": got, "automaton": right}
    holds = worst <= TOLERANCE[model.numbers]
    statement = f"every word of up to {length} symbols has its probability as the sum over the chains that spell it"
    figures = {"largest difference": worst}
    return Report(statement, "exhaustive", holds, count, figures=figures, counterexample=None if holds else wrong)


def same_support(dfa: Dfa, numbers: str, length: int) -> Report:
    """Whether the words that the decoder of a deterministic automaton can write are those that it accepts."""
    pfa = generator(dfa)
    model = writer(pfa, numbers)
    words = list(words_up_to(dfa.alphabet, length))
    bad = [word for word in words if (spelled(model, pfa, word) > 0) != dfa.accepts(word)]
    live = dfa.shortest() is not None
    statement = f"of the words of up to {length} symbols, those of positive probability are those that are accepted"
    wrong = {"word": "".join(bad[0])} if bad and live else None
    return Report(statement, "exhaustive", wrong is None, len(words), counterexample=wrong)


def same_verdicts(dfa: Dfa, numbers: str, length: int, seed: int) -> Report:
    """Whether the decoder of a deterministic automaton says the states along words, and the verdict."""
    model = reader(dfa, numbers)
    random = np.random.default_rng(seed)
    words = list(words_up_to(dfa.alphabet, min(length, 3)))
    words += [tuple(str(s) for s in random.choice(dfa.alphabet, size=n)) for n in (10, 40, 120)]
    statement = "after a word, the decoder of two layers generates the states along it and the verdict"
    for word in words:
        right = [f"<{q}>" for q in dfa.states(word)[1:]] + ["<accept>" if dfa.accepts(word) else "<reject>"]
        if (got := chain(model, word)) != right:
            wrong = {"word": "".join(word), "decoder": got, "right": right}
            return Report(statement, "sampled", False, len(words), seed, counterexample=wrong)
    return Report(statement, "sampled", True, len(words), seed)


def size(at: AutomatonThoughtsParameters) -> tuple[SizeRow, ...]:
    """The sizes of both decoders."""
    pfa = automaton(at.states, at.symbols, at.seed)
    written, read = writer(pfa, at.dtype), reader(deterministic(at.states, at.symbols, at.seed), at.dtype)
    return (
        SizeRow("attention layers, writing", written.depth, "", "none: the next token depends on the last alone"),
        SizeRow("width, writing", written.width, at.states + 1),
        SizeRow(
            "tokens", len(Thoughts(pfa).pairs) + 1, at.states * at.symbols + 1, "a symbol and a state, and the end"
        ),
        SizeRow("chains of a word", f"{at.states}^n", f"{at.states}^n", "one for each way through the states"),
        SizeRow("attention layers, reading", read.depth, "O(1)"),
        SizeRow("heads, reading", "+".join(map(str, read.size.heads))),
        SizeRow("tokens after a word of n symbols", "n + 1", "n + 1"),
        SizeRow(
            "longest word, reading", most_cells("hard", at.dtype) - 2, "any", f"at which it is exact in {at.dtype}"
        ),
    )


def break_it(at: AutomatonThoughtsParameters) -> Report:
    """Tokens without states: what comes next is not decided by the last symbol."""
    pfa = automaton(at.states, at.symbols, at.seed)
    statement = "tokens that are symbols without states: the last symbol decides what comes next"
    for n in range(2, at.length + 1):
        known: dict[str, tuple[str, float]] = {}
        for word in product(pfa.alphabet, repeat=n):
            forward = pfa.forward(word)
            if forward.sum() <= 0:
                continue
            end = float(forward @ pfa.end / forward.sum())
            other, before = known.setdefault(word[-1], ("".join(word), end))
            if abs(before - end) > 1e-6:
                counterexample = {"after": [other, "".join(word)], "probability of the end": [before, end]}
                return Report(statement, "exhaustive", False, len(known), counterexample=counterexample)
    return Report(statement, "exhaustive", True, at.symbols**at.length)


def routes(thing: Any, max_length: int) -> Iterable[Route]:
    """The decoder of two layers for a deterministic automaton."""
    if not isinstance(thing, Dfa):
        return
    yield Route(
        "automaton-thoughts",
        "a decoder of 2 layers with a chain of thought, one token for each symbol",
        lambda: reader(thing),
        most_cells("hard", "float64") - 2,
        verdict,
        "the verdict comes after n + 1 generated tokens, and not at once; the word is given with an end marker",
        read="end",
    )


THEOREM = theorem_in(
    __name__,
    AutomatonThoughtsParameters,
    assumptions=(
        "tokens beyond the alphabet of words: states",
        "for reading: positions i, i^2 and 1/(i+1)",
    ),
    attention="none for writing; average-hard for reading, causal mask",
    precision="that of the probabilities; for reading O(log n) bits",
    small=(
        {"states": 2, "symbols": 3, "length": 4, "seed": 5},
        {"states": 4, "symbols": 2, "length": 4, "dtype": "float32"},
    ),
    large=({"states": 4, "symbols": 2, "length": 6},),
)
