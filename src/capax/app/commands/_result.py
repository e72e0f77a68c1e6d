"""What every command ends with: a result that is printed as text or as JSON, and an exit code."""

from dataclasses import dataclass
from typing import Any, Protocol

import typer

from capax.app.commands._columns import columns
from capax.app.process.output import print_json, print_text, say
from capax.display import plain


class Result(Protocol):
    """What a command computed."""

    def to_json(self) -> Any:
        """The result as plain data, for `--json`."""

    def render(self) -> str:
        """The result as text."""


def finish(result: Result, *, as_json: bool, yes: bool = True, written: str | None = None) -> None:
    """Prints a result; names the file that was written, and exits with code 1 if the answer is no."""
    if as_json:
        print_json(result.to_json())
    else:
        print_text(result.render())
        if written is not None:
            say(f"written to {written}")
    if not yes:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The entries of a catalogue, such as all theorems: each has a name, and in the attribute `line` what it is."""

    entries: tuple[Any, ...]
    line: str

    def to_json(self) -> Any:
        """Each entry as plain data."""
        return plain(self.entries)

    def render(self) -> str:
        """A line for each entry."""
        return "\n".join(columns([[entry.name, getattr(entry, self.line)] for entry in self.entries]))


def is_word(tokens: list[Any]) -> bool:
    """Whether tokens are characters, so that they are printed as one word."""
    return all(isinstance(token, str) and len(token) == 1 for token in tokens)
