"""Probabilistic finite automata: distributions over words."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.errors import CapaxError
from capax.formal.automata.dfa import Word, unknown_symbol

Array: TypeAlias = NDArray[Any]

ROUNDING: Final = 1e-9
"""Probabilities sum to 1 up to this."""


@dataclass(frozen=True, slots=True, eq=False)
class Pfa:
    """An automaton that writes words: it begins in state q with probability `start[q]`; from q it writes symbol a and
    goes to state r with probability `step[a, q, r]`, or ends with probability `end[q]`.

    Axes: `start` (state,), `step` (symbol, state, next state), `end` (state,).
    """

    alphabet: tuple[str, ...]
    start: Array
    step: Array
    end: Array

    def __post_init__(self) -> None:
        n, s = len(self.start), len(self.alphabet)
        _require(s > 0 and len(set(self.alphabet)) == s, "the alphabet is empty, or has a symbol twice")
        _require(self.step.shape == (s, n, n) and self.end.shape == (n,), "the tables do not fit each other")
        for table in (self.start, self.step, self.end):
            _require(bool(np.isfinite(table).all() and (table >= 0).all()), "a probability is negative or no number")
        _require(abs(float(self.start.sum()) - 1) <= ROUNDING, "the probabilities of the first states do not sum to 1")
        rows = self.step.sum(axis=(0, 2)) + self.end
        _require(bool((np.abs(rows - 1) <= ROUNDING).all()), "what a state may do does not sum to 1")

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.start)

    @property
    def deterministic(self) -> bool:
        """Whether a word has at most one run."""
        return bool((np.count_nonzero(self.step, axis=2) <= 1).all() and np.count_nonzero(self.start) == 1)

    def probability(self, word: Word) -> float:
        """The probability of a word with its end."""
        return float(self.forward(word) @ self.end)

    def forward(self, word: Word) -> Array:
        """The probability (state,) of having written a word and being in each state."""
        weights = np.asarray(self.start, dtype=np.float64)
        for position, symbol in enumerate(word):
            if symbol not in self.alphabet:
                raise unknown_symbol(symbol, position, self.alphabet)
            weights = weights @ self.step[self.alphabet.index(symbol)]
        return weights

    def sample(self, random: np.random.Generator, longest: int) -> tuple[list[str], list[int]]:
        """A random word, cut off after `longest` symbols, and the states along it."""
        state = int(random.choice(self.size, p=self.start / self.start.sum()))
        word: list[str] = []
        states = [state]
        while len(word) < longest:
            chances = np.concatenate([self.step[:, state, :].ravel(), self.end[state : state + 1]])
            choice = int(random.choice(len(chances), p=chances / chances.sum()))
            if choice == len(chances) - 1:
                break
            symbol, state = divmod(choice, self.size)
            word.append(self.alphabet[symbol])
            states.append(state)
        return word, states


def random_pfa(alphabet: tuple[str, ...], states: int, random: np.random.Generator, *, end: float = 0.1) -> Pfa:
    """A random automaton whose states each end a word with a probability near `end`."""
    s = len(alphabet)
    table = random.dirichlet(np.ones(s * states), size=states)
    stop = np.clip(end * random.uniform(0.5, 1.5, states), 0, 1)
    step = (table * (1 - stop)[:, None]).reshape(states, s, states).transpose(1, 0, 2)
    return Pfa(alphabet, random.dirichlet(np.ones(states)), step, stop)


def _require(right: bool, what: str) -> None:
    if not right:
        raise CapaxError("bad-automaton", what, hint="what a state may do, the end included, sums to 1")
