"""A machine's next step as a causal program: what a chain of thought goes on with, for compiling with a certificate.

The tokens of the chain say where the head is: `1,R,carry@3` writes 1, moves right, goes to the state carry, and leaves
the head on cell 3. So one attention layer is enough: the last earlier token that wrote to the head's cell has its
symbol. A letter at position i stands on cell i, and a cell that nobody wrote holds the blank.

On the cells -C, ..., C the program follows the machine; the token `<far>` stands for a step that leaves them, and
`<halt>` for a step at which no rule applies. Both follow themselves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from capax.formal.turing.machine import Action, TuringMachine
from capax.rasp.ir.types import Atom
from capax.rasp.python.embed import aggregate, best, indices, select, tokens, where
from capax.rasp.python.program import SOp
from capax.theorems.turing.parts.tokens import ChainTokens

CELLS: Final = 16
"""Cells on each side, where it is not said how many."""


@dataclass(frozen=True)
class StepTokens:
    """The tokens of a machine's chain, each step with the cell of the head after it."""

    machine: TuringMachine
    cells: int = CELLS

    @cached_property
    def named(self) -> ChainTokens:
        """The tokens without cells."""
        return ChainTokens(self.machine)

    @cached_property
    def steps(self) -> Mapping[str, tuple[Action, int]]:
        """The action of each token of a step, and the head's cell after it."""
        cells = range(-self.cells, self.cells + 1)
        return {f"{text}@{c}": (action, c) for action, text in self.named.action_tokens.items() for c in cells}

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """All tokens: letters, the mark after the word, steps, and the two that end a chain."""
        return (*self.machine.input, self.named.go, *self.steps, self.named.far, self.named.halt)

    def after(self, token: str, symbol: str) -> str:
        """The token that follows one, if the head is on a symbol."""
        place = self.place(token)
        if place is None:
            return self.named.far if token == self.named.far else self.named.halt
        state, cell = place
        action = self.machine.rules.get((state, symbol))
        if action is None:
            return self.named.halt
        cell += action.move
        return f"{self.named.action_tokens[action]}@{cell}" if abs(cell) <= self.cells else self.named.far

    def place(self, token: str) -> tuple[str, int] | None:
        """The state and the cell of the head after a token; None for letters and the end of a chain."""
        if token == self.named.go:
            return self.machine.start, 0
        if token not in self.steps:
            return None
        action, cell = self.steps[token]
        return action.state, cell


def step_program(machine: TuringMachine, *, cells: int = CELLS, longest: int = 256) -> SOp:
    """The program that gives the next token of a machine's chain, for words of up to `longest` tokens.

    >>> from capax.theorems.turing.parts.examples import machine_of
    >>> next_step = step_program(machine_of("increment", 1, 2, 0), cells=4)
    >>> next_step(["1", "1", "<go>"])[-1]
    '1,R,right@1'
    """
    known, away = StepTokens(machine, cells), cells + 2
    number = {symbol: n for n, symbol in enumerate(machine.symbols)}

    def each(value: Callable[[str], Atom]) -> SOp:
        return tokens.map({token: value(token) for token in known.alphabet})

    def head(token: str) -> int:
        place = known.place(token)
        return -away if place is None else place[1]

    def written(token: str) -> int:
        action, cell = known.steps.get(token, (None, away))
        before = away if action is None else cell - action.move
        return before if abs(before) <= cells else away

    def symbol_of(token: str) -> str:
        if token in known.steps:
            return known.steps[token][0].write
        return token if token in machine.input else machine.blank

    places = {token: known.place(token) or (token == known.named.far,) for token in known.alphabet}
    order = {place: n for n, place in enumerate(dict.fromkeys(places.values()))}
    letters = indices.map({i: i if i <= cells else away for i in range(longest)})
    cell = where(each(lambda token: token in machine.input), letters, each(written))
    earlier = select(cell, each(head), "==") & select(indices, indices, "<=")
    read = aggregate(best(earlier, indices), each(lambda token: number[symbol_of(token)]), number[machine.blank])
    first = {token: len(number) * order[place] for token, place in places.items()}
    following = {first[token] + n: known.after(token, symbol) for token in first for symbol, n in number.items()}
    return (each(first.__getitem__) + read).map(following)
