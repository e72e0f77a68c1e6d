"""Machines with several tapes, and the machine with one tape that does the same.

The reduction. The cells of the k tapes lie on one tape in turn, between the marks `[` and `]`: block b holds cell b of
each tape, so k cells. A cell under a head has its symbol marked with a `'`. For each step the machine goes from `[` to
`]` and remembers the marked symbols; at `]` it knows what to do; then it goes back and, for each tape, writes at the
mark and moves the mark by one block. It halts as soon as no rule fits what it has read. Where a block is missing at an
end, one of blanks is added. So a step on a stretch of B blocks costs at most a small constant times (k + 1) k (B + 1)
steps, and T steps cost O(T^2) in all.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, TypeAlias

from capax.errors import CapaxError
from capax.formal.turing.machine import Action, RuleKey, TuringMachine

LEFT_END: Final = "["
RIGHT_END: Final = "]"
MARK: Final = "'"
MOST_STATES: Final = 5_000

Reads: TypeAlias = tuple[str | None, ...]
Todo: TypeAlias = tuple[tuple[str, int] | None, ...]
"""What is still to be written and moved on each tape."""


@dataclass(frozen=True, slots=True)
class TapesAction:
    """What a machine does in one step: a symbol and a move for each tape, and the next state."""

    write: tuple[str, ...]
    moves: tuple[int, ...]
    state: str


@dataclass(frozen=True)
class TapesMachine:
    """A machine with several tapes: `rules[state, symbols]` is what it does; the word stands on the first tape."""

    tapes: int
    blank: str
    start: str
    rules: Mapping[tuple[str, tuple[str, ...]], TapesAction]
    input: tuple[str, ...]
    accepting: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        used = {s for (_, read), action in self.rules.items() for s in (*read, *action.write)} | {*self.input}
        odd = [s for s in sorted(used) if s in (LEFT_END, RIGHT_END) or s.endswith(MARK)]
        if odd:
            raise CapaxError(
                "bad-machine",
                f"the symbol {odd[0]!r:.40} cannot stand on several tapes",
                hint="[, ] and symbols that end in ' are used to put the tapes on one",
            )

    @cached_property
    def beginnings(self) -> frozenset[tuple[str, Reads]]:
        """The states, each with what some of its heads may read (None for others) such that a rule is left."""
        return frozenset(
            (state, tuple(symbol if seen else None for symbol, seen in zip(read, which, strict=True)))
            for state, read in self.rules
            for which in product((False, True), repeat=self.tapes)
        )


def run_tapes(machine: TapesMachine, word: Sequence[str], most: int) -> tuple[list[dict[int, str]], str, int, bool]:
    """The tapes, the state and the number of steps when a machine halts or after `most`, and whether it halted."""
    tapes: list[dict[int, str]] = [dict(enumerate(word)), *({} for _ in range(machine.tapes - 1))]
    cells, state, done = [0] * machine.tapes, machine.start, 0
    while True:
        read = tuple(tape.get(cell, machine.blank) for tape, cell in zip(tapes, cells, strict=True))
        action = machine.rules.get((state, read))
        if action is None or done == most:
            return tapes, state, done, action is None
        for tape, cell, symbol in zip(tapes, cells, action.write, strict=True):
            tape[cell] = symbol
        cells = [cell + move for cell, move in zip(cells, action.moves, strict=True)]
        state, done = action.state, done + 1


def on_one_tape(machine: TapesMachine) -> TuringMachine:
    """The machine with one tape; its words are those of `interleaved`. Only states that can be met are made."""
    symbols = {machine.blank, *machine.input}
    for (_, read), action in machine.rules.items():
        symbols |= {*read, *action.write}
    plain = sorted(symbols)
    letters = (LEFT_END, RIGHT_END, *plain, *(symbol + MARK for symbol in plain))
    first = _Read(machine.start, (None,) * machine.tapes, 0)
    rules: dict[RuleKey, Action] = {}
    queue: deque[_Control] = deque([first])
    known: set[_Control] = {first}
    while queue:
        control = queue.popleft()
        for letter in (*letters, _OUTSIDE):
            # Outside the ends only a block that is being added is met.
            step = control.step(machine, letter) if letter != _OUTSIDE or isinstance(control, _Grow) else None
            if step is None:
                continue
            write, move, after = step
            rules[str(control), letter] = Action(write, move, str(after))
            if after not in known:
                known.add(after)
                queue.append(after)
        if len(known) > MOST_STATES:
            raise CapaxError(
                "too-large",
                f"on one tape the machine would have more than {MOST_STATES:,} states",
                hint="take fewer tapes, symbols or rules",
            )
    accepting = frozenset(str(c) for c in known if isinstance(c, _Read) and c.state in machine.accepting)
    blank = "~"
    while blank in letters:
        blank += "~"
    return TuringMachine(blank, str(first), _with_blank(rules, blank), letters, accepting)


def _with_blank(rules: dict[RuleKey, Action], blank: str) -> dict[RuleKey, Action]:
    """The rules in which the cells outside the two ends are read: where a block is added."""
    return {(state, blank if letter == _OUTSIDE else letter): action for (state, letter), action in rules.items()}


_OUTSIDE: Final = "\0"


def interleaved(machine: TapesMachine, word: Sequence[str]) -> tuple[str, ...]:
    """The word that the machine with one tape gets for a word of the machine with several."""
    cells = [LEFT_END]
    for block in range(max(1, len(word))):
        for tape in range(machine.tapes):
            symbol = word[block] if tape == 0 and block < len(word) else machine.blank
            cells.append(symbol + MARK * (block == 0))
    return (*cells, RIGHT_END)


def apart(machine: TapesMachine, word: Sequence[str]) -> list[list[str]]:
    """The tapes, without marks, from what stands on the one tape between the ends."""
    cells = [symbol.removesuffix(MARK) for symbol in word if symbol not in (LEFT_END, RIGHT_END)]
    return [cells[tape :: machine.tapes] for tape in range(machine.tapes)]


_Step: TypeAlias = "tuple[str, int, _Control] | None"


@dataclass(frozen=True, slots=True)
class _Read:
    """Going right, and remembering the marked symbols; `tape` is that of the next cell."""

    state: str
    seen: Reads
    tape: int

    def step(self, machine: TapesMachine, letter: str) -> _Step:
        """What is done at a letter."""
        if letter == LEFT_END:
            return letter, 1, _Read(self.state, (None,) * machine.tapes, 0)
        if letter == RIGHT_END:
            seen = tuple(symbol for symbol in self.seen if symbol is not None)
            action = machine.rules.get((self.state, seen))
            if action is None:
                return None
            todo: Todo = tuple(zip(action.write, action.moves, strict=True))
            return letter, -1, _Write(action.state, todo, machine.tapes - 1)
        seen_now = self.seen
        if letter.endswith(MARK):
            if self.seen[self.tape] is not None:
                return None
            seen_now = _put(self.seen, self.tape, letter.removesuffix(MARK))
            if (self.state, seen_now) not in machine.beginnings:
                return None  # whatever the other heads read, there is no rule
        return letter, 1, _Read(self.state, seen_now, (self.tape + 1) % machine.tapes)

    def __str__(self) -> str:
        seen = ",".join("?" if symbol is None else symbol for symbol in self.seen)
        return f"{self.state}:read({seen})@{self.tape}"


@dataclass(frozen=True, slots=True)
class _Write:
    """Going left, and doing at each mark what is to be done there."""

    state: str
    todo: Todo
    tape: int

    def step(self, machine: TapesMachine, letter: str) -> _Step:
        """What is done at a letter."""
        if letter == LEFT_END:
            return None if any(self.todo) else (letter, 1, _Read(self.state, (None,) * machine.tapes, 0))
        if letter == RIGHT_END:
            return letter, -1, _Write(self.state, self.todo, machine.tapes - 1)
        here = self.todo[self.tape]
        before = (self.tape - 1) % machine.tapes
        if not letter.endswith(MARK) or here is None:
            return letter, -1, _Write(self.state, self.todo, before)
        symbol, move = here
        rest = _put(self.todo, self.tape, None)
        if move == 0:
            return symbol + MARK, -1, _Write(self.state, rest, before)
        return symbol, move, _Carry(self.state, rest, self.tape, move, machine.tapes - 1)

    def __str__(self) -> str:
        return f"{self.state}:write({_told(self.todo)})@{self.tape}"


@dataclass(frozen=True, slots=True)
class _Carry:
    """Bringing a tape's mark to the next block, `far` cells from here."""

    state: str
    todo: Todo
    tape: int
    move: int
    far: int

    def step(self, machine: TapesMachine, letter: str) -> _Step:
        """What is done at a letter."""
        if letter in (LEFT_END, RIGHT_END):
            at = 0 if self.move > 0 else machine.tapes - 1
            return _Grow(self.state, self.todo, self.tape, self.move, at).put(machine)
        if self.far:
            return letter, self.move, _Carry(self.state, self.todo, self.tape, self.move, self.far - 1)
        if letter.endswith(MARK):
            return None
        return letter + MARK, 1, _Return(self.state, self.todo)

    def __str__(self) -> str:
        return f"{self.state}:carry({_told(self.todo)}){self.tape}{'LSR'[self.move + 1]}{self.far}"


