"""`capax run --batch`: a word per line, evaluated in chunks, answered in order."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from capax.app.inputs import refuse_long, split_input
from capax.app.process.streams import STDIN
from capax.errors import CapaxError
from capax.rasp.python.program import Program

CHUNK_LINES = 20_000
CHUNK_TOKENS = 1_000_000
"""A chunk ends at whichever comes first, so that long lines do not pile up."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of one line: its number from 1, and the value or the error."""

    line: int
    value: Any
    error: CapaxError | None


def answers(
    program: Program, lines: TextIO, split: str, *, progress: Callable[[int, int], None] = lambda lines, size: None
) -> Iterator[Answer]:
    """The answers to the lines of a text, in order; a bad line is answered by its error."""
    number = 0
    for chunk in _chunks(lines):
        words, errors = _read(chunk, split)
        outcomes = iter(program.batch(words, errors="keep"))
        for i in range(len(chunk)):
            number += 1
            outcome = errors[i] if i in errors else next(outcomes)
            failed = isinstance(outcome, CapaxError)
            yield Answer(number, None if failed else outcome, outcome if failed else None)
        progress(len(chunk), sum(map(len, chunk)))


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
