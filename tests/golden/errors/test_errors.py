"""Every error code: what a user sees, kept in `messages/CODE.txt`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import capax
from capax.app.cli import create_app
from capax.app.session import Session, Silent
from capax.errors import CODES, CapaxError, Notice, Source
from capax.rasp.text.interpreter import Limits
from tests.golden.conftest import Golden
from tests.golden.errors.cases import Case, Command, Python, Text, cases

MESSAGES = Path(__file__).parent / "messages"
CASES = cases()


class Kept(Silent):
    """A screen that keeps errors and warnings."""

    def __init__(self) -> None:
        self.said: list[CapaxError | Notice] = []

    def error(self, session: Session, error: CapaxError, depth: int) -> None:
        """Keeps an error."""
        self.said.append(error)

    def notice(self, session: Session, notice: Notice, depth: int) -> None:
        """Keeps a warning."""
        self.said.append(notice)


def said(case: Case) -> list[CapaxError | Notice]:
    """The errors and warnings of a case, whose files are written into the working directory."""
    for name, content in case.files.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if isinstance(case, Command):
        outcome = CliRunner().invoke(create_app(case.args[0]), list(case.args))
        assert isinstance(outcome.exception, CapaxError), (case.args, outcome.exception, outcome.output)
        return [outcome.exception]
    if isinstance(case, Python):
        with pytest.raises(CapaxError) as raised:
            exec(case.code, {name: getattr(capax, name) for name in capax.__all__})
        return [raised.value]
    screen = Kept()
    session = Session(screen, limits=Limits(steps=case.steps))
    session.run_text(Source("program.rasp", case.text))
    return screen.said


def shown(case: Case) -> str:
    """The input of a case as typed."""
    match case:
        case Text():
            typed = case.text
        case Python():
            typed = "\n".join(f">>> {line}" for line in case.code.split("\n"))
        case Command():
            typed = "$ capax " + " ".join(repr(a) if " " in a else a for a in case.args)
    files = [f"({name}: {content!r})" for name, content in case.files.items()]
    return "\n".join([*(f"  {line}" for line in typed.rstrip("\n").split("\n")), *(f"  {f}" for f in files)])


def test_every_code_has_a_case() -> None:
    assert set(CASES) == set(CODES)


def test_every_message_belongs_to_a_code() -> None:
    assert {path.stem for path in MESSAGES.iterdir()} == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_message(code: str, golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parts = []
    for case in CASES[code]:
        found = said(case)
        assert code in {each.code for each in found}, (case, found)
        parts.append("\n".join([shown(case), *(each.render() for each in found)]))
    golden(MESSAGES / f"{code}.txt", "\n\n".join(parts) + "\n")
