"""`capax fmt`: a file in canonical form."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from capax.app.files.text_files import read_text, write_stdout, write_text
from capax.app.options import Json
from capax.app.process.output import print_json, say
from capax.app.process.streams import STDIN, read_stdin
from capax.errors import Notice, Source

GROUP: Final = ("Programs", 4)


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to format in place; - formats standard input.")],
    only_check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 1 if the file would change.")
    ] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the formatted text and change nothing.")] = False,
    repeats: Annotated[
        bool, typer.Option("--repeat", help="Write for loops whose rounds have one shape as repeat loops.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Format a file in place; comments are kept.

    Example: capax fmt program.rasp
    """
    piped = file == "-"
    text, name = (read_stdin(), STDIN) if piped else (read_text(Path(file)), file)
    formatted = fmt(text, name, repeats=repeats)
    for warning in formatted.warnings:
        say(warning.render(), "warning")
    if as_json:
        print_json(formatted.to_json())
    elif stdout or piped:
        write_stdout(formatted.text)
    if not piped and formatted.changed and not only_check and not stdout:
        write_text(Path(file), formatted.text)
    if not as_json and not stdout and not piped:
        change = "would change" if only_check else "formatted"
        say(f"{file}: {change if formatted.changed else 'already formatted'}")
    if only_check and formatted.changed:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class FormattedText:
    """A text in canonical form, and the warnings about it."""

    file: str
    changed: bool
    text: str
    warnings: tuple[Notice, ...]

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        warnings = [n.to_json() | {"text": n.render()} for n in self.warnings]
        return {"file": self.file, "changed": self.changed, "text": self.text, "warnings": warnings}


def fmt(text: str, name: str = "text", *, repeats: bool = False) -> FormattedText:
    """A text in canonical form, comments kept, and the warnings about it; one with syntax errors is refused.

    With `repeats`, `for` loops whose rounds have one shape become `repeat` loops.
    """
    from capax.rasp.text.parser import parse
    from capax.rasp.text.reformat import format_text

    parsed = parse(Source(name, text))
    if parsed.errors:
        raise parsed.errors[0]
    after = format_text(parsed)
    if repeats:
        from capax.rasp.text.for_to_repeat import with_repeats

        after = format_text(parse(Source(name, with_repeats(after))))
    return FormattedText(name, after != text, after, tuple(parsed.notices))
