"""The commands as functions: plain data in, plain data out. Every door calls these."""

import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from capax.app.files.read import find_rasp, read_text
from capax.app.resolve import Resolved, resolve
from capax.app.session import Finder, Session, Silent
from capax.errors import CapaxError, Notice, Source
from capax.rasp import library
from capax.rasp.ir.graph import topological
from capax.rasp.meaning.evaluation import Evaluation, evaluation_on
from capax.rasp.meaning.sequence import Matrix, Sequence
from capax.rasp.text.format import format_text
from capax.rasp.text.interpreter import Limits
from capax.rasp.text.parser import parse


def run(program: str | Resolved, word: Iterable[Any], *, trace: bool = False) -> dict[str, Any]:
    """The value of a program on a word, and with `trace` that of every named step."""
    resolved = resolve(program)
    evaluation = evaluation_on(word)
    value = resolved.program.on(evaluation)
    result = {"program": resolved.name, "input": evaluation.tokens, **_plain(value)}
    if trace:
        result["trace"] = _trace(resolved, evaluation)
    return result


def _plain(value: Sequence | Matrix) -> dict[str, Any]:
    if isinstance(value, Matrix):
        return {"kind": "selector", "type": "bools", "values": [list(row) for row in value.rows]}
    return {"kind": "s-op", "type": value.type, "values": list(value.values)}


def _trace(resolved: Resolved, evaluation: Evaluation) -> list[dict[str, Any]]:
    names = resolved.program.names()
    return [
        {"name": names[node], **_plain(evaluation.value(node))}
        for node in topological(resolved.program.node)
        if node in names
    ]


def plan(program: str | Resolved) -> list[dict[str, Any]]:
    """How the fast evaluator answers each selector of a program."""
    from capax.rasp.meaning.vector.plan import plan as plan_of  # brings numpy

    resolved = resolve(program)
    names = resolved.program.names()
    return [
        {"name": names.get(step.node), "what": step.what, "how": list(step.how), "cost": step.cost}
        for step in plan_of(resolved.program.node, names)
    ]


def run_text(text: str, name: str = "text") -> dict[str, Any]:
    """The names that a text defines, after running it; an error in it is raised."""
    session = Session()
    session.run_text(Source(name, text))
    return {n: type(v).__name__ for n, v in session.console.variables.items() if n != "out"}


def list_library() -> list[dict[str, Any]]:
    """The library's entries: name, file, description, examples, parameters."""
    return [asdict(entry) for entry in library.entries().values()]


class _Collecting(Silent):
    """A screen that keeps errors and warnings."""

    def __init__(self) -> None:
        self.errors: list[CapaxError] = []
        self.notices: list[Notice] = []

    def error(self, session: Session, error: CapaxError, depth: int) -> None:
        """Keeps the error."""
        self.errors.append(error)

    def notice(self, session: Session, notice: Notice, depth: int) -> None:
        """Keeps the warning."""
        self.notices.append(notice)


def check(
    path: str, text: str | None = None, *, finder: Finder = find_rasp, limits: Limits | None = None
) -> dict[str, Any]:
    """What is wrong with a file (or a text given for it), what may surprise in it, and what it defines."""
    source = Source(path, read_text(Path(path)) if text is None else text)
    screen = _Collecting()
    session = Session(screen, finder=finder, limits=limits)
    scope = session.load_source(source, session.console, str(Path(path).resolve()))
    _blame(screen.errors, source)
    return {
        "file": path,
        "ok": not screen.errors,
        "errors": [e.to_json() | {"text": e.render()} for e in screen.errors],
        "warnings": [n.to_json() | {"text": n.render()} for n in screen.notices],
        "names": [n for n in scope.variables if not n.startswith("_") and n != "out"],
    }


def _blame(errors: list[CapaxError], source: Source) -> None:
    """Says of a name that is missing only since the statement that assigns it failed, which statement that is."""
    failed: dict[str, int] = {}
    for error in errors:
        if error.code == "undefined-name" and error.data.get("name") in failed:
            error.hint = f"mend line {failed[error.data['name']]} first, which assigns it"
        if error.where is not None and error.where.source == source:
            before = source.text[: error.where.start]
            begun = before[max(before.rfind(";"), before.rfind("}")) + 1 :]
            found = re.match(r"(?:\s|#[^\n]*\n)*(\w+)\s*=(?!=)", begun)
            if found:
                failed.setdefault(found[1], error.where.line)


def fmt(text: str, name: str = "text") -> dict[str, Any]:
    """A text in canonical form, comments kept, and the warnings about it; one with syntax errors is refused."""
    parsed = parse(Source(name, text))
    if parsed.errors:
        raise parsed.errors[0]
    after = format_text(parsed)
    warnings = [n.to_json() | {"text": n.render()} for n in parsed.notices]
    return {"file": name, "changed": after != text, "text": after, "warnings": warnings}
