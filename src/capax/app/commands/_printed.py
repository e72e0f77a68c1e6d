"""Commands of capax that are run inside this process: what each printed, and a bar that shows how far they are."""

import io
import shlex
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from capax.errors import CapaxError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress


@dataclass(frozen=True, slots=True)
class PrintedCommand:
    """A command and what it printed; `exit_code` 2 where it refused."""

    command: str
    output: str
    exit_code: int


def run_command(command: str) -> PrintedCommand:
    """What a command prints, run in this process and the present folder.

    `< FILE` at its end is its standard input. After `! `, as in a shell, it is to say no: its exit code 1 counts as 0.
    """
    from capax.app.cli import create_app
    from capax.app.process.main import BAD_USE

    negated, line = command.startswith("! "), command.removeprefix("! ")
    _, *arguments = shlex.split(line)
    given = ""
    if len(arguments) > 1 and arguments[-2] == "<":
        given = Path(arguments[-1]).read_text(encoding="utf-8")
        arguments = arguments[:-2]
    out = io.StringIO()
    code: object = 0
    with redirect_stdout(out), redirect_stderr(out), _standard_input(given):
        try:
            command_line = typer.main.get_command(create_app(arguments[0]))
            code = command_line.main(arguments, prog_name="capax", standalone_mode=False) or 0
        except CapaxError as error:
            out.write(error.render() + "\n")
            code = 2
        except BAD_USE as error:
            out.write(f"{error}\n")
            code = 2
        except SystemExit as left:
            code = left.code or 0
    if negated:
        code = {0: 1, 1: 0}.get(code, code) if isinstance(code, int) else code
    return PrintedCommand(command, out.getvalue(), code if isinstance(code, int) else 1)


@contextmanager
def _standard_input(text: str) -> "Iterator[None]":
    """Standard input has a text for a while."""
    before = sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before


def progress_bar() -> "Progress":
    """A bar on standard error, which shows nothing where that is not a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<16}"), BarColumn(bar_width=28), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
