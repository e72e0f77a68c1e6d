"""`capax size`: Show what a model costs: layers, heads, width, parameters, bits."""

from typing import Annotated, Final

import typer

from capax.app.options import MODEL, Json, Unchecked
from capax.app.process.output import print_json, print_text

GROUP: Final = ("Models", 5)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="size")(size)


def size(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show what a model costs: layers, heads, width, parameters, bits.

    Example: capax size previous.safetensors
    """
    from capax.app.model_commands import size as size_of
    from capax.app.show_model import show_size

    found = size_of(model, unchecked=unchecked)
    text = show_size(found)
    print_json({key: found[key] for key in found if key != "text"}) if as_json else print_text(text)
