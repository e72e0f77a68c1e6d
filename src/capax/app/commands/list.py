"""`capax list`: List the library, a line for each program."""

from typing import Final

import typer

from capax.app import plain_commands as commands
from capax.app.options import Json
from capax.app.process.output import print_json, print_text

GROUP: Final = ("Programs", 2)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="list")(list_)


def list_(as_json: Json = False) -> None:
    """List the library, a line for each program.

    Example: capax list
    """
    entries = commands.list_library()
    if as_json:
        print_json(entries)
        return
    from capax.app.show import show_library

    print_text(show_library(entries))
