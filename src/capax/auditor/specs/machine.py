"""Specifications as machines that read a word letter by letter: automata, counters, whatever has few states."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from capax.auditor.spec import NOWHERE, Answer, AnswerFunction, Spec, SpecStates, Word
from capax.errors import CapaxError
from capax.model.vocabulary import Token

MOST_STATES: Final = 400_000
"""A machine with more states at a length is not explored."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """States of any kind: `step(state, letter)` is the next state, or None where no word goes on so.

    `answer(state)` is the right answer after a word that leads to a state, or None for no statement.
    """

    start: Hashable
    step: Callable[[Any, Token], Hashable | None]
    answer: Callable[[Any], Answer | None]

    def answers_of(self, words: Sequence[Word]) -> list[list[Answer | None]]:
        """The answers position by position, by running the machine."""
        return [self._run(word) for word in words]

    def _run(self, word: Word) -> list[Answer | None]:
        answers: list[Answer | None] = []
        state: Hashable | None = self.start
        for letter in word:
            state = None if state is None else self.step(state, letter)
            answers.append(None if state is None else self.answer(state))
        return answers


def explore(machine: Machine, letters: Sequence[Token], answers: Sequence[Answer], length: int) -> SpecStates:
    """The states of a machine that words of up to a length lead to; from the last ones on no word goes on."""
    number, rows = reachable(machine, letters, length)
    known = {(type(answer).__name__, answer): k for k, answer in enumerate(answers)}
    of_state = [_number_of(machine.answer(state), known) for state in number]
    return SpecStates(np.array(rows, np.int64).reshape(len(rows), len(letters)), 0, np.array(of_state, np.int64))


def reachable(machine: Machine, letters: Sequence[Token], length: int) -> tuple[dict[Hashable, int], list[list[int]]]:
    """The states that words of up to a length lead to, numbered as they are met, and for each its next states."""
    number: dict[Hashable, int] = {machine.start: 0}
    rows: list[list[int]] = []
    level: list[Hashable] = [machine.start]
    for _ in range(length):
        following: list[Hashable] = []
        for state in level:
            row = []
            for letter in letters:
                after = machine.step(state, letter)
                if after is not None and after not in number:
                    number[after] = len(number)
                    following.append(after)
                row.append(NOWHERE if after is None else number[after])
            rows.append(row)
        level = following
        if len(number) > MOST_STATES:
            what = f"the specification has more than {MOST_STATES:,} states for words of {length} letters"
            raise CapaxError("too-large", what, hint="audit shorter words: --max-length")
        if not level:
            break
    return number, rows + [[NOWHERE] * len(letters)] * (len(number) - len(rows))


def _number_of(answer: Answer | None, known: dict[tuple[str, Answer], int]) -> int:
    return NOWHERE if answer is None else known[type(answer).__name__, answer]


def of_machine(
    name: str,
    kind: str,
    letters: Sequence[Token],
    machine: Machine,
    answers: Sequence[Answer] | None = None,
    *,
    longest: int = 0,
    definition: str = "",
    answers_of: AnswerFunction | None = None,
) -> Spec:
    """The specification of a machine; `answers_of` is a definition that shares nothing with it, where there is one.

    Answers that are not listed are those of the states that words of up to `longest` letters lead to.
    """
    known = tuple(answers) if answers is not None else _answers(machine, letters, longest)
    states = cache(lambda n: explore(machine, letters, known, n))
    return Spec(
        name,
        kind,
        tuple(letters),
        answers_of or machine.answers_of,
        known,
        states=states,
        definition=definition,
        prefixes=True,
    )


def _answers(machine: Machine, letters: Sequence[Token], longest: int) -> tuple[Answer, ...]:
    """Every answer of a machine on words of up to a length."""
    given = (machine.answer(state) for state in reachable(machine, letters, longest)[0])
    return tuple({(type(answer).__name__, answer): answer for answer in given if answer is not None}.values())
