"""`capax protocol NAME MODEL`: a reduction run on a model, with every bit counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from capax.app.commands._columns import WIDTH, columns
from capax.app.commands._result import Catalogue, finish
from capax.app.options import PARAMETERS, Json, Unchecked, count, parameters_of
from capax.app.process.output import say
from capax.display import parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat

GROUP: Final = ("What they cannot", 4)
SETTINGS: Final = PARAMETERS
Numbers: TypeAlias = Annotated[
    str | None,
    typer.Option("--dtype", metavar="SYSTEM", help="Run the model in these exact integers, such as integer:8,4,4."),
]
MOST_ROWS: Final = 40
MOST_PLAYERS: Final = 12


@dataclass(frozen=True, slots=True)
class ProtocolRun:
    """A run of a protocol on a model."""

    protocol: "Protocol"
    outcome: "ProtocolOutcome"
    seed: int

    def to_json(self) -> dict[str, Any]:
        """The run as plain data."""
        return self.outcome.to_json() | parts(self.protocol, "title", "statement", "citation") | {"seed": self.seed}

    def render(self) -> str:
        """The players, the messages, their bits beside a count by formula, and the output."""
        protocol, run = self.protocol, self.outcome
        lines = [f"{run.protocol}: {protocol.title}", "", *wrap(protocol.statement, WIDTH)]
        sizes = ", ".join(f"{name} {value}" for name, value in run.sizes.items())
        lines += [f"cite: {protocol.citation}", "", *wrap(f"at {sizes}", WIDTH), "", *_players(run.seats), ""]
        lines += [
            *_messages(run.charged, "our bound" if run.ours else "paper"),
            "",
            f"{run.bits:,} bits in all, {run.exact_bits:,} before whole bytes",
        ]
        count_name = "our bound (the poster has no count)" if run.ours else "the paper's count"
        lines.append(f"{count_name}: {run.counted_bits:,} ({run.formula})")
        if run.free_bits:
            lines.append(f"{run.free_bits:,} bits of states were shown, which the paper does not charge for")
        lines.append(f"identical with the whole model: yes, {count(run.compared, 'integer')}")
        right = "which is right" if run.output == run.truth else f"and the task asks for {run.truth}"
        lines.append(f"output: {run.output}, {right}")
        for note in run.notes:
            lines += wrap(note, WIDTH, initial_indent="note: ", subsequent_indent="      ")
        return "\n".join(lines)


def _players(seats: Sequence["Seat"]) -> list[str]:
    width = max(len(seat.name) for seat in seats)
    lines = [f"{seat.name.ljust(width)}  {seat.holds}" for seat in seats[:MOST_PLAYERS]]
    return lines + ([f"... and {len(seats) - MOST_PLAYERS:,} more"] if len(seats) > MOST_PLAYERS else [])


def _messages(messages: Sequence["Message"], counted_by: str) -> list[str]:
    rows = [["round", "from", "to", "bits", "exact", counted_by, "bytes"]]
    for message in messages[:MOST_ROWS]:
        counts = (f"{number:,}" for number in (message.bits, message.exact, message.counted))
        rows.append([str(message.round), message.sender, message.receiver, *counts, _hex(message.data.hex())])
    rest = len(messages) - MOST_ROWS
    return columns(rows, right=(0, 3, 4, 5)) + ([f"... and {rest:,} more"] if rest > 0 else [])


def _hex(text: str) -> str:
    return text if len(text) <= 24 else f"{text[:20]}... ({len(text) // 2:,} bytes)"


def run_protocol(
    name: str, model: str, given: dict[str, str], seed: int, numbers: str | None = None, *, unchecked: bool = False
) -> ProtocolRun:
    """A run of a protocol on the model of a file; sizes that the model does not declare stand in `given`."""
    from capax.app.files.models import given_model
    from capax.limits.protocols import protocol
    from capax.limits.witnesses.claimed_task import LAYOUTS, claim_of, quantised

    if seed < 0:
        raise CapaxError("bad-option", f"a seed is a whole number from 0 on, not {seed}")
    chosen = protocol(name)
    loaded = quantised(given_model(model, unchecked=unchecked), numbers)
    sizes = {key: value for key, value in given.items() if key in LAYOUTS[chosen.task]}
    inputs = {key: value for key, value in given.items() if key not in sizes}
    claim = claim_of(loaded, chosen.task, sizes)
    return ProtocolRun(chosen, chosen.play(loaded, claim.sizes, inputs, seed), seed)


def command(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A protocol; without one they are listed.")] = None,
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help="A model file, FILE.safetensors.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the input, where none is given.")] = 0,
    dtype: Numbers = None,
    draw: Annotated[
        str | None, typer.Option("--draw", metavar="FILE", help="Draw the transcript to an .svg file.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Run a reduction on a model: players that share its tokens, every message as bytes, the output compared.

    Sizes that the model does not declare, and inputs, are options of their own: `--n 8`, `--a 0110`. A run whose
    output is not that of the whole model, bit for bit, is an error.

    Example: capax protocol composition layer.safetensors --seed 1 --draw run.svg
    """
    if name is None:
        from capax.limits import protocols

        listed = tuple(protocols.protocol(one) for one in protocols.names())
        finish(Catalogue(listed, "title"), as_json=as_json)
        return
    if model is None:
        raise CapaxError("bad-option", "give the model too", hint=f"capax protocol {name} FILE.safetensors")
    if draw is not None and not draw.endswith(".svg"):
        raise CapaxError("bad-option", f"no transcript can be drawn to {draw}", hint="the name ends with .svg")
    result = run_protocol(name, model, parameters_of(context.args), seed, dtype, unchecked=unchecked)
    finish(result, as_json=as_json)
    if draw is not None:
        from capax.app.files.text_files import write_text
        from capax.draw.subjects.transcript import draw_transcript

        write_text(Path(draw), draw_transcript(result.to_json()))
        say(f"{draw}: drawn")
