"""Where a search starts: words of plain structure, and random words by the states of the specification."""

from itertools import permutations
from typing import Final

import numpy as np

from capax.auditor.spec import NOWHERE, SpecStates
from capax.model.parts import Array

MOST_PAIRS: Final = 12
"""Pairs of letters of which structured words are made."""

MOST_ODD: Final = 200
"""Positions at which an odd letter or the end of a block is tried."""


class WordSpace:
    """The words of one length that a specification has an answer for; without states, all words are tried."""

    def __init__(self, letters: int, length: int, states: SpecStates | None) -> None:
        self.letters, self.length, self.states = letters, length, states
        self._live = None if states is None else states.live(length)

    @property
    def empty(self) -> bool:
        """Whether there is no word."""
        return self.states is not None and self._live is not None and not self._live[0, self.states.start]

    def projected(self, words: Array) -> Array:
        """Words of the specification that are like given ones: where a letter leads nowhere, the next that does not.

        A word that the specification is about stays as it is.
        """
        if self.states is None or self._live is None:
            return words
        result, state = words.copy(), np.full(len(words), self.states.start)
        rows = np.arange(len(words))
        for n in range(self.length):
            after = self.states.step[state]
            fine = (after != NOWHERE) & self._live[n + 1][after]
            shift = (words[:, n, None] + np.arange(self.letters)) % self.letters
            letter = shift[rows, fine[rows[:, None], shift].argmax(axis=1)]
            result[:, n], state = letter, after[rows, letter]
        return result

    def uniform(self, random: np.random.Generator, count: int) -> Array:
        """Random words: the state at the end is any with equal chance, and then every word that leads there is."""
        if self.states is None or self._live is None:
            return random.integers(self.letters, size=(count, self.length))
        ways = [np.eye(self.states.size)[self.states.start]]
        ends, seen = self.states.step.ravel(), self.states.step.ravel() != NOWHERE
        for _ in range(self.length):
            weights = np.repeat(ways[-1], self.letters)[seen]
            ways.append(np.bincount(ends[seen], weights, minlength=self.states.size))
            ways[-1] /= max(ways[-1].max(), 1e-300)
        state = random.choice(np.flatnonzero(self._live[self.length]), count)
        words = np.zeros((count, self.length), np.int64)
        for n in range(self.length - 1, -1, -1):
            for end in np.unique(state).tolist():
                rows = np.flatnonzero(state == end)
                into = np.flatnonzero(ends == end)
                chance = ways[n][into // self.letters]
                pick = into[random.choice(len(into), len(rows), p=chance / chance.sum())]
                words[rows, n], state[rows] = pick % self.letters, pick // self.letters
        return words


def structured(space: WordSpace, random: np.random.Generator) -> Array:
    """Words of plain structure: one letter, one odd letter, blocks, periods, sorted words, near ties."""
    n, pairs = space.length, list(permutations(range(space.letters), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[k] for k in sorted(random.choice(len(pairs), MOST_PAIRS, replace=False).tolist())]
    at = np.arange(n)
    spread = np.unique(np.linspace(0, n - 1, min(n, MOST_ODD)).astype(np.int64))
    rows = [np.full((1, n), letter) for letter in range(space.letters)]
    rows.append((at * space.letters // max(n, 1))[None])
    rows.append((at % space.letters)[None])
    for one, two in pairs:
        odd = np.full((len(spread), n), one)
        odd[np.arange(len(spread)), spread] = two
        rows += [odd, np.where(at[None] < spread[:, None], one, two)]
        periods = np.arange(1, min(n, 8) + 1)[:, None]
        rows.append(np.where(at[None] // periods % 2 == 0, one, two))
        rows.append(np.where(at[None] % (periods + 1) == 0, one, two))
        rows.append(_near_ties(n, one, two, random))
    return np.unique(space.projected(np.concatenate(rows)), axis=0)


def _near_ties(n: int, one: int, two: int, random: np.random.Generator) -> Array:
    """Shuffled words with about as many of one letter as of another."""
    counts = np.clip(n // 2 + np.repeat([-1, 0, 1], 4), 0, n)
    words = np.where(np.arange(n)[None] < counts[:, None], one, two)
    return np.asarray(random.permuted(words, axis=1))


def random_words(space: WordSpace, random: np.random.Generator, count: int) -> Array:
    """Random words: half by states, half with letters of random frequencies."""
    share = random.dirichlet(np.ones(space.letters), count - count // 2)
    drawn = (random.random((len(share), space.length, 1)) > share.cumsum(axis=1)[:, None, :-1]).sum(axis=2)
    return np.concatenate([space.uniform(random, count // 2), space.projected(drawn)])
