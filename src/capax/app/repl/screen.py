"""The screen of `capax repl`: values on the running example, errors with their location."""

import shutil
from typing import Any, TextIO
from unicodedata import combining, east_asian_width

from capax.app.process.output import colour_wanted, paint
from capax.app.session import Session
from capax.errors import CapaxError, Notice
from capax.rasp.ir.strings import string_text
from capax.rasp.ir.types import integer_text
from capax.rasp.meaning.sequence import (
    Matrix,
    ProgramValue,
    Sequence,
    Triples,
    format_value,
    format_values,
    visible_string,
)
from capax.rasp.python.program import Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector
from capax.rasp.text.text_values import Applied, Builtin, Drawn, Function, Named, Outcome

MOST_SHOWN = 60
"""Longer sequences, lists and matrices are cut."""


class Plain:
    """Prints results one by one; what a file defines is listed when it has been read."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._colour = colour_wanted(out)
        self._files: list[dict[str, object]] = []
        self.errors = 0
        """How many errors were printed."""

    def _print(self, text: str, style: str | None = None) -> None:
        self._out.write((paint(text, style, on=self._colour) if style else text) + "\n")

    def outcome(self, session: Session, outcome: Outcome, depth: int) -> None:
        """Prints what a statement left; inside a file names are collected."""
        if depth > 0:
            if isinstance(outcome, Named) and outcome.bound:
                while len(self._files) < depth:
                    self._files.append({})
                self._files[depth - 1][outcome.name] = outcome.value
            return
        try:
            match outcome:
                case Named():
                    self._named(session, outcome.name, outcome.value)
                case Applied():
                    self._print(show_value(outcome.value, outcome.word))
                case Drawn():
                    self._drawn(session, outcome)
        except CapaxError as error:
            self.error(session, error, depth)

    def error(self, session: Session, error: CapaxError, depth: int) -> None:
        """Prints an error with its location and hint."""
        self.errors += 1
        self._print(error.render(), "error")

    def notice(self, session: Session, notice: Notice, depth: int) -> None:
        """Prints a warning with its location and hint."""
        self._print(notice.render(), "warning")

    def examples(self, session: Session, which: str | None) -> None:
        """Prints the running examples."""
        if which in (None, "s-op"):
            self._print(f"s-op example: {show_word(session.sop_example)}")
        if which in (None, "selector"):
            self._print(f"selector example: {show_word(session.selector_example)}")

    def loaded(self, session: Session, name: str, depth: int) -> None:
        """Lists the public names that a file defined."""
        names = self._files.pop() if len(self._files) == depth else {}
        if depth > 1 and names:
            while len(self._files) < depth - 1:
                self._files.append({})
            self._files[-1].update({n: v for n, v in names.items() if not n.startswith("_")})
        public = [_signature(n, v) for n, v in names.items() if not n.startswith("_")]
        if depth == 1:
            self._print(f"loaded {name}: {', '.join(public) if public else 'nothing public'}")

    def _named(self, session: Session, name: str, value: Any) -> None:
        match value:
            case SOp():
                self._print(f"s-op {paint(name, 'name', on=self._colour)}")
                if session.show_sops:
                    self._on_example(session, name, value)
            case Selector() | TripleSelector():
                kind = "selector" if isinstance(value, Selector) else "selector over triples"
                self._print(f"{kind} {paint(name, 'name', on=self._colour)}")
                if session.show_selectors:
                    self._on_example(session, name, value)
            case Function() | Builtin():
                self._print(f"function {_signature(name, value)}")
            case Sequence():
                self._print(f"{name} = {show_value(value, None)}")
            case Matrix() | Triples():
                self._print(f"{name} =\n{show_value(value, None)}")
            case _:
                self._print(f"{name} = {show_plain(value)}")

    def _on_example(self, session: Session, name: str, value: SOp | Selector | TripleSelector) -> None:
        word = session.example_for(value)
        try:
            result = session.on_example(value)
        except CapaxError as error:
            defined = "is defined, but " if name != "out" else ""
            self._print(f"  {defined}fails on the example {show_word(word)}:", "warning")
            self._print(error.render(), "warning")
            return
        applied = f"  {name}({show_word(word)}) = "
        if isinstance(result, Sequence) and session.full_display:
            self._print(show_columns(result, list(word)))
        elif isinstance(result, Sequence):
            self._print(applied + show_value(result, word))
        else:
            self._print(show_value(result, word))

    def _drawn(self, session: Session, outcome: Drawn) -> None:
        """Draws the layers of an s-op on a word."""
        from capax.draw.ink.terminal import terminal
        from capax.draw.view.flow import flow

        word = session.example_for(outcome.program) if outcome.word is None else outcome.word
        picture = flow(outcome.program, list(word), everything=False)
        self._print(terminal(picture, width=shutil.get_terminal_size((100, 40)).columns, colour=self._colour))


def _signature(name: str, value: Any) -> str:
    return f"{name}({', '.join(value.params)})" if isinstance(value, (Function, Builtin)) else name


def show_word(word: Any) -> str:
    """An input as it is typed."""
    return string_text(word) if isinstance(word, str) else show_plain(word)


def show_plain(value: Any) -> str:
    """A value of the host language, shortened where it is long."""
    match value:
        case list():
            cut = [*map(show_plain, value[:MOST_SHOWN])] + (
                [f"... ({len(value):,})"] if len(value) > MOST_SHOWN else []
            )
            return f"[{', '.join(cut)}]"
        case dict():
            return "{" + ", ".join(f"{show_plain(k)}: {show_plain(v)}" for k, v in value.items()) + "}"
        case SOp() | Selector() | TripleSelector() | Function() | Builtin():
            return f"<{value}>" if isinstance(value, (Function, Builtin)) else repr(value)
        case str():
            return string_text(value)
        case int() if not isinstance(value, bool):
            return integer_text(value)
        case _:
            return str(value)


def show_value(value: ProgramValue, word: Any) -> str:
    """The result of a program, shortened where it is long."""
    if isinstance(value, Triples):
        return show_triples(value, None if word is None else list(word))
    if isinstance(value, Matrix):
        return show_matrix(value, None if word is None else list(word))
    return show_values(list(value.values), value.type, MOST_SHOWN)


def show_values(values: list[Any], type_: str, most: int | None = None) -> str:
    """A sequence; strings that would not be seen, or be misread, stand in quotes."""
    shown = [visible_string(v) if isinstance(v, str) else v for v in values[:most]]
    if most is not None and len(values) > most:
        shown.append(f"... {len(values):,} in all")
    return format_values(shown, type_)


def show_columns(value: Sequence, word: list[Any]) -> str:
    """The input above the output, aligned."""
    rows = [[format_value(v) for v in word], [format_value(v) for v in value]]
    wide = [max(len(a), len(b)) for a, b in zip(*rows, strict=True)]
    lines = [" ".join(c.rjust(w) for c, w in zip(row, wide, strict=True)) for row in rows]
    return f"  input   {lines[0]}\n  output  {lines[1]}   ({value.type})"


def show_matrix(matrix: Matrix, word: list[Any] | None) -> str:
    """A selector's pairs: keys across, queries down."""
    n = min(len(matrix), MOST_SHOWN)
    tokens = [_cell(t) for t in (word or range(len(matrix)))][:n]
    wide = max(map(_columns, tokens))
    lines = ["  " + " " * wide + "   " + " ".join(_right(t, wide) for t in tokens)]
    for token, row in zip(tokens, matrix.rows, strict=False):
        cells = " ".join(("■" if cell else "·").rjust(wide) for cell in row[:n])
        lines.append(f"  {_right(token, wide)} | {cells}")
    if n < len(matrix):
        lines.append(f"  ... {len(matrix):,} x {len(matrix):,} in all")
    return "\n".join(lines)


MOST_SLICES = 8
"""Of a selector over triples the pairs of so many queries are shown."""


def show_triples(triples: Triples, word: list[Any] | None) -> str:
    """The pairs that each query selects: first keys down, second keys across."""
    tokens = [_cell(t) for t in (word or range(len(triples)))]
    lines: list[str] = []
    for query, token in enumerate(tokens[:MOST_SLICES]):
        pairs = sum(sum(row) for row in triples.rows[query])
        lines.append(f"  query {token} selects {pairs:,} pair{'' if pairs == 1 else 's'}")
        if pairs:
            lines.append(show_matrix(triples.slice(query), word))
    if len(triples) > MOST_SLICES:
        lines.append(f"  ... {len(triples):,} queries in all")
    return "\n".join(lines)


def _cell(token: Any) -> str:
    return visible_string(token) if isinstance(token, str) else format_value(token)


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters take two, combining ones none."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _right(text: str, width: int) -> str:
    return " " * (width - _columns(text)) + text
