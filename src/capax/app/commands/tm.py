"""`capax tm`: a Turing machine and its decoder, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, check_output, choice, count
from capax.app.process.output import say
from capax.display import Card, parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.app.commands._turing import MachineComparison, ReportedLimits, TraceStep
    from capax.model.size import Size
    from capax.theorems.turing.parts.probabilistic import SampledChain

GROUP: Final = ("Languages and machines", 2)
MOST_LETTERS: Final = 500
"""Letters of a word that is traced, so that there are steps to show."""
MANY: Final = 100
"""Steps from which on a speed means something."""
SHOWN: Final = 200
"""Tokens of a random chain that are printed."""
WIDE: Final = 100
"""Characters of a tape that are printed."""
FORMS: Final = {"lookup": "by positions", "hash": "by layer-norm hashes, without positions"}


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A machine in a .tm file, or a built-in name.")],
    word: Annotated[str, typer.Argument(metavar="[INPUT]", help="The word on the tape.", show_default=False)] = "",
    steps: Annotated[int, typer.Option("--steps", metavar="N", help="The maximum number of steps.")] = 1000,
    attention: Annotated[
        str | None,
        choice(
            "--attention",
            choices=("hard", "softmax"),
            help="How scores become weights.",
            show_default="hard, softmax with --plain",
        ),
    ] = None,
    dtype: Annotated[str, choice("--dtype", choices=("float64", "float32"), help="The number system.")] = "float64",
    form: Annotated[
        str, choice("--form", choices=("lookup", "hash"), help="By positions, or by layer norms without positions.")
    ] = "lookup",
    cells: Annotated[
        int | None, typer.Option("--cells", metavar="N", help="Cells on each side that the decoder tells apart.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Softmax and a table of positions, as exports to other tools need.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show every step, and what each head looks at.")] = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="MODEL", help="Write the decoder to a .safetensors file.")
    ] = None,
    rasp: Annotated[
        str | None,
        typer.Option("--rasp", metavar="FILE", help="Write the next step as a program, for `capax compile --causal`."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed for probabilistic machines.")] = 0,
    as_json: Json = False,
) -> None:
    """Run a Turing machine and its decoder side by side, and compare every step. Exit code 1 if a step differs.

    Built-in machines: bb1 to bb5 (busy beavers), bouncer, copy, increment, palindrome, reverse2, tag, walk.

    Example: capax tm increment 1011 --trace
    """
    result = tm(
        file, word, steps,
        attention=attention, dtype=dtype, form=form, cells=cells, plain=plain, trace=trace, output=output, seed=seed,
    )  # fmt: skip
    finish(result, as_json=as_json)
    if not as_json:
        if result.chain is None and result.comparison is not None and result.comparison.steps >= MANY:
            say(f"{result.comparison.steps_per_second:,.0f} steps per second")
        if output is not None:
            say(f"{result.size}\nwritten to {output}")
        if rasp is not None:
            say(_write_steps(file, cells, rasp))
    if not result.agrees:
        raise typer.Exit(1)


def _write_steps(file: str, cells: int | None, target: str) -> str:
    """Writes the program of a machine's next step; the answer says how it is compiled."""
    from capax.app.commands import _turing as turing
    from capax.app.files.text_files import write_text
    from capax.formal.turing.machine import TuringMachine
    from capax.theorems.turing.parts.step_program import CELLS, StepTokens, step_program

    machine = turing.read(file)
    if not isinstance(machine, TuringMachine):
        hint = "take a machine with one tape and one rule for each state and symbol"
        raise CapaxError("bad-option", "--rasp is for deterministic machines with one tape", hint=hint)
    count = CELLS if cells is None else cells
    write_text(Path(target), step_program(machine, cells=count).named("next_step").to_text())
    letters = " ".join(StepTokens(machine, count).alphabet)
    return f"capax compile {target}:next_step --as words --alphabet '{letters}' --max-length 256 --causal"


