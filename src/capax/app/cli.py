"""The command line: every file of `commands/` is a command of it."""

from typing import Annotated

import typer

from capax.app import atlas_command, commands, fool_command, limit_commands, recognise_command
from capax.app.help_screen import HelpScreen
from capax.app.process.main import run as run_process

app = typer.Typer(
    name="capax",
    cls=HelpScreen,
    help="What can a transformer compute, and what can it not? A workbench for RASP programs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"capax {version('capax')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


commands.register(app)
for module, title in (
    (limit_commands, "What they cannot"),
    (fool_command, "What they cannot"),
    (recognise_command, "Languages and machines"),
    (atlas_command, "Languages and machines"),
):  # not files of `commands` yet
    commands.add(app, module, title)


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the answer is no, 2 the input was wrong."""
    run_process(app)
