"""The command line: every file of `commands/` is a command of it."""

import sys
from typing import Annotated

import typer

from capax.app import commands
from capax.app.commands import HelpScreen
from capax.app.process.main import run as run_process


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"capax {version('capax')}")
        raise typer.Exit


def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def create_app(command: str | None = None) -> typer.Typer:
    """The command line with all commands; with the name of one, only with that, which starts faster."""
    app = typer.Typer(
        name="capax",
        cls=HelpScreen,
        help="What can a transformer compute, and what can it not? A workbench for RASP programs.",
        no_args_is_help=True,
        add_completion=command is None or command.startswith("-"),  # --install-completion is no command
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_main)
    commands.register(app, command)
    return app


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the answer is no, 2 the input was wrong.

    `capax help COMMAND` is read as `capax COMMAND --help`.
    """
    if sys.argv[1:2] == ["help"]:
        sys.argv[1:] = [*sys.argv[2:], "--help"]
    run_process(lambda **settings: create_app(sys.argv[1] if len(sys.argv) > 1 else None)(**settings))
