"""The commands of the command line, one file each: its options, its call, and its result as text and as JSON.

The file has the name of its command, with underscores. Its function `command` is the command: the parameters are the
arguments and options, the docstring is the help. `GROUP` is the heading of the help screen under which the command is
listed, and its rank there; `SETTINGS`, if there, are settings of its context; `SHOWS_PROGRESS` is for
commands that say themselves how far they are, or talk with the user. A file with several commands under one
name has `commands`, a Typer, instead. Files with a leading underscore are helpers. Commands import heavy rooms inside
their functions, so that the help screen is fast.
"""

import importlib
import pkgutil
from types import ModuleType
from typing import Any, Final

import typer
from typer.core import TyperGroup

from capax.app.plain_options import PlainCommand, PlainGroup
from capax.app.process.heartbeat import pulse

TITLES: Final = (
    "Start",
    "Programs",
    "Models",
    "What transformers can do",
    "What they cannot",
    "Languages and machines",
    "What they learn",
)
"""The headings, in the order in which a newcomer meets them; `GROUP` of a command's file names one."""


class HelpScreen(PlainGroup):
    """The commands in groups."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the groups, each in the order in which its commands were registered."""
        commands = sorted(self.commands.items(), key=lambda item: isinstance(item[1], TyperGroup))
        for title in TITLES:  # commands with commands of their own come last
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name, command.get_short_help_str(limit=200))
                        for name, command in commands
                        if getattr(command, "rich_help_panel", None) == title
                    ]
                )


class PulsingCommand(PlainCommand):
    """A command that shows at a terminal for how long it has been at work, as long as it has not said anything."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        with pulse(ctx.command_path):
            return super().invoke(ctx)


def register(app: typer.Typer, command: str | None = None) -> None:
    """Adds the command of every file in this folder to a command line, in the order of the help screen.

    With the name of a command that has a file, only that one is added; for `--version`, any one will do.
    """
    names = [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]
    chosen = [name for name in names if name.replace("_", "-") == ("list" if command == "--version" else command)]
    chosen = chosen or names
    modules = [importlib.import_module(f"{__name__}.{name}") for name in chosen]
    for module in sorted(modules, key=lambda module: (TITLES.index(module.GROUP[0]), module.GROUP[1])):
        _add(app, module)


def _add(app: typer.Typer, module: ModuleType) -> None:
    """Adds the command of a file, or its several commands, under its heading of the help screen."""
    title, name = module.GROUP[0], module.__name__.rpartition(".")[2].replace("_", "-")
    if hasattr(module, "commands"):
        app.add_typer(module.commands, name=name, rich_help_panel=title)
    else:
        settings = getattr(module, "SETTINGS", None)
        app.command(
            name,
            cls=PlainCommand if getattr(module, "SHOWS_PROGRESS", False) else PulsingCommand,
            context_settings=settings,
            rich_help_panel=title,
        )(module.command)
