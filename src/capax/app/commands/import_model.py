"""`capax import-model`: a model from a folder of another library."""

from typing import Annotated, Final

import typer

from capax.app.options import Json, ModelOutput
from capax.app.process.output import print_json, print_text, say

GROUP: Final = ("Models", 7)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="import-model")(import_model)


def import_model(
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="A folder with config.json and model.safetensors, of another library.")
    ],
    output: ModelOutput = None,
    as_json: Json = False,
) -> None:
    """Read a GPT-2, BERT or TransformerLens model that was made elsewhere. Without -o it only reports.

    Example: capax import-model gpt2-tiny -o tiny.safetensors
    """
    from capax.app.import_command import import_to, show_imported

    result = import_to(directory, output)
    print_json(result) if as_json else print_text(show_imported(result))
    if output is not None and not as_json:
        say(f"written to {output}")
