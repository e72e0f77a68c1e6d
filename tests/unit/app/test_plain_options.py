"""Options of plain types: the values and the errors are those of typer."""

import subprocess
import sys
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from capax.app.plain_options import PlainCommand


def printed(plain: bool, words: list[str]) -> tuple[int, str]:
    """The exit code and the output of a command with options of several types, read plainly or as typer reads them."""
    app = typer.Typer()

    @app.command(cls=PlainCommand if plain else None)
    def command(
        text: str,
        number: Annotated[int | None, typer.Option("--number")] = None,
        count: Annotated[int, typer.Option("--count", min=0, max=9)] = 3,
        flag: Annotated[bool, typer.Option("--flag/--no-flag")] = False,
        name: Annotated[str | None, typer.Option("--name")] = None,
        many: Annotated[list[str] | None, typer.Option("--many")] = None,
        size: Annotated[float, typer.Option("--size")] = 1.5,
    ) -> None:
        values: list[Any] = [text, number, count, flag, name, many, size]
        typer.echo(" ".join(f"{type(value).__name__}:{value!r}" for value in values))

    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


@pytest.mark.parametrize(
    "words",
    [
        ["a"],
        ["a", "--number", "12", "--flag", "--name", "b"],
        ["a", "--number=-7", "--count", "4", "--size", "2"],
        ["a", "--many", "x", "--many", "y"],
        ["--", "-5"],
        ["a", "--number", "1_000"],
        ["a", "--number", " 3 "],
        ["a", "--number", "+3"],
        ["a", "--number", "\u0663"],
        ["a", "--number", "3.0"],
        ["a", "--number", "9" * 30],
        ["a", "--number", "9" * 5000],
        ["a", "--number", "x"],
        ["a", "--number", ""],
        ["a", "--count", "10"],
        ["a", "--count", "-1"],
        ["a", "--flag", "--no-flag"],
        ["a", "--nonsense"],
        ["a", "b"],
        [],
        ["--help"],
    ],
)
def test_values_and_errors_are_those_of_typer(words: list[str]) -> None:
    """What is read plainly is read alike; the rest is left to typer."""
    assert printed(True, words) == printed(False, words)


def test_a_short_command_does_not_import_pydantic() -> None:
    """Nor numpy: they would take longer than the command."""
    code = "import sys; sys.argv = ['capax', 'run', 'reverse', 'hello']\nfrom capax.app.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    pass\n"
    code += "print([name for name in ('pydantic', 'numpy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ['reverse("hello") = [o, l, l, e, h] (strings)', "[]"]
