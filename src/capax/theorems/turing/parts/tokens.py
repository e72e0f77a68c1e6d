"""The tokens of a chain of thought: the word, a mark where it ends, then one token for each step."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from capax.formal.turing.machine import Action, TuringMachine
from capax.formal.turing.probabilistic import ChanceMachine

Machine: TypeAlias = TuringMachine | ChanceMachine


@dataclass(frozen=True)
class ChainTokens:
    """The tokens of a machine: `<s>` before every word, the symbols of words, `<go>`, the actions, `<far>`, `<halt>`.

    An action's token is what it writes, its move and the next state, as in `1,R,carry`. `<halt>` ends a chain and is
    never read. `<far>` is what a decoder generates, again and again, once the head has left the cells that it tells
    apart.
    """

    machine: Machine

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The tokens for the beginning, the end of the word, the halt and the limit: no symbols and no actions."""
        known = {*self.machine.input, *map(str, self.machine.actions)}
        marks: tuple[str, ...] = ("<s>", "<go>", "<halt>", "<far>")
        while known & set(marks):
            marks = tuple(f"<{mark}>" for mark in marks)
        return marks

    @property
    def begin(self) -> str:
        """What stands before every word: its position is 0, and it stands for all blank cells."""
        return self.marks[0]

    @property
    def go(self) -> str:
        """What stands after the word: the machine is in its first state."""
        return self.marks[1]

    @property
    def halt(self) -> str:
        """The token for a step at which no rule applies."""
        return self.marks[2]

    @property
    def far(self) -> str:
        """What a decoder generates when it would have to guess: the head is on a cell beyond its limit."""
        return self.marks[3]

    @cached_property
    def action_tokens(self) -> dict[Action, str]:
        """The token of each action; one that reads like a symbol of words gets a mark."""
        tokens: dict[Action, str] = {}
        for action in self.machine.actions:
            text = str(action)
            while text in self.machine.input or text in tokens.values():
                text += "'"
            tokens[action] = text
        return tokens

    @cached_property
    def read(self) -> tuple[str, ...]:
        """All tokens that are read, in the order of the embedding."""
        return (self.begin, *self.machine.input, self.go, *self.action_tokens.values(), self.far)

    @cached_property
    def written(self) -> tuple[str, ...]:
        """All tokens that are written, in the order of the logits."""
        return (*self.action_tokens.values(), self.far, self.halt)

    @cached_property
    def actions(self) -> dict[str, Action]:
        """The action of each token."""
        return {token: action for action, token in self.action_tokens.items()}

    def prompt(self, word: Sequence[str]) -> list[str]:
        """The tokens that are given: the word and the mark after it."""
        return [*word, self.go]
