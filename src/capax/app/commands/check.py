"""`capax check`: Check a file: errors, warnings, and what it defines. Exit code 1 if there are errors."""

from typing import Annotated, Final

import typer

from capax.app import plain_commands as commands
from capax.app.options import Budget, Json, count
from capax.app.process.output import print_json, print_text, say
from capax.app.process.streams import read_stdin
from capax.rasp.text.interpreter import BUDGET, limits_of

GROUP: Final = ("Programs", 3)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="check")(check)


def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to check; - checks standard input.")],
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Check a file: errors, warnings, and what it defines. Exit code 1 if there are errors.

    Example: capax check program.rasp
    """
    named, text = ("standard input", read_stdin()) if file == "-" else (file, None)
    result = commands.check(named, text, limits=limits_of(budget))
    if as_json:
        print_json(result)
    else:
        found = [(f, "error") for f in result["errors"]] + [(f, "warning") for f in result["warnings"]]
        for finding, style in sorted(found, key=lambda item: item[0].get("line", 0)):
            say(finding["text"], style)
        errors, warnings = len(result["errors"]), len(result["warnings"])
        print_text(f"{result['file']}: {count(errors, 'error')}, {count(warnings, 'warning')}")
    if not result["ok"]:
        raise typer.Exit(1)
