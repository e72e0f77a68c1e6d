"""Standard streams and arguments that are closed, too long or not UTF-8; and files that are no files."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from capax.app import inputs
from capax.app.commands import _batches as batches
from capax.app.process import streams
from capax.errors import CapaxError
from tests.unit.app.outcome import Capax
from tests.unit.app.process.test_main import MAIN, process

READERS = ("run reverse -", "layers reverse -", "draw reverse -", "check -", "fmt -", "repl", "repl --classic")


@pytest.mark.parametrize("command", READERS)
def test_input_beyond_the_limit_is_refused(command: str, capax: Capax, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_BYTES", 20)
    done = capax(*command.split(), stdin="x = 1;\n# " + 30 * "y" + "\nz = 2;\n")
    assert done.code == 2
    assert "error[file-unreadable]: standard input is larger than 20 bytes" in done.err
    assert "z = 2" not in done.out


@pytest.mark.parametrize("command", READERS)
def test_input_that_is_not_utf8(command: str, capax: Capax, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same error everywhere; no half of a character becomes a token."""
    done = capax(*command.split(), stdin="ab\udcff")
    assert done.code == 2
    assert "error[file-unreadable]: standard input is not UTF-8 text (byte 2)" in done.err


@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii:surrogateescape"])
def test_the_encoding_of_the_terminal_does_not_matter(encoding: str, tmp_path: Path) -> None:
    done = process(tmp_path, "run", "reverse", "-", stdin=b"ab\xff", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not UTF-8 text (byte 2)" in done.stderr


def test_arguments_are_utf8(capax: Capax) -> None:
    done = capax("run", "reverse", "ab\udcff")
    assert (done.code, done.err.split(":")[0]) == (2, "error[bad-option]")
    assert (
        capax("run", "reverse", os.fsencode("é").decode("ascii", "surrogateescape")).out
        == capax("run", "reverse", "é").out
    )


def test_halves_of_characters_are_no_tokens() -> None:
    with pytest.raises(CapaxError, match="not a character") as raised:
        inputs.split_input('["a", "\\ud800"]', "json")
    assert raised.value.code == "bad-input"


def test_too_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MOST_TOKENS", 3)
    for text, split in (("abcd", "chars"), ("1 2 3 4", "ints"), ("[1,2,3,4]", "json")):
        with pytest.raises(CapaxError) as raised:
            inputs.split_input(text, split)
        assert raised.value.code == "too-large"


def test_a_line_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not kept whole, and the lines after it are there."""
    monkeypatch.setattr(batches, "LONGEST", 5)
    chunk = next(batches._chunks(io.StringIO("abc\n" + "x" * 23 + "\ndefgh\n")))
    assert chunk == ["abc\n", "xxxxxx", "defgh\n"]
    assert sorted(batches._read(chunk, "chars")[1]) == [1]


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("run reverse - <&-", 2, "cannot read standard input"),
        ("repl <&-", 2, "cannot read standard input"),
        ("run reverse --batch - <&-", 2, "cannot read standard input: Bad file descriptor"),
        ("run reverse --batch words.txt > /dev/full", 2, "error[file-unreadable]: cannot write the output"),
        ("run reverse --batch words.txt | head -n 1", 0, ""),
        ("run reverse abc >&-", 2, "cannot write the output"),
        ("run reverse abc 2>&-", 0, ""),
        ("run nothing abc 2>&-", 2, ""),
        ("run reverse abc > /dev/full", 2, "error[file-unreadable]: cannot write the output"),
    ],
)
def test_closed_streams(command: str, code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("ab\n" * 5_000)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"{sys.executable}" -c "{MAIN}" {command}'],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == code
    assert said in done.stderr
    assert bool(said) == bool(done.stderr)


def test_pipes_are_not_waited_for(capax: Capax) -> None:
    """A named pipe is refused; one that the shell has made and feeds is read."""
    os.mkfifo("pipe.rasp")
    for words in (
        ["check", "pipe.rasp"],
        ["run", "pipe.rasp", "ab"],
        ["run", "reverse", "--batch", "pipe.rasp"],
        ["size", "pipe.rasp"],
    ):
        done = capax(*words)
        assert (done.code, "is a named pipe" in done.err) == (2, True), done
    Path("loading.rasp").write_text('load "pipe";\n')
    assert "is a named pipe" in capax("check", "loading.rasp").err
    here, there = os.pipe()
    os.write(there, b"x = indices;\n")
    os.close(there)
    assert capax("check", f"/dev/fd/{here}").code == 0
    os.close(here)


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["size"],
        ["run", "reverse", "--batch"],
        ["results", "--results"],
        ["ngram", "fit", "-o", "x.safetensors"],
    ],
)
def test_long_names(words: list[str], capax: Capax) -> None:
    done = capax(*words, "a" * 100_000 + ".rasp")
    assert done.code == 2
    assert "error[file-unreadable]" in done.err
    assert len(done.err) < 1000


@pytest.mark.parametrize("program", ["{}", "{} + 1", "reverse.rasp:{}", "{}.rasp:x", "'{}'"])
def test_long_names_in_programs(program: str, capax: Capax) -> None:
    Path("reverse.rasp").write_text("x = indices;\n")
    done = capax("run", program.format("a" * 100_000), "abc")
    assert done.code == 2
    assert len(done.err) < 1500
    assert len(capax("repl", stdin=program.format("a" * 100_000) + ";\n").out) < 1500


def test_a_long_name_in_load(capax: Capax) -> None:
    done = capax("check", "-", stdin=f'load "{"a" * 100_000}";\n')
    assert "error[file-unreadable]" in done.err
    assert "File name too long" in done.err


def test_unknown_options_have_a_code(capax: Capax) -> None:
    done = capax("size", "x", "--foo")
    assert (done.code, done.err.split(":")[0]) == (2, "error[bad-option]")
    assert "capax size --help" in done.err


@pytest.mark.parametrize(("name", "guarded"), [("capax", True), ("-m", True), ("notebook", False)])
def test_ctrl_c_is_quiet_from_the_first_import(name: str, guarded: bool) -> None:
    plain = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"  # a job may ignore it
    code = f"{plain}; sys.argv = [{name!r}]; import capax; print(signal.getsignal(signal.SIGINT).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip() == "leave_at_once") is guarded


@pytest.mark.parametrize(
    "words", [("layers", "--budget"), ("compile", "reverse", "--max-length"), ("layers",), ("nothing",)]
)
def test_a_command_line_that_lacks_something(capax: Capax, words: tuple[str, ...]) -> None:
    """Also an option without its value, which the library reports without the command that it belongs to."""
    done = capax(*words)
    assert (done.code, done.out, done.err.split(":")[0]) == (2, "", "error[bad-option]")
    assert "\nhint: " in done.err