@dataclass(frozen=True, slots=True)
class _Grow:
    """Adding a block of blanks at an end, with a mark on one tape; `at` is the tape of the cell to fill."""

    state: str
    todo: Todo
    tape: int
    move: int
    at: int

    def put(self, machine: TapesMachine) -> _Step:
        """What is written here, whatever stands here."""
        if not 0 <= self.at < machine.tapes:
            return (
                (RIGHT_END if self.move > 0 else LEFT_END),
                1 if self.move < 0 else -1,
                _Return(self.state, self.todo),
            )
        symbol = machine.blank + MARK * (self.at == self.tape)
        return symbol, self.move, _Grow(self.state, self.todo, self.tape, self.move, self.at + self.move)

    def step(self, machine: TapesMachine, letter: str) -> _Step:
        """What is done outside the ends; nothing else is met here."""
        return self.put(machine) if letter == _OUTSIDE else None

    def __str__(self) -> str:
        return f"{self.state}:grow({_told(self.todo)}){self.tape}{'LSR'[self.move + 1]}{self.at}"


@dataclass(frozen=True, slots=True)
class _Return:
    """Going to the right end, to go through the marks once more; or to the left one, if nothing is left to do."""

    state: str
    todo: Todo

    def step(self, machine: TapesMachine, letter: str) -> _Step:
        """What is done at a letter."""
        if any(self.todo):
            return (
                (letter, -1, _Write(self.state, self.todo, machine.tapes - 1))
                if letter == RIGHT_END
                else (letter, 1, self)
            )
        if letter == LEFT_END:
            return letter, 1, _Read(self.state, (None,) * machine.tapes, 0)
        return letter, -1, self

    def __str__(self) -> str:
        return f"{self.state}:return({_told(self.todo)})"


_Control: TypeAlias = _Read | _Write | _Carry | _Grow | _Return


def _put(entries: tuple, at: int, value: object) -> tuple:  # type: ignore[type-arg]
    return (*entries[:at], value, *entries[at + 1 :])


def _told(todo: Todo) -> str:
    return ";".join("." if entry is None else f"{entry[0]}{'LSR'[entry[1] + 1]}" for entry in todo)
