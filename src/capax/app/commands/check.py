"""`capax check`: what is wrong with a file, and what it defines."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from capax.app.options import Budget, Json, count
from capax.app.process.output import print_json, print_text, say
from capax.app.process.streams import STDIN, read_stdin
from capax.errors import CapaxError, Notice
from capax.rasp.text.interpreter import BUDGET, limits_of

GROUP: Final = ("Programs", 3)


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to check; - checks standard input.")],
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Check a file: errors, warnings, and what it defines. Exit code 1 if there are errors.

    Example: capax check program.rasp
    """
    from capax.app.commands._check_file import check

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
