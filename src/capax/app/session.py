"""A session: the scopes, the running examples and the switches behind a prompt or a file run."""

from typing import Any, Protocol

from capax.app.files.loader import FileLoader, Finder
from capax.app.files.text_files import find_rasp
from capax.errors import CapaxError, Notice, Source, Span
from capax.rasp import library
from capax.rasp.ir import build
from capax.rasp.meaning.evaluation import Evaluation, evaluation_on, fitting
from capax.rasp.meaning.sequence import ProgramValue
from capax.rasp.python.program import Program, SOp
from capax.rasp.text import operators as operate
from capax.rasp.text import syntax as s
from capax.rasp.text.interpreter import Interpreter, Limits
from capax.rasp.text.module import standard_scope
from capax.rasp.text.parser import Parsed, parse
from capax.rasp.text.scope import Scope
from capax.rasp.text.text_values import Outcome


class Screen(Protocol):
    """Shows what happens in a session; `depth` counts the files being loaded, 0 at the prompt."""

    def outcome(self, session: "Session", outcome: Outcome, depth: int) -> None:
        """Shows what a statement left."""

    def error(self, session: "Session", error: CapaxError, depth: int) -> None:
        """Shows an error."""

    def notice(self, session: "Session", notice: Notice, depth: int) -> None:
        """Shows a warning."""

    def examples(self, session: "Session", which: str | None) -> None:
        """Shows the running examples."""

    def loaded(self, session: "Session", name: str, depth: int) -> None:
        """Called when the file at this depth has been read."""


class Silent:
    """A screen that raises errors and shows nothing."""

    def outcome(self, session: "Session", outcome: Outcome, depth: int) -> None:
        """Shows nothing."""

    def error(self, session: "Session", error: CapaxError, depth: int) -> None:
        """Raises the error."""
        raise error

    def notice(self, session: "Session", notice: Notice, depth: int) -> None:
        """Shows nothing."""

    def examples(self, session: "Session", which: str | None) -> None:
        """Shows nothing."""

    def loaded(self, session: "Session", name: str, depth: int) -> None:
        """Shows nothing."""


class Leave(Exception):  # noqa: N818 (it is not an error)
    """Raised by `exit` and `quit`."""


