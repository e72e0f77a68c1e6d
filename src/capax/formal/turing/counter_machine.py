"""Counter machines that read a symbol in each step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from capax.errors import CapaxError
from capax.formal.automata.dfa import Word, unknown_symbol

Zeros: TypeAlias = tuple[bool, ...]
"""Which counters are zero."""
Steps: TypeAlias = dict[tuple[int, int, Zeros], tuple[int, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class CounterMachine:
    """A machine with a state and whole-number counters; it tests counters for zero only, and counters may be negative.

    `step[state, number of the symbol, zeros]` is the next state and what is added to each counter; without an entry the
    machine stops and refuses. It accepts in the pairs (state, zeros) of `accepting`. It begins in state 0 with zeros.
    """

    alphabet: tuple[str, ...]
    counters: int
    step: Mapping[tuple[int, int, Zeros], tuple[int, tuple[int, ...]]]
    accepting: frozenset[tuple[int, Zeros]]

    def __post_init__(self) -> None:
        for (_, symbol, zeros), (_, added) in self.step.items():
            right = 0 <= symbol < len(self.alphabet) and len(zeros) == len(added) == self.counters
            if not right:
                what = f"a step of a machine with {self.counters} counters does not fit it"
                raise CapaxError("bad-automaton", what, hint="a step adds a number to each counter")

    def run(self, word: Word) -> tuple[int, tuple[int, ...]] | None:
        """The state and the counters after a word; None if the machine has stopped."""
        state, counters = 0, (0,) * self.counters
        for position, symbol in enumerate(word):
            if symbol not in self.alphabet:
                raise unknown_symbol(symbol, position, self.alphabet)
            zeros = tuple(count == 0 for count in counters)
            taken = self.step.get((state, self.alphabet.index(symbol), zeros))
            if taken is None:
                return None
            state = taken[0]
            counters = tuple(count + more for count, more in zip(counters, taken[1], strict=True))
        return state, counters

    def accepts(self, word: Word) -> bool:
        """Whether a word is in the language."""
        end = self.run(word)
        return end is not None and (end[0], tuple(count == 0 for count in end[1])) in self.accepting


def dyck1_machine() -> CounterMachine:
    """Words of one kind of brackets that match: the counter is how many are open."""
    step: Steps = {(0, 0, (zero,)): (0, (1,)) for zero in (True, False)}
    step[0, 1, (False,)] = (0, (-1,))
    return CounterMachine(("(", ")"), 1, step, frozenset({(0, (True,))}))


def anbn_machine() -> CounterMachine:
    """As many a as b, in this order: state 1 once a b was read."""
    step: Steps = {(0, 0, (True,)): (0, (1,)), (0, 0, (False,)): (0, (1,))}
    step |= {(0, 1, (False,)): (1, (-1,)), (1, 1, (False,)): (1, (-1,))}
    return CounterMachine(("a", "b"), 1, step, frozenset({(0, (True,)), (1, (True,))}))
