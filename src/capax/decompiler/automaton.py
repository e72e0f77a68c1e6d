"""The automaton of a model that answers at the last letter, learned from its answers (Angluin's L*), and as a program.

Statement. A table has a row for each prefix that is looked at and a column for each suffix; its entry is the model's
answer to prefix + suffix. Prefixes with equal rows are one state. A word on which the automaton and the model differ
gives new columns, so each round has more states; an automaton of s states is found after at most s rounds.
Cite. Angluin: Learning regular sets from queries and counterexamples, Information and Computation 75, 1987. The columns
are all suffixes of a counterexample (Maler and Pnueli, 1995).
Scope. A model cannot be asked about the empty word: its answer is `None`, and it stands for no statement.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from capax.auditor.specs.machine import Machine
from capax.decompiler.sample import Word
from capax.model.vocabulary import Token
from capax.notation.rounds import LENGTH_ROUNDS
from capax.rasp.ir.loop_nodes import LoopResult, State
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Input, Map, Select, SOpNode, Table

Answers = Callable[[Sequence[Word]], list[Token]]
"""From words, none of them empty, to the model's answers."""
NAMES: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The states in a program: one letter each, so that a state and a token after it are read in one way."""
BEFORE: Final = Select(Indices(), Map("-", (Indices(), Const(1))), "==")


@dataclass(frozen=True, slots=True)
class Automaton:
    """States 0, 1, ...: `step[state][letter's number]` is the next one, `answer[state]` the model's answer there."""

    letters: tuple[Token, ...]
    step: tuple[tuple[int, ...], ...]
    answer: tuple[Token | None, ...]

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.step)

    def run(self, word: Word) -> int:
        """The state after a word."""
        state = 0
        for letter in word:
            state = self.step[state][self.letters.index(letter)]
        return state

    def machine(self) -> Machine:
        """The automaton as a machine that a specification is made of."""
        number = {letter: k for k, letter in enumerate(self.letters)}
        return Machine(0, lambda state, letter: self.step[state][number[letter]], lambda state: self.answer[state])


@dataclass
class _ObservationTable:
    """The answers asked for so far, the prefixes of the states, and the suffixes that tell them apart."""

    ask: Answers
    letters: tuple[Token, ...]
    states: list[Word] = field(default_factory=lambda: [()])
    suffixes: list[Word] = field(default_factory=lambda: [()])
    known: dict[Word, Token | None] = field(default_factory=lambda: {(): None})

    def fill(self) -> None:
        """Asks for every entry that is missing, all at once."""
        prefixes = [*self.states, *((*state, x) for state in self.states for x in self.letters)]
        missing = list(dict.fromkeys(p + s for p in prefixes for s in self.suffixes if p + s not in self.known))
        if missing:
            self.known.update(zip(missing, self.ask(missing), strict=True))

    def row(self, prefix: Word) -> tuple[Token | None, ...]:
        """The answers after a prefix."""
        return tuple(self.known[prefix + suffix] for suffix in self.suffixes)

    def close(self, most: int) -> bool:
        """Adds states until every step leads to one; whether these are at most so many."""
        while True:
            self.fill()
            rows = {self.row(state): None for state in self.states}
            steps = ((*state, x) for state in self.states for x in self.letters)
            new = next((p for p in steps if self.row(p) not in rows), None)
            if new is None:
                return True
            if len(self.states) >= most:
                return False
            self.states.append(new)

    def automaton(self) -> Automaton:
        """The automaton of a closed table."""
        number = {self.row(state): k for k, state in enumerate(self.states)}
        step = tuple(tuple(number[self.row((*state, x))] for x in self.letters) for state in self.states)
        return Automaton(self.letters, step, tuple(self.known[state] for state in self.states))


def learn_automaton(
    ask: Answers, letters: Sequence[Token], difference: Callable[[Automaton], Word | None], *, most_states: int = 24
) -> Automaton | None:
    """The automaton that a model was found to compute; None if it would have more states than allowed.

    `difference(automaton)` is a word on which it and the model differ, or None where none was found.
    """
    table = _ObservationTable(ask, tuple(letters))
    while table.close(most_states):
        automaton = table.automaton()
        word = difference(automaton)
        if word is None:
            return automaton
        table.suffixes += [word[k:] for k in range(len(word)) if word[k:] not in table.suffixes]
    return None


def automaton_program(automaton: Automaton) -> SOpNode | None:
    """An s-op with the automaton's answer at each position; None if it has more states than there are names.

    In each round of a loop a position takes the step from the state before it. After r rounds its state is that after
    the last r letters up to it, or after all of them if there are fewer: the first position steps from the first state.
    So after `length` rounds it is the state after the word up to there.
    """
    if automaton.size > len(NAMES):
        return None
    state = State("reached", ())
    before = Aggregate(BEFORE, state, NAMES[0])
    entries = tuple(
        (f"{NAMES[number]}{letter}", NAMES[after])
        for number, row in enumerate(automaton.step)
        for letter, after in zip(automaton.letters, row, strict=True)
    )
    step = Table("dict", entries, Map("+", (before, Input("str"))))
    return _answer(automaton, LoopResult(LENGTH_ROUNDS, (state,), (Const(NAMES[0]),), (step,), 0))


def _answer(automaton: Automaton, state: SOpNode) -> SOpNode:
    """The answer of each state that a word leads to; the first one is that of no letter."""
    answers: dict[str, Token] = {n: a for n, a in zip(NAMES, automaton.answer, strict=False) if a is not None}
    if not all(isinstance(answer, bool) for answer in answers.values()):
        return Table("dict", tuple(answers.items()), state)
    yes = [name for name, answer in answers.items() if answer]
    if len(yes) == 1:
        return Map("==", (state, Const(yes[0])))
    return Table("members", tuple((name, True) for name in yes), state)
