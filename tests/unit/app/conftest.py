"""The command line, run inside the test's own process in an empty folder."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from capax.app import cli
from tests.unit.app.outcome import Capax, Done


@pytest.fixture
def capax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Capax]:
    """Runs `capax ARGS` with a standard input and gives the exit code and what was printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    digits = sys.get_int_max_str_digits()

    def run(*args: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "argv", ["capax", *args])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code: object = 0
        try:
            cli.main()
        except SystemExit as left:
            code = left.code or 0
        out, err = capsys.readouterr()
        return Done(int(str(code)), out, err)

    yield run
    sys.set_int_max_str_digits(digits)
