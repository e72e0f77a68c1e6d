"""A probabilistic automaton as a decoder: tokens are a symbol and the state after it.

What comes next depends on the last token's state alone, so no head is needed: the embedding of a token is its state,
and the unembedding has a row of log-probabilities for each state. A word's probability is the sum over all chains
that spell it, one for each way through the states.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.pfa import Pfa
from capax.model.model import Model
from capax.model.parts import Affine, Array, Readout
from capax.model.provenance import Provenance
from capax.model.run.run import probabilities, run_rows
from capax.model.vocabulary import Classes, Vocabulary
from capax.theorems.weights.stream import Stream, family

IMPOSSIBLE: Final = -16384.0
"""The logit of what has probability 0."""
MOST_CHAINS: Final = 100_000


@dataclass(frozen=True)
class Thoughts:
    """The tokens of an automaton: `a/2` is symbol a and then state 2; `<s>` begins, `<end>` ends."""

    pfa: Pfa

    @cached_property
    def pairs(self) -> tuple[tuple[str, int], ...]:
        """The symbols and states that some step leads to, in order."""
        step = self.pfa.step
        return tuple(
            (symbol, r)
            for a, symbol in enumerate(self.pfa.alphabet)
            for r in range(self.pfa.size)
            if (step[a, :, r] > 0).any()
        )

    @cached_property
    def named(self) -> dict[tuple[str, int], str]:
        """The token of each pair."""
        return {(symbol, state): f"{symbol}/{state}" for symbol, state in self.pairs}


def writer(pfa: Pfa, numbers: str = "float64") -> Model:
    """The decoder whose chains spell words with the automaton's probabilities."""
    thoughts = Thoughts(pfa)
    states = family("state", pfa.size)
    stream = Stream(("begin", *states))
    tokens = list(thoughts.named.values())
    rows = [{"begin": 1.0}, *({states[state]: 1.0} for _, state in thoughts.pairs)]
    first = pfa.start @ np.stack([_row(pfa, thoughts, q) for q in range(pfa.size)])
    table = np.stack([first, *(_row(pfa, thoughts, q) for q in range(pfa.size))])
    with np.errstate(divide="ignore"):
        logits = np.where(table > 0, np.log(table), IMPOSSIBLE)
    return Model(
        vocabulary=Vocabulary(("<s>", *tokens)),
        embedding=stream.rows(rows),
        positions=stream.positions({}),
        blocks=(),
        readout=Readout(Affine(logits, np.zeros(len(tokens) + 1))),
        decoding=Classes((*tokens, "<end>")),
        names=stream.names,
        min_length=0,
        prefix=("<s>",),
        provenance=Provenance(thoughts={"end": "<end>", "states": pfa.size}),
    ).to(numbers)


def _row(pfa: Pfa, thoughts: Thoughts, state: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The distribution over tokens, the end last, in a state."""
    index = {symbol: at for at, symbol in enumerate(pfa.alphabet)}
    chances = [float(pfa.step[index[symbol], state, r]) for symbol, r in thoughts.pairs]
    return np.array([*chances, float(pfa.end[state])])


def spelled(model: Model, pfa: Pfa, word: Sequence[str]) -> float:
    """The probability of a word under a decoder: the sum over the chains that spell it, each with its end.

    Only chains that the decoder can write are followed: one for a deterministic automaton, else as many as there are
    ways through the states.
    """
    return math.fsum(chance for _, chance in chains_of(model, pfa, word))


def chains_of(model: Model, pfa: Pfa, word: Sequence[str]) -> list[tuple[tuple[str, ...], float]]:
    """The chains that a decoder can write for a word, each with its probability, the end included."""
    assert isinstance(model.decoding, Classes), "a writer answers with tokens"
    column = {str(value): at for at, value in enumerate(model.decoding.values)}
    named = Thoughts(pfa).named
    chains: list[tuple[tuple[str, ...], float]] = [((), 1.0)]
    for symbol in word:
        known = [token for (letter, _), token in named.items() if letter == symbol]
        rows = _next(model, [chain for chain, _ in chains])
        chains = [
            ((*chain, token), chance * float(row[column[token]]))
            for (chain, chance), row in zip(chains, rows, strict=True)
            for token in known
            if row[column[token]] > 0
        ]
        if len(chains) > MOST_CHAINS:
            raise CapaxError(
                "too-large",
                f"more than {MOST_CHAINS:,} chains spell the word",
                hint="the automaton's own `probability` sums over states and not over chains; or take a shorter word",
            )
        if not chains:
            return []
    rows = _next(model, [chain for chain, _ in chains])
    ended = [(chain, chance * float(row[column["<end>"]])) for (chain, chance), row in zip(chains, rows, strict=True)]
    return [(chain, chance) for chain, chance in ended if chance > 0]


def _next(model: Model, chains: list[tuple[str, ...]]) -> Array:
    """The distributions (chain, token) of what follows chains of one length."""
    return probabilities(model, run_rows(model, np.array([model.read(chain) for chain in chains]))[:, -1])


def generator(dfa: Dfa) -> Pfa:
    """An automaton that writes just the words that another accepts.

    In each state all symbols that can still lead to an accepted word, and the end if the state accepts, are equally
    likely.
    """
    live = set(dfa.accepting)
    while more := {q for q in range(dfa.size) if q not in live and live & set(dfa.delta[q])}:
        live |= more
    n, s = dfa.size, len(dfa.alphabet)
    step, end, start = np.zeros((s, n, n)), np.zeros(n), np.zeros(n)
    start[dfa.start] = 1.0
    for q in range(n):
        ways = [a for a in range(s) if dfa.delta[q][a] in live]
        share = 1.0 / max(1, len(ways) + (q in dfa.accepting))
        end[q] = share if q in dfa.accepting or not ways else 0.0
        for a in ways:
            step[a, q, dfa.delta[q][a]] = share
    return Pfa(dfa.alphabet, start, step, end)
