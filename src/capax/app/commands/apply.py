"""`capax apply`: Apply a model to an input."""

from typing import Annotated, Final

import typer

from capax.app.options import DASHES, MODEL, SPLIT, Json, Unchecked, refuse_option
from capax.app.process.output import print_json, print_text, say

GROUP: Final = ("Models", 2)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="apply", context_settings=DASHES)(apply)


def apply(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    word: Annotated[str, typer.Argument(metavar="INPUT", help="The input; - reads standard input.")],
    split: Annotated[str, typer.Option("--as", help=SPLIT)] = "chars",
    logits: Annotated[bool, typer.Option("--logits", help="Show the numbers behind the answers.")] = False,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Apply a model to an input.

    Example: capax apply previous.safetensors abcab
    """
    from capax.app.inputs import read_input
    from capax.app.model_commands import apply as apply_it
    from capax.app.show_model import show_answers

    refuse_option(word)
    result = apply_it(model, read_input(word, split), logits=logits, unchecked=unchecked)
    note = result.pop("note")
    if as_json:
        print_json(result if logits else result["values"])
    else:
        print_text(show_answers(result))
    if note is not None:
        say(note)