@dataclass(frozen=True, slots=True)
class MachineRun(Card):
    """A machine, its decoder, and what both do on a word: step by step, or a random chain of a probabilistic one."""

    machine: str
    word: list[str]
    states: int
    halting_states: int
    symbols: int
    tapes: int
    size: "Size"
    limits: "ReportedLimits"
    numbers: str
    attention: str
    form: str
    file: str | None
    seed: int
    comparison: "MachineComparison | None" = None
    chain: "SampledChain | None" = None
    trace: "tuple[TraceStep, ...] | None" = None

    @property
    def agrees(self) -> bool:
        """Whether the decoder does what the machine does."""
        run = self.comparison or self.chain
        assert run is not None
        return run.agrees

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        whole = parts(self, "machine", "word", "states", "halting_states", "symbols", "tapes")
        whole |= {"decoder": self.size.to_json()} | parts(self, "limits", "numbers", "attention", "form", "file")
        if self.trace is not None:
            whole |= parts(self, "trace")
        if self.comparison is not None:
            return whole | self.comparison.to_json()
        assert self.chain is not None
        chain = parts(self.chain, "steps", "halted", "tokens", "probability")
        return whole | {
            "agrees": self.chain.agrees,
            "seed": self.seed,
            **chain,
            "largest_difference": self.chain.difference,
        }

    def render(self) -> str:
        """The machine, how the decoder compares, the decoder, and the trace if there is one."""
        found = self._chain(self.chain) if self.chain is not None else []
        found += _comparison(self.comparison) if self.comparison is not None else []
        lines = [self._machine(), *found, self._decoder()]
        run = self.comparison or self.chain
        assert run is not None
        if self.trace is not None:
            lines += ["", *_trace_lines(self.trace)]
            left = run.steps + run.halted - len(self.trace)
            lines += ["", f"... and {left:,} more, which are not shown"] if left > 0 else []
        return "\n".join(lines)

    def _machine(self) -> str:
        ends = self.halting_states
        states = count(self.states - ends, "state") + (f" and {ends} to halt in" if ends else "")
        tapes = "" if self.tapes == 1 else f", made from one with {self.tapes} tapes"
        return f"{self.machine}: {states}, {count(self.symbols, 'symbol')}{tapes}"

    def _decoder(self) -> str:
        """The kind of decoder and its limits: wherever the head goes, or while it stays within cells."""
        limits = self.limits
        within = f"while the head stays within {count(limits.cells, 'cell')} on each side"
        layers = count(self.size.attention_layers, "attention layer")
        text = (
            f"decoder: {layers}, {FORMS[self.form]}, {self.attention} attention, {self.numbers}\n"
            f"right for {limits.positions:,} positions, {'wherever the head goes' if limits.sure else within}"
        )
        if limits.any_run is None:
            return text
        return (
            f"{text}; hashes are right for {limits.any_run:,} positions wherever the head goes, positions for "
            f"{limits.by_positions:,}"
        )

    def _chain(self, chain: "SampledChain") -> list[str]:
        equal = "is that of the machine" if chain.agrees else "is NOT that of the machine"
        tokens = " ".join(chain.tokens[:SHOWN]) + (" ..." if len(chain.tokens) > SHOWN else "")
        summary = (
            f"{count(chain.steps, 'step')} drawn with seed {self.seed}; the distribution at every step {equal} "
            f"(largest difference {chain.difference:.2g}); this chain has probability {chain.probability:.3g}"
        )
        return [summary] if self.trace is not None else [summary, "", tokens, ""]


def _comparison(run: "MachineComparison") -> list[str]:
    if run.difference is not None:
        wrong = run.difference
        return [f"step {wrong.step:,} differs: the machine does {wrong.machine}, the decoder {wrong.decoder}"]
    end = "and halt" if run.halted else "and go on"
    lines = [f"machine and decoder agree on {count(run.steps, 'step')} {end} in state {run.state}"]
    verdict = {None: "", True: "accepted; ", False: "not accepted; "}[run.accepted if run.halted else None]
    cells = f"{count(run.not_blank, 'cell')} {'is' if run.not_blank == 1 else 'are'} not blank"
    lines.append(f"{verdict}{cells}{': ' if run.tape else ''}{_tape(run.tape)}")
    if run.several is not None:
        lines.append(f"the machine with {len(run.several.tapes)} tapes takes {count(run.several.steps, 'step')}:")
        lines += [f"  tape {at}: {_tape(tape) or 'blank'}" for at, tape in enumerate(run.several.tapes, 1)]
    return lines


