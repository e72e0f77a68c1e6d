"""Simplified stateless counter machines: counters that each symbol adds a number to, tested for zero at the end.

A machine has k whole-number counters, which begin at 0 and may become negative. Reading a symbol adds a fixed number to
each; there is no state, and no counter is looked at before the end of the word. Then the word is accepted if one of
some patterns fits, each of which says of every counter that it is zero, that it is not, or nothing.

Cite: Bhattamishra, Ahuja and Goyal (2020), On the ability and limitations of transformers to recognize formal
languages, after Merrill (2020), On the linguistic capacity of real-time counter automata, where a simplified machine's
updates depend on the symbol alone and a stateless one has a single state.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Word, unknown_symbol
from capax.formal.languages.language import Language

MOST_COUNTERS: Final = 20
MOST_SYMBOLS: Final = 200
MOST_PATTERNS: Final = 64
LARGEST_STEP: Final = 1_000
"""Larger updates are refused."""
ANY_MARK, ZERO_MARK, OTHER_MARK = "*", "0", "!"
"""In a pattern: the counter may be anything, is zero, is not zero."""


@dataclass(frozen=True, slots=True)
class CounterMachine:
    """`steps[number of the symbol]` is added to the counters; each of `patterns` has a mark for each counter.

    >>> balance = CounterMachine(("a", "b"), ((1,), (-1,)), (("0",),))
    >>> balance.accepts("abba"), balance.accepts("aab"), balance.run("aab")
    (True, False, (1,))
    """

    alphabet: tuple[str, ...]
    steps: tuple[tuple[int, ...], ...]
    patterns: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        k = self.counters
        _require(0 < len(self.alphabet) <= MOST_SYMBOLS, f"a machine has 1 to {MOST_SYMBOLS} symbols")
        _require(len(set(self.alphabet)) == len(self.alphabet) == len(self.steps), "each symbol has one update")
        _require(1 <= k <= MOST_COUNTERS, f"a machine has 1 to {MOST_COUNTERS} counters")
        _require(all(len(step) == k for step in self.steps), f"an update has a number for each of {k} counters")
        _require(self.largest <= LARGEST_STEP, f"an update adds at most {LARGEST_STEP:,}")
        _require(1 <= len(self.patterns) <= MOST_PATTERNS, f"a machine has 1 to {MOST_PATTERNS} patterns")
        marks = {ANY_MARK, ZERO_MARK, OTHER_MARK}
        right = all(len(pattern) == k and marks >= set(pattern) for pattern in self.patterns)
        _require(right, f"a pattern has a mark (0, ! or *) for each of {k} counters")

    @property
    def counters(self) -> int:
        """The number k of counters."""
        return len(self.steps[0]) if self.steps else 0

    @property
    def largest(self) -> int:
        """The most that a symbol adds to or takes from a counter."""
        return max((abs(number) for step in self.steps for number in step), default=0)

    def run(self, word: Word) -> tuple[int, ...]:
        """The counters after a word."""
        return self.trace(word)[-1]

    def trace(self, word: Word) -> list[tuple[int, ...]]:
        """The counters before a word, and after each of its symbols."""
        numbers = {symbol: at for at, symbol in enumerate(self.alphabet)}
        trace = [(0,) * self.counters]
        for position, symbol in enumerate(word):
            if symbol not in numbers:
                raise unknown_symbol(symbol, position, self.alphabet)
            step = self.steps[numbers[symbol]]
            trace.append(tuple(count + more for count, more in zip(trace[-1], step, strict=True)))
        return trace

    def fits(self, counters: tuple[int, ...]) -> bool:
        """Whether one of the patterns fits some counters."""
        return any(all(map(_fits, pattern, counters)) for pattern in self.patterns)

    def accepts(self, word: Word) -> bool:
        """Whether a word is in the language."""
        return self.fits(self.run(word))

    def language(self, what: str = "") -> Language:
        """The language, with random words of it."""

        def inside(random: np.random.Generator, length: int) -> tuple[str, ...] | None:
            return balanced_word(self, random, length)

        return Language("counter", {}, self.alphabet, what, self.accepts, inside)


def _fits(mark: str, count: int) -> bool:
    return mark == ANY_MARK or (mark == ZERO_MARK) == (count == 0)


def balanced_word(machine: CounterMachine, random: np.random.Generator, length: int) -> tuple[str, ...] | None:
    """A random accepted word of at most a length, found by changing symbols of a random word; None if none is."""
    steps = np.array(machine.steps, np.int64)
    for left in range(length, max(length - 4, 0), -1):
        pattern = machine.patterns[int(random.integers(len(machine.patterns)))]
        zero = np.array([mark == ZERO_MARK for mark in pattern])
        word = random.integers(len(steps), size=left)
        for _ in range(8 * left):
            total = steps[word].sum(axis=0)
            if machine.fits(tuple(int(x) for x in total)):
                return tuple(machine.alphabet[int(symbol)] for symbol in word)
            at = int(random.integers(left))
            rest = np.abs(total - steps[word[at]] + steps)[:, zero].sum(axis=1)
            best = np.flatnonzero(rest == rest.min())
            word[at] = int(random.choice(best))
    return None


def _require(right: bool, what: str) -> None:
    if not right:
        raise CapaxError("bad-machine", what, hint="a line is `a -> +1 -1`, and `accept 0 *` says what is accepted")
