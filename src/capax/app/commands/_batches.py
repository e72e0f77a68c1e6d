"""`capax run --batch`: a word per line, evaluated in chunks, answered in order."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import typer

from capax.app.files.text_files import open_file
from capax.app.inputs import refuse_long, split_input
from capax.app.options import count
from capax.app.process.output import print_json, print_text, say
from capax.app.process.streams import STDIN
from capax.app.repl.screen import show_matrix, show_triples, show_values
from capax.errors import CapaxError
from capax.rasp.meaning.sequence import Matrix, ProgramValue, Triples
from capax.rasp.python.program import Program

CHUNK_LINES = 20_000
CHUNK_TOKENS = 1_000_000
"""A chunk ends at whichever comes first, so that long lines do not pile up."""


@dataclass(frozen=True, slots=True)
class LineResult:
    """What came of one line: its number from 1, and the value or the error."""

    line: int
    outcome: ProgramValue | CapaxError


def run_batch(program: Program, file: str, split: str, *, stop: bool, as_json: bool) -> None:
    """Prints the value of a program on every line of a file, in order; bad lines are reported and leave a gap."""
    bad = 0
    with _opened(file) as lines, _progress(file) as advance:
        for result in _results(program, lines, split, progress=advance):
            if not isinstance(result.outcome, CapaxError):
                _print_value(result.outcome, as_json=as_json)
                continue
            bad += 1
            say(f"line {result.line}: {result.outcome.render()}", "error")
            if stop:
                raise typer.Exit(2)
            print_text("null" if as_json else "")
    if bad:
        say(count(bad, "bad line"), "error")
        raise typer.Exit(2)


def _print_value(value: ProgramValue, *, as_json: bool) -> None:
    if isinstance(value, Triples):
        print_json(value.plain()) if as_json else print_text(show_triples(value, None))
    elif isinstance(value, Matrix):
        print_json([list(row) for row in value.rows]) if as_json else print_text(show_matrix(value, None))
    elif as_json:
        print_json(list(value.values))
    else:
        print_text(show_values(list(value.values), value.type))


@contextmanager
def _opened(file: str) -> Iterator[TextIO]:
    if file == "-":
        if isinstance(sys.stdin, io.TextIOWrapper):  # lines end as they do in files: at \n alone
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
        yield sys.stdin
        return
    with open_file(Path(file)) as raw, io.TextIOWrapper(raw, "utf-8", "surrogateescape", "\n") as lines:
        yield lines


@contextmanager
def _progress(file: str) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, when the results go elsewhere; nothing otherwise."""
    if file == "-" or not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda size: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("characters", total=Path(file).stat().st_size)
        yield lambda size: bar.update(task, advance=size)


def _results(program: Program, lines: TextIO, split: str, *, progress: Callable[[int], None]) -> Iterator[LineResult]:
    """The values on the lines of a text, in order; a bad line has its error."""
    number = 0
    for chunk in _chunks(lines):
        words, errors = _read(chunk, split)
        outcomes = iter(program.batch(words, errors="keep"))
        for i in range(len(chunk)):
            number += 1
            yield LineResult(number, errors[i] if i in errors else next(outcomes))
        progress(sum(map(len, chunk)))


LONGEST = 50_000_000
"""A line of more characters is not kept; it is answered by an error."""


def _lines(text: TextIO) -> Iterator[str]:
    """The lines of a text; of one that is too long, one character too many."""
    while line := _part(text):
        rest = line
        while len(rest) > LONGEST and not rest.endswith("\n"):
            rest = _part(text)
        yield line


def _part(text: TextIO) -> str:
    """The next line of a text, or the start of a very long one; empty at the end."""
    try:
        return text.readline(LONGEST + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        name, hint = (STDIN, "is it closed?") if text is sys.stdin else ("the file", None)
        raise CapaxError("file-unreadable", f"cannot read {name}: {why}", hint=hint) from None


def _chunks(text: TextIO) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for line in _lines(text):
        chunk.append(line)
        size += len(line)
        if len(chunk) >= CHUNK_LINES or size >= CHUNK_TOKENS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _refuse_broken(text: str) -> None:
    """Refuses a line that was not UTF-8: its bad bytes were read as lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise CapaxError("bad-input", "the line is not UTF-8 text", hint="save the file as UTF-8", value=text) from None


def _read(chunk: list[str], split: str) -> tuple[list[Any], dict[int, CapaxError]]:
    """The words of a chunk, and the errors of the lines that are none."""
    words: list[Any] = []
    errors: dict[int, CapaxError] = {}
    for i, line in enumerate(chunk):
        text = line.removesuffix("\n").removesuffix("\r")
        try:
            if len(text) > LONGEST:
                raise CapaxError("too-large", f"the line has more than {LONGEST:,} characters")
            _refuse_broken(text)
            if split == "chars":
                refuse_long(len(text))
            words.append(text if split == "chars" else split_input(text, split))
        except CapaxError as error:
            errors[i] = error
    return words, errors
