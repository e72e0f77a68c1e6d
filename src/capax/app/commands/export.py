"""`capax export`: a model as a folder for another tool."""

from typing import Annotated, Any, Final

import typer

from capax.app.options import MODEL, Json, StoredBudget, Unchecked
from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError
from capax.rasp.text.stored import BUDGET as STORED

GROUP: Final = ("Models", 6)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="export")(export)


def export(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    to: Annotated[str, typer.Option("--to", metavar="TARGET", help="torch, onnx, transformer-lens or hf.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an export that stands there.")] = False,
    words: Annotated[int, typer.Option("--words", metavar="N", help="Words of each kind to try.")] = 300,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random words.")] = 0,
    budget: StoredBudget = STORED,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Write a model for another tool, load it back with that tool, and compare the answers. Exit code 1 if they differ.

    Example: capax export reverse.safetensors --to torch -o reverse-torch
    """
    from capax.app.export_command import export_file, show_export

    try:
        settings: dict[str, Any] = {"force": force, "words": words, "seed": seed, "budget": budget}
        result = export_file(model, to, output, unchecked=unchecked, **settings)
    except CapaxError as error:
        if error.code != "export-differs":
            raise
        say(error.render(), "error")
        raise typer.Exit(1) from None
    print_json(result) if as_json else print_text(show_export(result))
