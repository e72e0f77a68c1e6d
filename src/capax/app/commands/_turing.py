"""A Turing machine beside its decoder: the machine read, the decoder built, every step compared."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from capax.app.process.output import say
from capax.display import parts
from capax.errors import CapaxError, Source
from capax.formal.turing.machine import TuringMachine
from capax.formal.turing.machines import machine_names, machine_source
from capax.formal.turing.probabilistic import ChanceMachine
from capax.formal.turing.read_machine import AnyMachine, read_machine
from capax.formal.turing.tapes import TapesMachine, apart, run_tapes
from capax.model.model import Model
from capax.theorems.turing.parts.decoder import decoder
from capax.theorems.turing.parts.decoder_limits import limits, most_cells, most_positions
from capax.theorems.turing.parts.follow import AttendedToken, follow, looks
from capax.theorems.turing.parts.hash import hash_decoder, hash_limits
from capax.theorems.turing.parts.tokens import ChainTokens

MOST_TRACED: Final = 1_000
"""Positions at which every weight of every head is looked at, the word included."""
AROUND: Final = 20
"""Cells that a trace shows on each side of the head at most."""


@dataclass(frozen=True, slots=True)
class DecoderOptions:
    """How a decoder is built: its attention, number format, way to find cells, and how many cells it tells apart."""

    attention: str
    dtype: str
    form: str
    cells: int | None
    plain: bool


@dataclass(frozen=True, slots=True)
class ReportedLimits:
    """How far a decoder is right: cells, positions, and whether that holds wherever the head goes.

    One by hashes also has the most positions for any run, beside those of a decoder by positions.
    """

    cells: int
    positions: int
    sure: bool
    any_run: int | None = None
    by_positions: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The limits that there are."""
        return {name: value for name, value in parts(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A token of the decoder, the machine's configuration before it, and what every head looks at."""

    step: int
    state: str
    head: int
    tape: str
    token: str
    looks: tuple[AttendedToken, ...]

    def to_json(self) -> dict[str, Any]:
        """The step as plain data."""
        return parts(self)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first step at which decoder and machine differ, and what each of them does."""

    step: int
    decoder: Any
    machine: Any


@dataclass(frozen=True, slots=True)
class SeveralTapes:
    """What a machine with several tapes does by itself."""

    steps: int
    state: str
    tapes: list[list[str]]


@dataclass(frozen=True, slots=True)
class MachineComparison:
    """A machine and its decoder, step by step, and the machine's configuration at the end."""

    steps: int
    halted: bool
    accepted: bool | None
    state: str
    head: int
    tape: list[str]
    not_blank: int
    seconds: float
    steps_per_second: float
    difference: Difference | None
    several: SeveralTapes | None = None

    @property
    def agrees(self) -> bool:
        """Whether every step is the machine's."""
        return self.difference is None

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        whole = {"agrees": self.agrees} | parts(self)
        return {name: value for name, value in whole.items() if name != "several" or value is not None}


def read(file: str) -> AnyMachine:
    """The machine in a file, or a built-in one by its name."""
    if not Path(file).exists() and not file.endswith(".tm"):
        return read_machine(machine_source(file))
    if not Path(file).exists() and Path(file).stem in machine_names() and Path(file).parent == Path():
        return read_machine(machine_source(Path(file).stem))
    from capax.app.files.text_files import read_text

    return read_machine(Source(file, read_text(Path(file))))


def split(word: str, symbols: Sequence[str]) -> list[str]:
    """The symbols of a word: its characters, or what blanks divide where a symbol has several characters."""
    return list(word) if all(len(symbol) == 1 for symbol in symbols) else word.split()


def check_word(machine: AnyMachine, letters: list[str]) -> None:
    """Refuses a symbol that is not in the machine's input alphabet."""
    known = set(machine.input)
    for position, symbol in enumerate(letters):
        if symbol not in known:
            hint = f"words are made of {' '.join(machine.input[:40])}" if known else "its only word is the empty one"
            what = f"{symbol!r:.40} (position {position}) is not in the machine's input alphabet"
            raise CapaxError("unknown-token", what, hint=hint)


def build(machine: TuringMachine | ChanceMachine, letters: int, steps: int, options: DecoderOptions) -> Model:
    """The decoder, for as many cells and positions as the numbers allow, or as the run needs where that matters.

    The head cannot go further than the number of letters and steps; if that many cells are not to be had, the most
    that can be told apart are taken, and the run watches the head.
    """
    attention, dtype, cells = options.attention, options.dtype, options.cells
    positions = letters + 2 + steps
    if options.form == "hash":
        return hash_decoder(machine, numbers=dtype, cells=cells, positions=positions)
    if attention == "hard" and cells is None and positions <= most_cells(attention, dtype) and not options.plain:
        return decoder(machine, attention=attention, numbers=dtype)
    if cells is None:
        cells = min(positions, most_cells(attention, dtype))
        while cells > 1 and most_positions(attention, dtype, cells) < positions:
            cells -= max(1, cells // 64)
    return decoder(machine, attention=attention, numbers=dtype, cells=cells, positions=positions, table=options.plain)


def limits_of(model: Model, form: str) -> ReportedLimits:
    """The limits of a decoder."""
    record = model.provenance.turing
    assert record is not None, "decoders have one"
    if form == "lookup":
        return ReportedLimits(record.cells, record.positions, record.sure)
    any_run = hash_limits(model.numbers, model.width).positions
    by_positions = limits("hard", model.numbers).positions
    return ReportedLimits(record.cells, record.positions, record.sure, any_run, by_positions)


def compare(
    model: Model, machine: TuringMachine, letters: list[str], steps: int
) -> tuple[MachineComparison, list[str]]:
    """Machine and decoder side by side, and the decoder's tokens."""
    start = time.perf_counter()
    followed = follow(model, machine, letters, steps, tell=lambda taken: say(f"{taken:,} steps agree so far"))
    seconds = time.perf_counter() - start
    run, tokens = followed.run, list(followed.tokens)
    comparison = MachineComparison(
        steps=followed.steps,
        halted=run.halted and followed.agrees,
        accepted=run.accepted if machine.accepting else None,
        state=run.state,
        head=run.cell,
        tape=list(run.word),
        not_blank=run.count(),
        seconds=seconds,
        steps_per_second=len(tokens) / seconds if seconds > 0 else 0.0,
        difference=None if followed.agrees else Difference(len(tokens), tokens[-1], followed.right),
    )
    return comparison, tokens


def compare_tapes(
    machine: TapesMachine, word: list[str], one: MachineComparison
) -> tuple[SeveralTapes, Difference | None]:
    """What the machine with several tapes does by itself, and where its tapes differ from those on the one tape."""
    tapes, state, done, halted = run_tapes(machine, word, one.steps)
    on_one = [_stripped(cells, machine.blank) for cells in apart(machine, one.tape)]
    own = [
        _stripped(
            [tape.get(c, machine.blank) for c in range(min(tape, default=0), max(tape, default=0) + 1)], machine.blank
        )
        for tape in tapes
    ]
    difference = None if halted and on_one == own else Difference(one.steps, on_one, own)
    return SeveralTapes(done, state, own), difference


def _stripped(cells: list[str], blank: str) -> list[str]:
    """Cells without the blanks at both ends."""
    written = [cell for cell, symbol in enumerate(cells) if symbol != blank]
    return cells[written[0] : written[-1] + 1] if written else []


def trace(
    model: Model, machine: TuringMachine | ChanceMachine, letters: list[str], tokens: list[str]
) -> tuple[TraceStep, ...]:
    """A step for each token: tape, head and state before it, and what every head of the decoder looks at."""
    named = ChainTokens(machine)
    traced = tokens[: MOST_TRACED - len(letters)]
    seen = looks(model, [*named.prompt(letters), *traced[:-1]])
    tape, cell, state = dict(enumerate(letters)), 0, machine.start
    steps = []
    for number, token in enumerate(traced, 1):
        window = _window(tape, cell, machine.blank)
        steps.append(TraceStep(number, state, cell, window, token, tuple(seen[len(letters) + number])))
        action = named.actions.get(token)
        if action is not None:
            tape[cell] = action.write
            cell, state = cell + action.move, action.state
    return tuple(steps)


def _window(tape: dict[int, str], cell: int, blank: str) -> str:
    """The cells around the head, which is in brackets, or in round ones where symbols are brackets."""
    low, high = min([*tape, cell]), max([*tape, cell])
    left, right = max(low, cell - AROUND), min(high, cell + AROUND)
    gap = " " if any(len(symbol) > 1 for symbol in tape.values()) else ""
    before, after = "()" if {"[", "]"} & set(tape.values()) else "[]"
    cells = [tape.get(c, blank) for c in range(left, right + 1)]
    cells[cell - left] = f"{before}{cells[cell - left]}{after}"
    return ("..." if left > low else "") + gap.join(cells) + ("..." if right < high else "")
