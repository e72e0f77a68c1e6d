"""`capax layers`: Show what a program costs as a transformer: layers, heads, and why."""

from typing import Annotated, Final

import typer

from capax.app.options import DASHES, PROGRAM, SPLIT, Budget, Json, refuse_option
from capax.app.process.output import print_json, print_text
from capax.rasp.text.interpreter import BUDGET

GROUP: Final = ("Programs", 5)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="layers", context_settings=DASHES)(layers)


def layers(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    word: Annotated[str, typer.Argument(metavar="INPUT", help="An input to try the heads on.")] = "hello",
    split: Annotated[str, typer.Option("--as", help=SPLIT)] = "chars",
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Show what a program costs as a transformer: layers, heads, and why.

    Example: capax layers reverse
    """
    from capax.app.inputs import read_input
    from capax.app.layers import layers as cost_of
    from capax.app.layers import show_layers
    from capax.app.resolve import resolve

    refuse_option(word)
    result = cost_of(resolve(program, split=split, budget=budget), read_input(word, split))
    if as_json:
        print_json(result)
    else:
        print_text(show_layers(result, word))
