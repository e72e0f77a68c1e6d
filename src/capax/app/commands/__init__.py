"""The commands of the command line, one file each: its options, its call, and its result as text and as JSON.

A file has `register(app)`, which adds its command to the command line, and `GROUP`: the heading of the help screen
under which the command stands, and its rank there. Files with a leading underscore are helpers.
"""

import importlib
import pkgutil
from types import ModuleType

import typer

from capax.app.help_screen import TITLES


def register(app: typer.Typer) -> None:
    """Adds the command of every file in this folder to a command line, in the order of the help screen."""
    names = [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    for module in sorted(modules, key=lambda module: (TITLES.index(module.GROUP[0]), module.GROUP[1])):
        add(app, module, module.GROUP[0])


def add(app: typer.Typer, module: ModuleType, title: str) -> None:
    """Adds what a file registers under a heading of the help screen."""
    commands, groups = len(app.registered_commands), len(app.registered_groups)
    module.register(app)
    for command in app.registered_commands[commands:]:
        command.rich_help_panel = title
    for group in app.registered_groups[groups:]:
        group.rich_help_panel = title
