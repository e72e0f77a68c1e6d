"""Standard input, output and error of the command: closed ones made harmless, input read with a bound, as UTF-8."""

import contextlib
import io
import os
import sys
from typing import Final, TextIO

from capax.errors import CapaxError

MOST_BYTES: Final = 50_000_000
"""A longer text, from a file or from standard input, is refused."""
STDIN: Final = "standard input"


def open_streams() -> None:
    """Puts something in the place of closed streams, and lets no character stop the output.

    Reading a closed input and writing to a closed output are then errors of the system, as for any other file; and a
    file that is opened later does not become one of the three. Messages for a closed standard error are lost.
    """
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(_nothing(os.O_WRONLY, "rb"))
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_nothing(os.O_RDONLY, "wb"), line_buffering=True)
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(_nothing(os.O_WRONLY, "wb"), line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without a character shows its number


def _nothing(flags: int, mode: str) -> "io.BufferedReader | io.BufferedWriter":
    """The null device, opened for the other direction than the one it is used in where that is to fail."""
    return open(os.open(os.devnull, flags), mode)  # type: ignore[return-value]


def abandon_output() -> None:
    """Lets what is still to be written go nowhere, so that leaving does not fail again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def read_arguments() -> None:
    """Makes every argument UTF-8 text whatever the locale is, or raises the error that one is not."""
    for number, word in enumerate(sys.argv):
        if not is_text(word):
            try:
                sys.argv[number] = os.fsencode(word).decode("utf-8")
            except UnicodeDecodeError as error:
                what = f"argument {number} is not UTF-8 text (byte {error.start})"
                raise CapaxError("bad-option", what, hint="write it as UTF-8") from None


def is_text(text: str) -> bool:
    """Whether a string is text: one with lone surrogates, which stand for bytes that are not UTF-8, is none."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def decoded(data: bytes, name: str, *, start: bool = True) -> str:
    """UTF-8 text with any line ends made plain, and without a byte order mark at the start of a file.

    More than MOST_BYTES, or bytes that are not UTF-8, are an error.
    """
    if len(data) > MOST_BYTES:
        hint = "split it into parts; `run --batch` reads files of any length line by line"
        raise CapaxError("file-unreadable", f"{name} is larger than {MOST_BYTES:,} bytes", hint=hint)
    try:
        return data.decode("utf-8-sig" if start else "utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        hint = "send it as UTF-8" if name == STDIN else "save it as UTF-8"
        raise CapaxError("file-unreadable", f"{name} is not UTF-8 text (byte {error.start})", hint=hint) from None


def read_stdin() -> str:
    """The text on standard input, whatever the terminal's encoding."""
    raw = getattr(sys.stdin, "buffer", None)
    try:
        data = sys.stdin.read().encode("utf-8", "surrogatepass") if raw is None else raw.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(error) from None
    return decoded(data, STDIN)


class StdinLines:
    """The lines of standard input one at a time, each as soon as it is there."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._raw = getattr(stream, "buffer", None)
        self._before = 0

    def readline(self) -> str:
        """The next line with its end, empty at the end of the input; a line that is not UTF-8 is an error."""
        try:
            if self._raw is None:
                data = self._stream.readline().encode("utf-8", "surrogatepass")
            else:
                data = self._raw.readline(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            raise _unreadable(error) from None
        try:
            line = decoded(data, STDIN, start=not self._before)
        except CapaxError as error:
            raise CapaxError(error.code, f"{error.what} in line {self._before + 1}", hint=error.hint) from None
        self._before += 1
        return line


def _unreadable(error: Exception) -> CapaxError:
    why = getattr(error, "strerror", None) or error
    return CapaxError("file-unreadable", f"cannot read {STDIN}: {why}", hint="is it closed?")
