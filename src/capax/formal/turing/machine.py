"""Deterministic Turing machines with one tape that is endless on both sides, and what they do step by step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from capax.errors import CapaxError

MOVES: Final = {"L": -1, "S": 0, "R": 1}
"""The moves of the head, by their letters."""
LETTERS: Final = {move: letter for letter, move in MOVES.items()}

RuleKey: TypeAlias = tuple[str, str]
"""A state and the symbol that is read in it."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a machine does in one step: it writes a symbol, moves the head by -1, 0 or 1 cells and enters a state."""

    write: str
    move: int
    state: str

    def __str__(self) -> str:
        return f"{self.write},{LETTERS[self.move]},{self.state}"


class OneTape:
    """What machines with one tape have in common, whether their steps are certain or taken by chance."""

    blank: str
    start: str
    input: tuple[str, ...]

    def possible(self) -> Iterator[tuple[RuleKey, Action]]:
        """Each action that a rule allows, with the state and symbol of the rule, in the order of the rules."""
        raise NotImplementedError

    @cached_property
    def states(self) -> tuple[str, ...]:
        """All states, the first one first, then in the order of the rules."""
        rules = (name for (state, _), action in self.possible() for name in (state, action.state))
        return tuple(dict.fromkeys([self.start, *rules]))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """All symbols of the tape: the blank, those of words, then in the order of the rules."""
        rules = (name for (_, symbol), action in self.possible() for name in (symbol, action.write))
        return tuple(dict.fromkeys([self.blank, *self.input, *rules]))

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The different actions, in the order of the rules."""
        return tuple(dict.fromkeys(action for _, action in self.possible()))


@dataclass(frozen=True)
class TuringMachine(OneTape):
    """A machine: `rules[state, symbol]` is what it does; where there is no rule it halts.

    The word stands on the cells 0, 1, ..., the head on cell 0, and all other cells hold the blank. A machine that halts
    in one of the states `accepting` accepts. `input` are the symbols of which words are made.

    >>> rules = {("go", "0"): Action("1", 1, "go"), ("go", "1"): Action("0", 1, "go")}
    >>> flip = TuringMachine("_", "go", rules, ("0", "1"))
    >>> run(flip, "0110", 100).word
    ('1', '0', '0', '1')
    """

    blank: str
    start: str
    rules: Mapping[RuleKey, Action]
    input: tuple[str, ...]
    accepting: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        _require(bool(self.rules), "there is no rule", "write rules such as `go 0 -> 1 R go`")
        _require(len(set(self.input)) == len(self.input), "a symbol stands twice in the input alphabet")
        _require(
            self.blank not in self.input, f"the blank {self.blank!r:.40} is a symbol of words", "take another blank"
        )
        for action in self.rules.values():
            _require(action.move in LETTERS, f"a move is {action.move}, and not -1, 0 or 1")
        lost = self.accepting - set(self.states)
        _require(not lost, f"the accepting state {min(lost, default='')!r:.40} is in no rule")

    def possible(self) -> Iterator[tuple[RuleKey, Action]]:
        """The rules."""
        return iter(self.rules.items())

    def read(self, word: Sequence[str]) -> tuple[str, ...]:
        """The symbols of a word; one that words are not made of is an error."""
        for position, symbol in enumerate(word):
            if symbol not in self.input:
                raise CapaxError(
                    "unknown-token",
                    f"the symbol {symbol!r:.40} at position {position} is not an input symbol of the machine",
                    hint=f"words are made of {' '.join(self.input[:40])}" if self.input else "its only word is empty",
                )
        return tuple(word)


@dataclass(frozen=True, slots=True)
class TuringStep:
    """One step: the state and the head's cell before it, the symbol read there, and what was done."""

    state: str
    cell: int
    read: str
    action: Action


