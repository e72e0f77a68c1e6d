"""The classic prompt, against transcripts written by hand from the notes on the reference implementation.

`in/NAME.txt` is typed and `expected/NAME.txt` printed; `files/` holds what is loaded. The expected texts say
what the reference prints, so they are not written by `--update-golden`.
"""

import io
from pathlib import Path

import pytest

from capax.app.repl.classic.screen import Classic
from capax.app.repl.repl import piped_reader, run_classic
from capax.app.session import Session

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "in").iterdir())


def printed(typed: str) -> str:
    """What the classic prompt prints when this is typed."""
    out = io.StringIO()
    run_classic(Session(Classic(out), classic=True), piped_reader(io.StringIO(typed), out), out)
    return out.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_transcript(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    expected = (HERE / "expected" / f"{name}.txt").read_text(encoding="utf-8")
    assert printed((HERE / "in" / f"{name}.txt").read_text(encoding="utf-8")).split("\n") == expected.split("\n")


def test_every_input_has_its_output() -> None:
    assert sorted(path.stem for path in (HERE / "expected").iterdir()) == NAMES


def test_syntax_errors_of_a_file_come_before_what_it_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.rasp").write_text("a = 1;\nb = 2 +;\nc = zzz;\na = 3;\n")
    lines = printed('load "broken";\n').split("\n")[2:]
    assert lines[0].startswith(">> \t!! antlr exception: ")
    assert lines[0].endswith(" \t-- ignoring input")
    shown = ["    value: a =  1", "\t\t!!ignoring input:", "\t Error: Undefined variable: zzz", "    value: a =  3"]
    assert lines[1:] == [*shown, ">> ", ""]


def test_after_a_syntax_error_the_rest_of_its_line_is_dropped() -> None:
    lines = printed("1 + ; tokens;\nx = 1; y = );  z = 3;\nx;\n").split("\n")[2:]
    assert len([line for line in lines if "antlr exception" in line]) == 2
    assert lines[1] == ">>     value: x =  1"
    assert lines[3:] == [">>     value: x =  1", ">> ", ""]


def test_an_interrupt_drops_what_was_begun() -> None:
    lines = iter(["x =", None, "x;", "y = 2;"])
    out = io.StringIO()

    def read(prompt: str) -> str:
        out.write(prompt)
        try:
            line = next(lines)
        except StopIteration:
            raise EOFError from None
        if line is None:
            raise KeyboardInterrupt
        return line

    run_classic(Session(Classic(out), classic=True), read, out)
    undefined = "\t\t!!ignoring input:\n\t Error: Undefined variable: x\n"
    assert out.getvalue().split("hello\n")[1] == f">> .. \n>> {undefined}>>     value: y =  2\n>> \n"
