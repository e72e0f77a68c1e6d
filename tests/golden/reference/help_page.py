"""The page with the help of every command, from the command line itself."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from capax.app.cli import create_app

TOP = """\
# `--help` of every command

What `capax COMMAND --help` says, for all commands; this page is written from the program. [The commands](cli.md)
tells more: exit codes, what is printed, and the keys of the JSON.

"""
KINDS = {int: "N", float: "X"}
"""The letter for a number that has no name of its own."""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command of the command line with its full name, in the order of `capax --help`."""
    yield from _below("capax", typer.main.get_command(create_app()))


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    within = getattr(command, "commands", None)
    if within is None:
        yield name, command
        return
    for word, inner in within.items():
        if not inner.hidden:
            yield from _below(f"{name} {word}", inner)


def help_page() -> str:
    """The whole page: a list of the commands, and a section for each."""
    found = list(commands())
    listed = [f"- [`{name}`](#{_anchor(name)}): {_first_sentence(command.help)}" for name, command in found]
    sections = [_section(name, command) for name, command in found]
    return TOP + "\n".join(listed) + "\n\n" + "\n".join(sections)


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _first_sentence(text: str) -> str:
    line = _paragraphs(text)[0]
    return re.split(r"(?<=\.) (?=[A-Z])", line)[0]


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n")]


def example(command: Any) -> str:
    """The command line that the help shows."""
    found = [part for part in _paragraphs(command.help) if part.startswith("Example: ")]
    assert len(found) == 1, f"{command.name}: the help shows one example"
    return found[0].removeprefix("Example: ")


def _section(name: str, command: Any) -> str:
    """A heading, what the command does, its usage, a table of what it takes, an example."""
    told = [part for part in _paragraphs(command.help) if not part.startswith("Example: ")]
    shown = [param for param in command.params if not getattr(param, "hidden", False)]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    options = [param for param in shown if param.param_type_name == "option"]
    usage = " ".join([name, *map(_placed, arguments), "[OPTIONS]"])
    rows = [_row(f"`{p.metavar}`", p) for p in arguments]
    rows += [_row(_written(p), p) for p in options]
    table = ["| argument or option | meaning | default |", "|---|---|---|", *rows]
    example_line = f"Example: `{example(command)}`"
    return "\n\n".join([f"## {name}", *told, f"Usage: `{usage}`", "\n".join(table), example_line]) + "\n"


def _placed(argument: Any) -> str:
    """An argument in the usage: in brackets if it may be left out, with dots if there may be several."""
    return (argument.metavar if argument.required else f"[{argument.metavar}]") + "..." * (argument.nargs == -1)


def _row(written: str, param: Any) -> str:
    meaning = (param.help or "").replace("|", "\\|")
    return f"| {written} | {meaning} | {_default(param)} |"


def _written(option: Any) -> str:
    """An option as it is typed: all its spellings, and what follows."""
    takes = "" if option.is_flag else f" {option.metavar or KINDS.get(option.type_descriptor.annotation, 'TEXT')}"
    names = ", ".join(f"`{spelling}{takes}`" for spelling in option.opts)
    return names + "".join(f" or `{spelling}`" for spelling in option.secondary_opts)


def _default(param: Any) -> str:
    if param.required:
        return "required"
    if isinstance(param.show_default, str):
        return param.show_default
    if getattr(param, "is_flag", False):
        return f"`{(param.opts if param.default else param.secondary_opts)[0]}`" if param.secondary_opts else ""
    if param.default is None or param.default == "" or callable(param.default):
        return ""
    return f"`{param.default}`"