def _trace_lines(trace: "tuple[TraceStep, ...]") -> list[str]:
    """The trace as columns, below the names of the heads."""
    rows = [("step", "state", "tape", "token", "looks at")]
    for step in trace:
        seen = ["all" if look.position is None else f"{look.token} @{look.position}" for look in step.looks]
        rows.append((str(step.step), step.state, step.tape, step.token, " | ".join(seen)))
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    heads = "heads: " + " | ".join(look.head for look in trace[0].looks)
    table = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]]) for row in rows
    ]
    return [heads, "", *table]


def _tape(symbols: Sequence[str]) -> str:
    text = "".join(symbols) if all(len(symbol) == 1 for symbol in symbols) else " ".join(symbols)
    return text if len(text) <= WIDE else f"{text[: WIDE - 3]}..."


def tm(
    file: str,
    word: str,
    steps: int,
    *,
    attention: str | None = None,
    dtype: str = "float64",
    form: str = "lookup",
    cells: int | None = None,
    plain: bool = False,
    trace: bool = False,
    output: str | None = None,
    seed: int = 0,
) -> MachineRun:
    """What a machine and its decoder do on a word, compared at every step; the decoder goes to `output` if given."""
    from capax.app.commands import _turing as turing
    from capax.app.files.models import save_model
    from capax.formal.turing.probabilistic import ChanceMachine
    from capax.formal.turing.tapes import TapesMachine, interleaved, on_one_tape
    from capax.theorems.turing.parts.probabilistic import sampled_chain

    options = turing.DecoderOptions(attention or ("softmax" if plain else "hard"), dtype, form, cells, plain)
    _check_options(options.attention, dtype, form, output, steps, plain)
    machine = turing.read(file)
    letters = on_tapes = turing.split(word, machine.input)
    several = machine if isinstance(machine, TapesMachine) else None
    if several is not None:
        turing.check_word(several, on_tapes)
        machine, letters = on_one_tape(several), list(interleaved(several, on_tapes))
    assert not isinstance(machine, TapesMachine)
    turing.check_word(machine, letters)
    if trace and len(letters) > MOST_LETTERS:
        what = f"the word has {len(letters):,} letters, and a trace is for at most {MOST_LETTERS:,}"
        raise CapaxError("bad-option", what, hint="leave out --trace, or give a shorter word")
    model = turing.build(machine, len(letters), steps, options)
    if output is not None:
        save_model(model, output)
    result = MachineRun(
        Path(file).stem,
        letters,
        states=len(machine.states),
        halting_states=sum(all(state != own for own, _ in machine.rules) for state in machine.states),
        symbols=len(machine.symbols),
        tapes=1 if several is None else several.tapes,
        size=model.size,
        limits=turing.limits_of(model, form),
        numbers=dtype,
        attention=options.attention,
        form=form,
        file=output,
        seed=seed,
    )
    if isinstance(machine, ChanceMachine):
        chain = sampled_chain(model, machine, letters, steps, seed)
        traced = turing.trace(model, machine, letters, list(chain.tokens)) if trace else None
        return replace(result, chain=chain, trace=traced)
    comparison, tokens = turing.compare(model, machine, letters, steps)
    if several is not None and comparison.halted:
        own, difference = turing.compare_tapes(several, on_tapes, comparison)
        comparison = replace(comparison, several=own, difference=difference)
    return replace(
        result, comparison=comparison, trace=turing.trace(model, machine, letters, tokens) if trace else None
    )


def _check_options(attention: str, dtype: str, form: str, output: str | None, steps: int, plain: bool) -> None:
    """Refuses options that do not go together."""
    choices = {"--attention": (attention, ("hard", "softmax")), "--dtype": (dtype, ("float64", "float32"))}
    choices["--form"] = (form, ("lookup", "hash"))
    for option, (value, known) in choices.items():
        if value not in known:
            raise CapaxError("bad-option", f"{option} cannot be {value!r:.40}", hint=f"give {' or '.join(known)}")
    if form == "hash" and (attention == "softmax" or plain):
        raise CapaxError("bad-option", "a decoder by hashes has hard attention", hint="leave out --attention, --plain")
    if plain and attention != "softmax":
        raise CapaxError("bad-option", "a plain decoder has softmax attention", hint="leave out --attention hard")
    check_output(output)
    if steps < 1:
        raise CapaxError("bad-option", f"the number of steps is {steps}", hint="give 1 or more")
