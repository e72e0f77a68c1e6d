"""What a model is audited against: for each word, the right answers, as data that any room can make.

A specification that is given by states (an automaton, or counters, at each length) lets the audit reason about all
words of a class at once. One that is given by a function is tried word by word.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from capax.model.parts import Array
from capax.model.vocabulary import Token, token_key

Answer: TypeAlias = Token | frozenset[Token]
"""A right answer: one value, or the set of tokens with a positive logit where a model says yes or no to each."""

Word: TypeAlias = tuple[Token, ...]
AnswerFunction: TypeAlias = Callable[[Sequence[Word]], list[list[Answer | None]]]
"""From words to one answer for each position; None where the specification makes no statement."""

NOWHERE: Final = -1
"""In place of a state: no word that the specification is about goes on so. In place of an answer: no statement."""


@dataclass(frozen=True, slots=True, eq=False)
class SpecStates:
    """The states of the words up to one length: `step` (states, letters) is the next state, or -1 where words end.

    `answer` (states,) is the number of the right answer after a word that leads to a state, or -1 for no statement.
    """

    step: Array
    start: int
    answer: Array

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.step)

    def after(self, word: Sequence[int]) -> int:
        """The state after the letters of a word, by their numbers; -1 where no word goes on so."""
        state = self.start
        for letter in word:
            state = int(self.step[state, letter])
            if state == NOWHERE:
                break
        return state

    def live(self, length: int) -> Array:
        """Which states (length + 1, states) lie on a path of `length` letters from the start to one with an answer."""
        ahead = np.zeros((length + 1, self.size), bool)
        ahead[0, self.start] = True
        for n in range(length):
            after = self.step[ahead[n]]
            ahead[n + 1, after[after != NOWHERE]] = True
        back = ahead.copy()
        back[length] &= self.answer != NOWHERE
        for n in range(length - 1, -1, -1):
            reach = np.where(self.step != NOWHERE, back[n + 1][self.step], False).any(axis=1)
            back[n] &= reach
        return back

    def count(self, length: int) -> int:
        """How many words of a length the specification has an answer for."""
        ways = {self.start: 1}
        for _ in range(length):
            after: dict[int, int] = {}
            for state, many in ways.items():
                for target in self.step[state].tolist():
                    if target != NOWHERE:
                        after[target] = after.get(target, 0) + many
            ways = after
        return sum(many for state, many in ways.items() if self.answer[state] != NOWHERE)


@dataclass(frozen=True, eq=False)
class Spec:
    """A specification: the letters of its words, its answers, and the right ones for each word.

    `answers_of(words)` gives the answers position by position. `answers` are all that there can be, or None where they
    are not known beforehand. `states(n)`, if there is one, gives states for words of up to n letters whose answers are
    numbers in `answers`: the answer after a prefix is then a function of its state. `definition` is what a witness
    needs to name the specification again; `prefixes` says that an answer depends on the letters up to its position.
    `every(n)`, if there is one, gives all words of size n where these are not all words over the letters. `each` says
    that the answers at all positions are meant, and not that at the last letter alone.
    `longest`, if it is not None, is the length of the longest words that there are answers for.
    """

    name: str
    kind: str
    letters: tuple[Token, ...]
    answers_of: AnswerFunction
    answers: tuple[Answer, ...] | None = None
    states: Callable[[int], SpecStates] | None = None
    definition: str = ""
    prefixes: bool = False
    every: Callable[[int], Iterable[Word]] | None = None
    longest: int | None = None
    each: bool = False

    @cached_property
    def number(self) -> dict[Token, int]:
        """The number of each letter."""
        return {letter: k for k, letter in enumerate(self.letters)}


def by_text(letters: Iterable[Token], tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Letters as the tokens they are written like: 1 for "1" where a model has the number alone, and "1" for 1."""
    known, written = {token_key(t) for t in tokens}, {str(t): t for t in tokens if not isinstance(t, bool)}
    return tuple(written.get(str(x), x) if token_key(x) not in known else x for x in letters)


def in_tokens(spec: Spec, tokens: Sequence[Token]) -> Spec:
    """A specification over a model's tokens: those of its letters that are numbers, or texts, there are so in it."""
    letters = by_text(spec.letters, tokens)
    if all(token_key(a) == token_key(b) for a, b in zip(letters, spec.letters, strict=True)):
        return spec
    to = {token_key(a): b for a, b in zip(spec.letters, letters, strict=True)}
    back = {token_key(b): a for a, b in zip(spec.letters, letters, strict=True)}

    def answer(one: Answer) -> Answer:
        return (
            frozenset(to.get(token_key(x), x) for x in one)
            if isinstance(one, frozenset)
            else to.get(token_key(one), one)
        )

    def answers_of(words: Sequence[Word]) -> list[list[Answer | None]]:
        rows = spec.answers_of([tuple(back.get(token_key(x), x) for x in word) for word in words])
        return [[None if one is None else answer(one) for one in row] for row in rows]

    every = spec.every
    return replace(
        spec,
        letters=letters,
        answers_of=answers_of,
        answers=None if spec.answers is None else tuple(map(answer, spec.answers)),
        every=None if every is None else lambda n: (tuple(to.get(token_key(x), x) for x in w) for w in every(n)),
    )
