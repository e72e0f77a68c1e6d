"""The prompt: `capax repl`, interactive on a terminal, and line by line from a pipe."""

import re
import sys
from collections.abc import Callable
from typing import TextIO

from capax.app.process.streams import StdinLines
from capax.app.repl.classic.screen import Classic
from capax.app.repl.cost import show_cost
from capax.app.repl.help import help_text
from capax.app.repl.screen import Plain
from capax.app.session import Leave, Session
from capax.errors import Source
from capax.rasp.text.interpreter import Limits
from capax.rasp.text.parser import open_braces, parse

ReadLine = Callable[[str], str]
"""Shows a prompt and gives a line; raises EOFError at the end and KeyboardInterrupt when interrupted."""

_BLANK_END = re.compile(r"\S[^\n]*\n\s*$")
"""Text whose last line is empty: Enter was pressed twice."""

_COST = re.compile(r"\s*(layers|compile)\s+([^=(\s][^=]*?)\s*;?\s*")
"""`layers x` and `compile x`: what a program costs, and its weights; no statement of the language looks like this."""

_HELP = re.compile(r"\s*help(?:\s+(\w+))?\s*;?\s*")


def piped_reader(lines: StdinLines, out: TextIO | None) -> ReadLine:
    """Reads lines from a pipe; prompts are written all the same if there is somewhere to."""

    def read(prompt: str) -> str:
        if out is not None:
            out.write(prompt)
        line = lines.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")

    return read


def is_unfinished(text: str, session: Session) -> bool:
    """Whether more lines are needed: nothing but white space and comments, or a statement still open."""
    parsed = session.parse(Source("console", text))
    return not parsed.items or parsed.unfinished


def run_classic(session: Session, read: ReadLine, out: TextIO) -> None:
    """Runs the prompt of the reference implementation until its end."""
    out.write("RASP 0.1\nrunning example is: hello\n")
    while True:
        try:
            text = _read_classic(session, read)
            session.run_text(Source("console", text))
        except EOFError:
            out.write("\n")
            return
        except KeyboardInterrupt:
            out.write("\n")
        except Leave:
            return


class _Counted:
    """A reader that knows how many lines it has given."""

    def __init__(self, read: ReadLine) -> None:
        self._read = read
        self.lines = 0

    def __call__(self, prompt: str) -> str:
        """The next line."""
        line = self._read(prompt)
        self.lines += 1
        return line


def run_plain(session: Session, read: ReadLine, out: TextIO, *, interactive: bool) -> None:
    """Runs the prompt until its end; where nobody types, an empty line ends no statement, and errors have its lines."""
    if interactive:
        out.write(
            'capax: RASP, with the example "hello". A whole statement runs at Enter; try `help`, leave with `exit`.\n'
        )
    counted = _Counted(read)
    while True:
        first = 1 if interactive else counted.lines + 1
        try:
            text = _read_statement(session, counted, blank_ends=interactive)
            question, cost = _HELP.fullmatch(text), _COST.fullmatch(text)
            if cost and not session.console.has(cost[1]):
                show_cost(session, cost[1], cost[2], out)
            elif question and not session.console.has("help"):
                out.write(help_text(session, question[1]) + "\n")
            else:
                session.run_text(Source("console", text, first))
        except EOFError:
            if interactive:
                out.write("\n")
            return
        except KeyboardInterrupt:
            out.write("\n")
        except Leave:
            return


def _read_classic(session: Session, read: ReadLine) -> str:
    """The lines up to a whole statement, or up to an error, with the prompts of the reference."""
    text = ""
    while True:
        text += read(">> " if not text else ".. " + "  " * text.split().count("def")) + "\n"
        if not is_unfinished(text, session):
            return text


def _read_statement(session: Session, read: ReadLine, *, blank_ends: bool) -> str:
    """The lines up to a whole statement, or up to an error.

    At a terminal (`blank_ends`) a statement that lacks only its `;` at the end of a line is whole, and an empty line
    ends one, but not inside a block.
    """
    text = ""
    try:
        while True:
            line = read(".. " if text else ">> ")
            if _HELP.fullmatch(text + line) or (not text and _COST.fullmatch(line)):
                return text + line
            if blank_ends and _BLANK_END.search(text + line) and not open_braces(text):
                return _ended(text + line)
            text += line + "\n"
            if not is_unfinished(text, session):
                return text
            if blank_ends and lacks_end(text):
                return text.rstrip() + ";\n"
    except EOFError:
        # What was typed before the end of the input is still run, and complains if it is unfinished.
        if parse(Source("console", text)).items:
            return text
        raise


def _ended(text: str) -> str:
    """The text, with the `;` that an empty line stands for if only that is missing."""
    return text.rstrip() + ";" if lacks_end(text) else text


def lacks_end(text: str) -> bool:
    """Whether a text lacks nothing but a `;` at its end; one that ends with a comment is not read so."""
    with_end = parse(Source("console", text.rstrip() + ";"))
    return bool(with_end.items) and not with_end.errors and not with_end.unfinished


def repl(*, classic: bool = False, files: tuple[str, ...] = (), limits: Limits | None = None) -> bool:
    """Whether all went well: runs the prompt on the terminal, or on standard input if that is not one.

    At a terminal, and with `classic`, errors are part of the conversation; elsewhere one of them makes it false.
    """
    out = sys.stdout
    interactive = sys.stdin.isatty() and out.isatty()
    plain = Plain(out)
    session = Session(Classic(out) if classic else plain, limits=limits, classic=classic)
    if not interactive:
        read = piped_reader(StdinLines(sys.stdin), out if classic else None)
    elif classic:
        read = input
    else:
        from capax.app.repl.prompt import terminal_reader

        read = terminal_reader(session)
    for file in files:
        session.open(file)
    if classic:
        run_classic(session, read, out)
    else:
        run_plain(session, read, out, interactive=interactive)
    return interactive or not plain.errors
