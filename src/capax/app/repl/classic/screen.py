"""The classic screen: what the reference implementation prints, to the byte.

The formats are those of tech-srl/RASP 0.1. Only the wording of syntax errors is our own.
"""

from collections.abc import Callable
from typing import Any, TextIO

from capax.app.repl.classic.errors import classic_error
from capax.app.repl.classic.names import classic_function, classic_name
from capax.app.session import Session
from capax.errors import CapaxError, Notice
from capax.rasp.meaning.sequence import Matrix, ProgramValue, Sequence, Triples, format_values
from capax.rasp.python.program import Program, Selector, SOp
from capax.rasp.text.text_values import Applied, Builtin, Drawn, Function, Named, Outcome

_SYNTAX = {"syntax", "missing-semicolon", "unclosed", "bad-character", "keyword"}


class Classic:
    """Prints as the reference does. What a file leaves is printed when the file has been read."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._waiting: list[tuple[str | None, Callable[[], None]]] = []
        self._error_waiting = False

    def _print(self, text: str) -> None:
        self._out.write(text + "\n")

    # the screen

    def outcome(self, session: Session, outcome: Outcome, depth: int) -> None:
        """Prints what a statement left, or keeps it until the file is read."""
        if isinstance(outcome, (Named, Drawn)):
            program = outcome.value if isinstance(outcome, Named) else None
            if isinstance(program, Program):
                failure = self._failure(session, program)
                if failure is not None:
                    self.error(session, failure, depth)
                    return
        if depth == 0:
            self._show(session, outcome)
            return
        if isinstance(outcome, Named):
            hidden = outcome.name.startswith("_") or outcome.name == "out"
            show = (lambda: None) if hidden else (lambda: self._show(session, outcome))
            self._waiting.append((outcome.name, show))

    def _failure(self, session: Session, program: Program) -> CapaxError | None:
        """The error of a program on the running example for s-ops, which the reference tries first."""
        try:
            session.on_example(SOp(program.node, program.construction))
        except CapaxError as error:
            return error
        return None

    def _show(self, session: Session, outcome: Outcome) -> None:
        try:
            match outcome:
                case Named():
                    self._named(session, outcome.name, outcome.value)
                case Applied():
                    self._applied(session, outcome.value, outcome.word)
                case Drawn():
                    word = session.sop_example if outcome.word is None else outcome.word
                    self._applied(session, outcome.program(word), word)
        except CapaxError as error:
            self._print(f"\t!!statement executed, but result fails on evaluation:\n\t\t {classic_error(error)[0]}")

    def error(self, session: Session, error: CapaxError, depth: int) -> None:
        """Prints an error; inside a file only syntax errors are printed at once."""
        message, kind = classic_error(error)
        if error.code in _SYNTAX:
            self._print(f"\t!! antlr exception: {message} \t-- ignoring input")
            return
        text = {
            "ignoring": f"\t\t!!ignoring input:\n\t {message}",
            "wrong": f"something went wrong: {message}",
            "bare": message,
        }[kind]
        if depth == 0:
            self._print(text)
        else:
            self._error_waiting = True
            self._waiting.append((None, lambda: self._print(text)))

    def notice(self, session: Session, notice: Notice, depth: int) -> None:
        """Prints nothing: the reference has no warnings."""

    def examples(self, session: Session, which: str | None) -> None:
        """Prints the running examples."""
        if which in (None, "s-op"):
            self._print(f"\ts-op example: {_quoted(session.sop_example)}")
        if which in (None, "selector"):
            self._print(f"\tselector example: {_quoted(session.selector_example)}")

    def loaded(self, session: Session, name: str, depth: int) -> None:
        """Prints what the file left: each name once, unless there was an error."""
        waiting = self._waiting
        if not self._error_waiting:
            last = {name: i for i, (name, _) in enumerate(waiting)}
            waiting = [w for i, w in enumerate(waiting) if w[0] is None or last[w[0]] == i]
        self._waiting, self._error_waiting = [], False
        for _, show in waiting:
            show()

    # values

    def _named(self, session: Session, name: str | None, value: Any, tabs: int = 0, key: str = "") -> None:
        pref = "\t" * tabs
        match value:
            case SOp():
                shown = classic_name(value) if name is None else name
                self._print(f"{pref} {key}    s-op: {shown}")
                if session.show_sops:
                    self._sop_example(session, shown, value, pref)
            case Selector():
                shown = classic_name(value) if name is None else name
                self._print(f"{pref} {key}    selector: {shown}")
                if session.show_selectors:
                    self._print(f"{pref} \t Example:")
                    matrix = session.on_example(value)
                    assert isinstance(matrix, Matrix)
                    self._matrix(session.selector_example, matrix, pref)
            case Function():
                self._print(f"{pref} {key}    {classic_function(value)}")
            case Builtin():
                self._print(f"{pref} {key}    {value}")
            case list() | Sequence() | Matrix():
                self._collection(session, "list", "[]", name, list(value), tabs, key)
            case dict():
                self._collection(session, "dict", "{}", name, value, tabs, key)
            case _:
                self._print(f"{pref}    value: {_titled(name)} {_quoted(value)}")

    def _collection(
        self, session: Session, kind: str, brackets: str, name: str | None, items: Any, tabs: int, key: str
    ) -> None:
        pref, title = "\t" * tabs, f"   {kind}: {_titled(name)}"
        parts = items.values() if kind == "dict" else items
        if not any(isinstance(v, (list, dict, Program)) for v in parts):
            self._print(f"{pref} {key} {title}{items}")
            return
        self._print(f"{pref} {key} {title}{pref} {brackets[0]}")
        for item in items:
            if kind == "dict":
                self._named(session, None, items[item], tabs + 3, f"{_quoted(item)} : ")
            else:
                self._named(session, None, item, tabs + 2)
        self._print(pref + " " * (len(title) + 2) + brackets[1])

    def _sop_example(self, session: Session, name: str, value: SOp, pref: str) -> None:
        result = session.on_example(value)
        assert isinstance(result, Sequence)
        applied = f"{name}({_quoted(session.sop_example)}) ="
        if session.full_display:
            # The reference shows the selectors' example as the input; this is the s-ops' own.
            self._full(f"{pref} \t Example:", applied, session.sop_example, result, pref)
        else:
            self._print(f"{pref} \t Example: {applied} {format_values(result.values, result.type)}")

    def _full(self, lead: str, applied: str, word: Any, result: Sequence, pref: str) -> None:
        if len(set(result.values)) == 1:
            shown = format_values(result.values, result.type)
            self._print(f"{lead} {applied} {shown} [skipped full display: identical values]")
            return
        self._print(lead)
        inputs, outputs = _cells(list(word)), _cells(list(result.values))
        wide = max(map(len, inputs + outputs))
        for title, cells, type_ in (("input:  ", inputs, "strings"), ("output: ", outputs, result.type)):
            line = " ".join(c.rjust(wide) for c in cells)
            self._print(f"{pref} \t\t{title} {line} \t ({type_})")

    def _applied(self, session: Session, value: ProgramValue, word: Any) -> None:
        assert not isinstance(value, Triples)  # the reference has no such selectors
        if isinstance(value, Matrix):
            self._print("\t = ")
            self._matrix(word, value, "")
        elif session.full_display:
            self._full("\t = ", "", word, value, "")
        else:
            self._print(f"\t =  {format_values(value.values, value.type)}")

    def _matrix(self, word: Any, matrix: Matrix, pref: str) -> None:
        self._print(f"{pref} \t\t\t     {' '.join(str(t) for t in word)}")
        for token, row in zip(word, matrix, strict=True):
            self._print(f"{pref} \t\t\t {token} | {' '.join('1' if cell else ' ' for cell in row)}")


def _titled(name: str | None) -> str:
    return "" if name is None else f"{name} = "


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cells(values: list[Any]) -> list[str]:
    """The values as text; of booleans only the rarer of the two is shown."""
    if not isinstance(values[0], bool):
        return [str(v) for v in values]
    true, false = values.count(True), values.count(False)
    shown = {True: "T" if true <= false else "", False: "F" if false <= true else ""}
    return [shown[bool(v)] for v in values]