class Session:
    """Runs texts statement by statement and reports to a screen."""

    def __init__(
        self,
        screen: Screen | None = None,
        *,
        limits: Limits | None = None,
        finder: Finder = find_rasp,
        classic: bool = False,
        numbers: bool = False,
    ) -> None:
        """A session; with `classic` the rules are those of the reference, with `numbers` `tokens` is not made text."""
        self.files = FileLoader(self._run_file, finder)
        self.classic = classic
        self.screen: Screen = screen or Silent()
        self.interpreter = Interpreter(loader=self.files.load, limits=limits, classic=classic)
        self.base = standard_scope(self.interpreter)
        if numbers:
            self.base = Scope("console", self.base, variables={"tokens": build.inputs["tokens_asis"]})
        self.console = Scope("console", self.base, top_level=True)
        self.show_sops = self.show_selectors = True
        self.full_display = False
        self.sop_example: Any = "hello"
        self.selector_example: Any = "hello"
        self._evaluations: dict[str, Evaluation] = {}

    # running

    def run_text(self, source: Source, scope: Scope | None = None) -> None:
        """Runs a text in a scope (the console's by default); errors go to the screen and the rest goes on.

        Each statement of the console has the whole budget; a file has one for all of it, and ends with it.
        """
        target = scope or self.console
        parsed = self.parse(source)
        notices = list(parsed.notices)
        dropped = 0  # the line of a syntax error, of which the reference reads no more
        for item in parsed.items:
            if self.classic and dropped and _line(item, source) == dropped:
                continue
            if isinstance(item, CapaxError):
                self.screen.error(self, item, self.files.depth)
                dropped = _line(item, source)
                continue
            for notice in notices:
                if notice.where is not None and item.at[0] <= notice.where.start < item.at[1]:
                    self.screen.notice(self, notice, self.files.depth)
            if scope is None:
                self.interpreter.renew_budget()
            self._run_item(item, target, source)
            if scope is not None and self.interpreter.is_spent:
                return

    def parse(self, source: Source) -> Parsed:
        """The statements of a text, by the rules of the session."""
        return parse(source, escapes=not self.classic)

    def _run_item(self, item: s.Statement, scope: Scope, source: Source) -> None:
        depth = self.files.depth
        try:
            if isinstance(item, s.COMMANDS):
                self._command(item, scope, source)
                return
            outcomes = self.interpreter.run(item, scope, source)
        except CapaxError as error:
            self.screen.error(self, self.with_hint(error.at(Span(source, *item.at))), depth)
            return
        finally:
            notices, self.interpreter.notices = self.interpreter.notices, []
            for notice in notices:
                self.screen.notice(self, notice, depth)
        for outcome in outcomes:
            self.screen.outcome(self, outcome, depth)

    def with_hint(self, error: CapaxError) -> CapaxError:
        """The error; an undefined name that the library has gets told where."""
        entry = library.entries().get(str(error.data.get("name"))) if error.code == "undefined-name" else None
        if entry is not None:
            error.hint = f'`{entry.name}` is in the library: load "{entry.module}";'
        return error

    def _command(self, item: s.Statement, scope: Scope, source: Source) -> None:
        match item:
            case s.SetExample():
                value = operate.plain(self.interpreter.evaluate(item.example, scope, source))
                self.set_example(value, item.which, Span(source, *item.example.at))
            case s.ShowExample():
                self.screen.examples(self, item.which)
            case s.SwitchExamples():
                if item.which in (None, "s-op"):
                    self.show_sops = item.on
                if item.which in (None, "selector"):
                    self.show_selectors = item.on
            case s.SwitchFull():
                self.full_display = item.on
            case s.Exit():
                raise Leave

    # examples

    def set_example(self, value: Any, which: str | None = None, where: Span | None = None) -> None:
        """Changes the running example of s-ops, of selectors, or of both."""
        if not isinstance(value, (str, list, dict)):
            raise CapaxError(
                "not-iterable",
                f"an example is a string or a list, not {build.describe_value(value)}",
                where,
                'write for instance `set example "abc"`',
                loop="example",
                value=value,
            )
        if which in (None, "s-op"):
            self.sop_example = value
        if which in (None, "selector"):
            self.selector_example = value
        self._evaluations.clear()

    def example_for(self, program: Program) -> Any:
        """The running example of a program, cut or repeated to the length of its lists if it has lists for s-ops."""
        example = self.sop_example if isinstance(program, SOp) else self.selector_example
        return fitting(example, program.node)

    def on_example(self, program: Program) -> ProgramValue:
        """The value of a program on its running example; values are kept while the example stays."""
        kind = "s-op" if isinstance(program, SOp) else "selector"
        running = self.selector_example if kind == "selector" else self.sop_example
        example = self.example_for(program)
        if example is not running:
            return program.on(evaluation_on(example))
        if kind not in self._evaluations:
            self._evaluations[kind] = evaluation_on(running)
        return program.on(self._evaluations[kind])

    # files

    def open(self, name: str) -> None:
        """Loads a file or a library file by its name; a file that does not exist is an error."""
        self.files.load(name.removesuffix(".rasp"), Source("console", ""), self.console, None)

    def _run_file(self, source: Source, inside: Scope) -> None:
        """Runs a file in its scope, with the running examples switched off."""
        switches = self.show_sops, self.show_selectors
        self.show_sops = self.show_selectors = False
        try:
            self.run_text(source, inside)
        except Leave:
            pass
        finally:
            self.screen.loaded(self, inside.name, self.files.depth)
            self.show_sops, self.show_selectors = switches


def _line(item: s.Statement | CapaxError, source: Source) -> int:
    """The line on which a statement, or an error in one, starts."""
    if isinstance(item, CapaxError):
        return 0 if item.where is None else item.where.line
    return source.line_of(item.at[0])
