"""`capax explain`: Show what each head and MLP of a model reads, writes and is for, layer by layer."""

from typing import Annotated, Final

import typer

from capax.app.options import MODEL, Json, Unchecked
from capax.app.process.output import print_json, print_text

GROUP: Final = ("Models", 4)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="explain")(explain)


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show what each head and MLP of a model reads, writes and is for, layer by layer.

    Example: capax explain previous.safetensors
    """
    from capax.app.model_commands import explain as explain_it
    from capax.app.show_model import show_explanation

    told = explain_it(model, unchecked=unchecked)
    print_json(told) if as_json else print_text(show_explanation(model, told))
