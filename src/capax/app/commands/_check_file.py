"""What is wrong with a file: it is run like any other, and errors and warnings are collected."""

import re
from pathlib import Path

from capax.app.commands.check import CheckedFile
from capax.app.files.loader import Finder
from capax.app.files.text_files import find_rasp, read_text
from capax.app.session import Session, Silent
from capax.errors import CapaxError, Notice, Source
from capax.rasp.text.interpreter import Limits


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
    scope = session.files.load_source(source, session.console, str(Path(path).resolve()))
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