def steps(machine: TuringMachine, word: Sequence[str]) -> Iterator[TuringStep]:
    """The steps of a machine on a word, one after the other; they end when it halts."""
    tape = dict(enumerate(machine.read(word)))
    state, cell, blank, rules = machine.start, 0, machine.blank, machine.rules
    while (action := rules.get((state, symbol := tape.get(cell, blank)))) is not None:
        yield TuringStep(state, cell, symbol, action)
        tape[cell] = action.write
        cell += action.move
        state = action.state


@dataclass(frozen=True, slots=True)
class TuringRun:
    """Where a machine stands after some steps: the cells that were written or held the word, the head, the state."""

    machine: TuringMachine
    tape: Mapping[int, str]
    cell: int
    state: str
    steps: int
    halted: bool

    @property
    def accepted(self) -> bool:
        """Whether the machine halted in an accepting state."""
        return self.halted and self.state in self.machine.accepting

    @property
    def word(self) -> tuple[str, ...]:
        """The symbols from the first to the last cell that is not blank."""
        blank = self.machine.blank
        written = [cell for cell, symbol in self.tape.items() if symbol != blank]
        return tuple(self.tape.get(cell, blank) for cell in range(min(written), max(written) + 1)) if written else ()

    def count(self) -> int:
        """The number of cells that are not blank, which is what busy beavers are counted by."""
        return sum(symbol != self.machine.blank for symbol in self.tape.values())


def run(machine: TuringMachine, word: Sequence[str], most: int) -> TuringRun:
    """Where a machine stands when it halts, or after its last step."""
    tape = dict(enumerate(machine.read(word)))
    state, cell, done = machine.start, 0, 0
    blank, rules = machine.blank, machine.rules
    while (action := rules.get((state, tape.get(cell, blank)))) is not None:
        if done == most:
            return TuringRun(machine, tape, cell, state, done, False)
        tape[cell] = action.write
        cell += action.move
        state = action.state
        done += 1
    return TuringRun(machine, tape, cell, state, done, True)


def from_table(table: str, *, blank: str = "0") -> TuringMachine:
    """A machine in the form of busy beavers: `1RB1LB_1LA1RH`, a group for each of the states A, B, ...

    A group has a triple for each of the symbols 0, 1, ...: what to write, where to move, which state is next; `---` is
    no rule. A state that has no group halts. Its only word is the empty one.
    """
    rules: dict[RuleKey, Action] = {}
    for state, group in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", table.split("_"), strict=False):
        for symbol in range(len(group) // 3):
            triple = group[3 * symbol : 3 * symbol + 3]
            if triple == "---":
                continue
            well_formed = len(group) % 3 == 0 and triple[1] in "LR" and triple[0].isdigit()
            _require(well_formed, f"{triple!r:.40} is not a triple")
            rules[state, str(symbol)] = Action(triple[0], MOVES[triple[1]], triple[2])
    return TuringMachine(blank, "A", rules, ())


def _require(right: bool, what: str, hint: str = "a rule is: state, symbol -> symbol, move, state") -> None:
    if not right:
        raise CapaxError("bad-machine", what, hint=hint)


def random_machine(states: int, symbols: int, seed: int, *, halting: float = 0.05) -> TuringMachine:
    """A machine with that many states and symbols; each rule is missing with probability `halting`, but the first."""
    random = np.random.default_rng(seed)
    names = [f"q{number}" for number in range(states)]
    letters = ["_", *(str(number) for number in range(symbols - 1))]
    rules: dict[RuleKey, Action] = {}
    for state in names:
        for letter in letters:
            if not rules or random.random() >= halting:
                rules[state, letter] = random_action(random, names, letters)
    return TuringMachine("_", "q0", rules, tuple(letters[1:]))


def random_action(random: np.random.Generator, names: list[str], letters: list[str]) -> Action:
    """A random action among those of some states and symbols."""
    return Action(str(random.choice(letters)), int(random.integers(-1, 2)), str(random.choice(names)))
