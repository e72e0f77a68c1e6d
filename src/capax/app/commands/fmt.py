"""`capax fmt`: Put a file into canonical form; comments are kept."""

from pathlib import Path
from typing import Annotated, Final

import typer

from capax.app import plain_commands as commands
from capax.app.files.read import read_text, write_stdout, write_text
from capax.app.options import Json
from capax.app.process.output import print_json, say
from capax.app.process.streams import read_stdin

GROUP: Final = ("Programs", 4)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="fmt")(fmt)


def fmt(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to format in place; - formats standard input.")],
    only_check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 1 if it would change.")
    ] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the formatted text and change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Put a file into canonical form; comments are kept.

    Example: capax fmt program.rasp
    """
    before = read_stdin() if file == "-" else read_text(Path(file))
    result = commands.fmt(before, "standard input" if file == "-" else file)
    after, changed = result["text"], result["changed"]
    for warning in result["warnings"]:
        say(warning["text"], "warning")
    if as_json:
        print_json(result)
    elif stdout or file == "-":
        write_stdout(after)
    if file != "-" and changed and not only_check and not stdout:
        write_text(Path(file), after)
    if not as_json and not stdout and file != "-":
        say(f"{file}: {('would change' if only_check else 'formatted') if changed else 'already in order'}")
    if only_check and changed:
        raise typer.Exit(1)
