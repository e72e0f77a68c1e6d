"""`capax run`: Run a program on an input, or on every line of a file."""

from typing import Annotated, Final

import typer

from capax.app.options import DASHES, PROGRAM, SPLIT, Budget, Json, refuse_option
from capax.errors import CapaxError
from capax.rasp.text.interpreter import BUDGET

GROUP: Final = ("Programs", 1)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="run", context_settings=DASHES)(run)


def run(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    word: Annotated[str | None, typer.Argument(metavar="INPUT", help="The input; - reads standard input.")] = None,
    split: Annotated[str, typer.Option("--as", help=SPLIT)] = "chars",
    trace: Annotated[bool, typer.Option("--trace", help="Show every named step.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Show how the selectors are evaluated on long inputs.")] = False,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="FILE", help="Run on every line of a file; - reads standard input.")
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="With --batch: stop at the first bad line.")] = False,
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Run a program on an input, or on every line of a file.

    Example: capax run reverse hello
    """
    from capax.app.resolve import resolve
    from capax.app.run_command import run_batch, run_once, show_plan

    refuse_option(word)
    if stop and batch is None:
        raise CapaxError("bad-option", "--stop goes with --batch FILE")
    if trace and (batch is not None or plan):
        raise CapaxError("bad-option", "--trace goes with one INPUT")
    if not plan and (batch is None) == (word is None):
        hint = "for instance: capax run reverse hello"
        raise CapaxError("bad-option", "give either INPUT or --batch FILE", hint=hint)
    found = resolve(program, split=split, budget=budget)
    if plan:
        show_plan(found, as_json=as_json)
    elif batch is not None:
        run_batch(found, batch, split, stop=stop, as_json=as_json)
    elif word is not None:
        run_once(found, word, split, trace=trace, as_json=as_json)
