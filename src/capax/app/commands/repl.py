"""`capax repl`: the prompt."""

from typing import Annotated, Final

import typer

from capax.app.options import Budget
from capax.rasp.text.interpreter import BUDGET, limits_of

GROUP: Final = ("Start", 2)
SHOWS_PROGRESS: Final = True


def command(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE", help="Files to load first.")] = None,
    classic: Annotated[bool, typer.Option("--classic", help="Print what the reference REPL prints.")] = False,
    budget: Budget = BUDGET,
) -> None:
    """Start the interactive RASP prompt; it also reads from a pipe.

    Example: echo 'reverse = aggregate(select(indices, length-1-indices, ==), tokens);' | capax repl
    """
    from capax.app.repl.repl import repl

    if not repl(classic=classic, files=tuple(files or ()), limits=limits_of(budget)):
        raise typer.Exit(2)
