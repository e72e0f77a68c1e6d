# ruff: noqa: SIM115
"""Runs very many command lines: each in a fork of a warm process; and says what is wrong with what it leaves."""

import contextlib
import importlib
import io
import os
import pkgutil
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import capax
from capax.app import cli

CODES = (0, 1, 2, 130)
SECONDS = 30
"""A case that takes longer hangs."""
MOST_MEMORY = 3 << 30
"""Address space that a case may take beyond what the process has when it forks: a worker that has imported PyTorch has
gigabytes of it."""
BEFORE = b"what stood here before"
"""The contents of every file that a command is asked to write."""


@dataclass
class Case:
    """A command line, its standard input, and the files that it may change."""

    words: list[str]
    stdin: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    output: str | None = None
    lines: int | None = None
    """How many lines `run --batch` must answer."""


@dataclass
class Outcome:
    """What a case has left."""

    code: int | None
    out: str
    err: str
    seconds: float


def prepare(folder: Path, one: Case) -> None:
    """Puts the files of a case into an empty folder, with things that are no files."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "folder").mkdir(parents=True)
    os.mkfifo(folder / "pipe.rasp")
    (folder / "loop.rasp").symlink_to("loop.rasp")
    for name, data in one.files.items():
        (folder / name).write_bytes(data)
    if one.output is not None and (folder / one.output).parent.is_dir():
        (folder / one.output).write_bytes(BEFORE)
    (folder / "stdin").write_bytes(one.stdin)


def warm(*, heavy: bool = False) -> None:
    """Imports what the commands import when they run, and reads the library, once, so that forks need not.

    With `heavy` also PyTorch and what needs it.
    """
    skipped = [".web", ".standalone", ".card", "__main__", *([] if heavy else [".lab.train", ".lab.measure"])]
    for module in pkgutil.walk_packages(capax.__path__, "capax."):
        if not any(part in module.name for part in skipped):
            importlib.import_module(module.name)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        cli.create_app()(["run", "reverse", "abc"])


def forked(one: Case, folder: Path) -> Outcome:
    """What a case leaves when it is run in a fork of this process."""
    prepare(folder, one)
    start = time.monotonic()
    child = os.fork()
    if not child:
        _child(one, folder)
    code = _waited(child, start + SECONDS)
    read = lambda name: (folder / name).read_bytes().decode("utf-8", "replace") if (folder / name).exists() else ""  # noqa: E731
    return Outcome(code, read("stdout"), read("stderr"), time.monotonic() - start)


def _child(one: Case, folder: Path) -> None:
    code = 99
    try:
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_AS, (most := _address_space() + MOST_MEMORY, most))
        for handle, (name, flags) in enumerate(
            (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY | os.O_CREAT), ("stderr", os.O_WRONLY | os.O_CREAT))
        ):
            os.dup2(os.open(name, flags), handle)
        sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False))
        sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False))
        sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False), line_buffering=True)
        sys.argv = ["capax", *one.words]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        cli.main()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def _address_space() -> int:
    """The bytes of address space that this process has mapped."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _waited(child: int, until: float) -> int | None:
    """The exit code of a process; None if it had to be killed."""
    pause = 0.001
    while time.monotonic() < until:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def fork(act: Callable[[], object]) -> int:
    """The number of a fork of this process that does something and ends with its exit code.

    Nothing is imported again; and the fork may be killed, as a process of its own.
    """
    child = os.fork()
    if not child:
        code = 99
        try:
            act()
            code = 0
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """The exit code of a fork, once it has ended; minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def faults(one: Case, left: Outcome, folder: Path) -> Iterator[str]:
    """What is wrong with what a case has left: nothing, if all is well."""
    if left.code is None:
        yield "hangs"
        return
    if left.code not in CODES:
        yield f"exit code {left.code}"
    if "Traceback" in left.err or "Warning:" in left.err:
        yield "traceback"
    if left.code == 2 and "error[" not in left.err + left.out and "Usage:" not in left.err + left.out:
        yield "no error code"
    if one.lines is not None and left.out.count("\n") != one.lines:
        yield f"{one.lines} lines were asked for, {left.out.count(chr(10))} answered"
    if list(folder.rglob(".capax-*")):
        yield "a temporary file is left"
    for name, data in one.files.items():
        if (folder / name).read_bytes() != data:
            yield f"{name} was changed"
    if one.output is not None and (folder / one.output).exists():
        kept = (folder / one.output).read_bytes() == BEFORE
        if kept != (left.code == 2):
            yield f"{one.output} was {'kept' if kept else 'changed'} with exit code {left.code}"
