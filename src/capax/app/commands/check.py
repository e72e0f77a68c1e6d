"""`capax check`: what is wrong with a file, and what it defines."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from capax.app.files.read import find_rasp, read_text
from capax.app.options import Budget, Json, count
from capax.app.process.output import print_json, print_text, say
from capax.app.process.streams import STDIN, read_stdin
from capax.app.session import Finder, Session, Silent
from capax.errors import CapaxError, Notice, Source
from capax.rasp.text.interpreter import BUDGET, Limits, limits_of

GROUP: Final = ("Programs", 3)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="check")(_check)


def _check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to check; - checks standard input.")],
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Check a file: errors, warnings, and what it defines. Exit code 1 if there are errors.

    Example: capax check program.rasp
    """
    name, text = (STDIN, read_stdin()) if file == "-" else (file, None)
    checked = check(name, text, limits=limits_of(budget))
    if as_json:
        print_json(checked.to_json())
    else:
        findings: list[CapaxError | Notice] = [*checked.errors, *checked.warnings]
        for finding in sorted(findings, key=_line):
            say(finding.render(), "error" if isinstance(finding, CapaxError) else "warning")
        print_text(checked.render())
    if checked.errors:
        raise typer.Exit(1)


def _line(finding: CapaxError | Notice) -> int:
    return 0 if finding.where is None else finding.where.line


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The errors and warnings of a file, and the names that it defines."""

    file: str
    errors: tuple[CapaxError, ...]
    warnings: tuple[Notice, ...]
    names: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data, each error and warning also as the text that is printed."""
        return {
            "file": self.file,
            "ok": not self.errors,
            "errors": [e.to_json() | {"text": e.render()} for e in self.errors],
            "warnings": [n.to_json() | {"text": n.render()} for n in self.warnings],
            "names": list(self.names),
        }

    def render(self) -> str:
        """The numbers of errors and warnings."""
        return f"{self.file}: {count(len(self.errors), 'error')}, {count(len(self.warnings), 'warning')}"


class _Collecting(Silent):
    """A screen that keeps errors and warnings."""

    def __init__(self) -> None:
        self.errors: list[CapaxError] = []
        self.notices: list[Notice] = []

    def error(self, session: Session, error: CapaxError, depth: int) -> None:
        """Keeps the error."""
        self.errors.append(error)

    def notice(self, session: Session, notice: Notice, depth: int) -> None:
        """Keeps the warning."""
        self.notices.append(notice)


def check(
    path: str, text: str | None = None, *, finder: Finder = find_rasp, limits: Limits | None = None
) -> CheckedFile:
    """What is wrong with a file (or a text given for it), what may surprise in it, and what it defines."""
    source = Source(path, read_text(Path(path)) if text is None else text)
    screen = _Collecting()
    session = Session(screen, finder=finder, limits=limits)
    scope = session.load_source(source, session.console, str(Path(path).resolve()))
    _blame(screen.errors, source)
    names = tuple(n for n in scope.variables if not n.startswith("_") and n != "out")
    return CheckedFile(path, tuple(screen.errors), tuple(screen.notices), names)


def _blame(errors: list[CapaxError], source: Source) -> None:
    """Points a name that is undefined only because its statement failed to that statement."""
    failed: dict[str, int] = {}
    for error in errors:
        if error.code == "undefined-name" and error.data.get("name") in failed:
            error.hint = f"fix the error on line {failed[error.data['name']]}, where it is defined"
        if error.where is not None and error.where.source == source:
            before = source.text[: error.where.start]
            statement = before[max(before.rfind(";"), before.rfind("}")) + 1 :]
            assignment = re.match(r"(?:\s|#[^\n]*\n)*(\w+)\s*=(?!=)", statement)
            if assignment:
                failed.setdefault(assignment[1], error.where.line)
