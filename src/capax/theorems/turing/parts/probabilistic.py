"""Machines that go by chance, and their decoders: the distribution at every step, and of whole chains."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.formal.turing.machine import Action
from capax.formal.turing.probabilistic import ChanceMachine
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.cache import Cache
from capax.model.run.lookup.key_store import lookup_store
from capax.model.run.run import probabilities
from capax.report import Report
from capax.theorems.turing.parts.decoder import choices
from capax.theorems.turing.parts.follow import cells_of, check_room, left_cells
from capax.theorems.turing.parts.tokens import ChainTokens

TOLERANCE: Final = {"float64": 1e-12, "float32": 1e-6}
"""How far a probability may be off: its logarithm is rounded to the number system."""


@dataclass(frozen=True, slots=True)
class SampledChain:
    """A chain that a decoder drew, its probability, and how far a step's distribution was from the machine's."""

    tokens: tuple[str, ...]
    steps: int
    halted: bool
    probability: float
    difference: float
    agrees: bool


class _Following:
    """A machine and its decoder at the same position of a chain."""

    def __init__(self, model: Model, machine: ChanceMachine, word: Sequence[str]) -> None:
        self.tokens, self.machine, self.model = ChainTokens(machine), machine, model
        self._cache = Cache(model, lookup_store)
        self._logits = self._cache.feed(model.read(self.tokens.prompt(word)))[-1]
        self._tape, self._cell, self._state = dict(enumerate(word)), 0, machine.start

    def distributions(self) -> tuple[Array, Array]:
        """The decoder's distribution over its tokens here, and the machine's."""
        chances = choices(self.machine, self._state, self._tape.get(self._cell, self.machine.blank))
        named = {self.tokens.action_tokens[action]: float(p) for action, p in chances.items()} or {
            self.tokens.halt: 1.0
        }
        right = np.array([named.get(token, 0.0) for token in self.tokens.written])
        return probabilities(self.model, self._logits), right

    def take(self, token: str) -> None:
        """Go on with an action's token."""
        action: Action = self.tokens.actions[token]
        self._tape[self._cell] = action.write
        self._cell, self._state = self._cell + action.move, action.state
        if abs(self._cell + 1) > cells_of(self.model):
            raise left_cells(self.model, self._cell + 1, self._cache.count)
        self._logits = self._cache.feed(self.model.vocabulary.rows([token]))[-1]


def sampled_chain(model: Model, machine: ChanceMachine, word: Sequence[str], most: int, seed: int) -> SampledChain:
    """A chain drawn from a decoder's own distributions, which are compared with the machine's at every step."""
    check_room(model, len(word), most)
    random, both = np.random.default_rng(seed), _Following(model, machine, word)
    taken: list[str] = []
    log, worst, agrees = 0.0, 0.0, True
    while len(taken) < most:
        got, right = both.distributions()
        worst = max(worst, float(np.abs(got - right).max()))
        agrees = agrees and worst <= TOLERANCE[model.numbers] and bool(((got == 0) == (right == 0)).all())
        choice = int(np.searchsorted(np.cumsum(got), random.random() * got.sum(), side="right"))
        taken.append(both.tokens.written[min(choice, len(got) - 1)])
        log += math.log(got[choice])
        if taken[-1] == both.tokens.halt:
            break
        both.take(taken[-1])
    halted = taken[-1:] == [both.tokens.halt]
    return SampledChain(tuple(taken), len(taken) - halted, halted, math.exp(log), worst, agrees)


def all_chains(model: Model, machine: ChanceMachine, word: Sequence[str], length: int) -> dict[tuple[str, ...], float]:
    """The probability that a decoder gives to each chain of `length` tokens, or fewer that end in the halt."""
    ended: dict[tuple[str, ...], float] = {}
    tokens = ChainTokens(machine)
    starts: dict[tuple[str, ...], float] = {(): 1.0}
    for _ in range(length):
        after: dict[tuple[str, ...], float] = {}
        for chain, chance in starts.items():
            both = _Following(model, machine, word)
            for token in chain:
                both.take(token)
            got, _ = both.distributions()
            for token, p in zip(tokens.written, got, strict=True):
                if p > 0:
                    (ended if token == tokens.halt else after)[(*chain, token)] = chance * float(p)
        starts = after
    return ended | starts


def same_chains(model: Model, machine: ChanceMachine, word: Sequence[str], length: int) -> Report:
    """Whether every chain of up to a length has the machine's probability, and all together have 1."""
    tokens = ChainTokens(machine)
    chains = all_chains(model, machine, word, length)
    worst, wrong = 0.0, None
    for chain, chance in chains.items():
        actions = [tokens.actions[token] for token in chain if token != tokens.halt]
        right = float(machine.probability(word, actions, halts=chain[-1] == tokens.halt))
        if abs(chance - right) > worst:
            worst, wrong = abs(chance - right), {"chain": list(chain), "decoder": chance, "machine": right}
    total = math.fsum(chains.values())
    holds = worst <= TOLERANCE[model.numbers] and abs(total - 1) <= len(chains) * TOLERANCE[model.numbers]
    statement = f"every chain of up to {length} tokens has the machine's probability, and they sum to 1"
    return Report(
        statement,
        "exhaustive",
        holds,
        len(chains),
        figures={"largest difference": worst, "sum": total},
        counterexample=None if holds else wrong,
    )
