"""The command line as a process of its own: streams, exit codes, encodings."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from capax.app.options import no_option

MAIN = "from capax.app.cli import main; main()"


def process(tmp_path: Path, *args: str, stdin: bytes = b"", **env: str) -> "subprocess.CompletedProcess[bytes]":
    """The finished process of `capax ARGS`."""
    variables = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")} | env
    command = [sys.executable, "-c", MAIN, *args]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=tmp_path, env=variables, check=False)


def test_run(tmp_path: Path) -> None:
    done = process(tmp_path, "run", "reverse", "-", "--json", stdin="añ€".encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == '["€", "ñ", "a"]\n'


def test_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "bad.rasp").write_text("x = 1\n")
    assert process(tmp_path, "check", "bad.rasp").returncode == 1
    assert process(tmp_path, "run", "revrse", "a").returncode == 2


def test_output_of_a_plain_terminal_is_utf8(tmp_path: Path) -> None:
    done = process(tmp_path, "run", "tokens", "§é", LC_ALL="C", LANG="C")
    assert (done.returncode, done.stdout.decode()) == (0, 'tokens("§é") = [§, é] (strings)\n')


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    variables = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = f'{sys.executable} -c "{MAIN}" list | head -n 1'
    done = subprocess.run(command, shell=True, capture_output=True, env=variables, check=False)
    assert (done.stdout, done.stderr) == (b"rasplib\n", b"")


def test_no_cache_folder_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = process(tmp_path, "run", "reverse", "ab", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("classic", [[], ["--classic"]])
def test_repl_ends_with_its_input(tmp_path: Path, classic: list[str]) -> None:
    done = process(tmp_path, "repl", *classic, stdin=b"x = 1;\n")
    assert (done.returncode, done.stderr) == (0, b"")


def test_start_up_is_quick(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    code = f"import sys, time\nsys.argv = ['capax', 'run', 'reverse', 'hello']\ntry:\n    {MAIN.replace('; ', ';')}\n"
    code += "except SystemExit:\n    pass\nprint(time.process_time())"
    seconds = []
    for _ in range(6):  # the first run makes the parser's tables; on a busy machine a run takes longer than it does
        command = [sys.executable, "-c", code]
        env = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=env, check=True)
        seconds.append(float(done.stdout.split()[-1]))
        if seconds[-1] < 0.5:
            break
    record_property("CPU seconds of `capax run reverse hello`", min(seconds))
    assert min(seconds) < 0.5


def test_the_command_line_itself_brings_no_arrays() -> None:
    """A command imports what it needs when it runs."""
    code = "import sys, capax.app.cli; print([m for m in ('numpy', 'torch', 'capax.model.model') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--draw", "did you mean --output? `capax draw --help` lists the options"),
        ("--max-lenght", "did you mean --max-length? `capax draw --help` lists the options"),
        ("--word", "an input has no name: write it without --word; `capax draw --help` lists the options"),
        ("--zzz", "`capax draw --help` lists the options"),
    ],
)
def test_an_unknown_option_is_told_what_was_meant(option: str, hint: str) -> None:
    """What it is called here, the nearest one, or that it is an argument."""
    assert no_option(option, ["-o", "--output", "--max-length", "--read"], "capax draw").hint == hint


def test_a_number_that_is_none_is_said_plainly(tmp_path: Path) -> None:
    """Not in the words of what reads it."""
    done = process(tmp_path, "compile", "reverse", "--max-length", "ten")
    assert (done.returncode, b"invalid value for '--max-length': a whole number is expected\n" in done.stderr) == (
        2,
        True,
    )
