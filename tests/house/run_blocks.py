"""Running the code blocks of a page, in order, in one folder and one Python namespace."""

import ast
import json
import os
import re
import subprocess
import sys
import tokenize
import tomllib
from io import StringIO
from pathlib import Path
from typing import Any

from capax.errors import Source
from capax.formal.counters.text import parse_counters
from capax.formal.turing.read_machine import read_machine
from tests.house.blocks import Block, blocks, commands, matches
from tests.house.tree import ROOT
from tests.support.fork_server import PLAIN, folder_of_capax, run_plain

RUN = {"capax", "cat", "echo", "ls", "printf"}
# These set a machine up. They are read and not run, except that a target of `make` has to exist.
NOT_RUN = {"cd", "git", "make", "pip", "python3", "source", ".venv/bin/pip"}


def run_page(page: Path, folder: Path) -> int:
    """The number of blocks of a page that were run; what fails is an AssertionError that names the place."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    if not (folder / "experiments").exists():
        (folder / "experiments").symlink_to(ROOT / "experiments")  # pages name kept models as in a clone
    found = [block for block in blocks(page) if block.language != "text"]
    for block in found:
        if title := block.options.get("title"):
            (folder / title).write_text(block.text, encoding="utf-8")
        try:
            run_block(block, folder, namespace)
        except Exception as problem:
            raise AssertionError(f"{block}: {type(problem).__name__}: {problem}") from problem
    return len(found)


def run_block(block: Block, folder: Path, namespace: dict[str, Any]) -> None:
    """Run one block, as its language asks; a language that nobody can run is an error."""
    match block.language:
        case "python":
            run_python_block(block, namespace)
        case "rasp":
            run_rasp_block(block.text)
        case "console" | "sh":
            run_console_block(block, folder)
        case "json":
            json.loads(block.text)
        case "toml":
            tomllib.loads(block.text)
        case "tm":
            read_machine(Source(str(block.file), block.text))
        case "cm":
            parse_counters(Source(str(block.file), block.text))
        case other:
            raise AssertionError(f"a block in '{other}' cannot be run; if it is not code, mark it text")


def run_rasp_block(text: str) -> None:
    """Run a RASP block in the interpreter; an error in it is raised."""
    from capax.app.session import Session

    Session().run_text(Source("text", text))


def run_python_block(block: Block, namespace: dict[str, Any]) -> None:
    """Execute a block; an expression with a comment beside it that is a Python value must have that value."""
    tree = ast.parse("\n" * (block.line - 1) + block.text, filename=str(block.file))
    notes = comments(block)
    for node in tree.body:
        if isinstance(node, ast.Expr):
            value = eval(compile(ast.Expression(node.value), str(block.file), "eval"), namespace)
            assert_as_noted(value, notes.get(node.end_lineno or 0), f"{block.file}:{node.end_lineno}")
        else:
            exec(compile(ast.Module([node], []), str(block.file), "exec"), namespace)


def comments(block: Block) -> dict[int, str]:
    """The comments of a Python block by line of its page."""
    tokens = tokenize.generate_tokens(StringIO(block.text).readline)
    return {
        token.start[0] + block.line - 1: token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT
    }


def assert_as_noted(value: object, note: str | None, place: str) -> None:
    """Hold a value against the comment beside it, if the comment is a Python value and not prose."""
    try:
        noted = ast.literal_eval(note or "")
    except (SyntaxError, ValueError):
        return
    assert repr(value) == repr(noted), f"{place}: is {value!r}, and the page says {note}"


def run_console_block(block: Block, folder: Path) -> None:
    """Run a block's commands: they print what is shown and end with 0 or, the last one, with `exit=`."""
    found = commands(block)
    assert found, f"{block}: no command"
    for command in found:
        place = f"{block.file}:{command.line}"
        words = command.text.split()
        if words[0] in NOT_RUN:
            assert words[0] != "make" or is_target(words[1]), f"{place}: the Makefile has no '{words[1]}'"
            continue
        assert words[0] in RUN, f"{place}: '{words[0]}' is neither run nor known to be left alone"
        code, printed = shell(command.text, folder)
        expected = int(block.options.get("exit", "0")) if command is found[-1] else 0
        assert code == expected, f"{place}: exit code {code}, not {expected}\n{printed}"
        shown = command.output if any(line.strip() for line in command.output) else None
        assert shown is None or matches(shown, printed), f"{place}: the page differs from\n{printed}"


def shell(command: str, folder: Path) -> tuple[int, str]:
    """The exit code of a command and what it prints, on both streams, as a terminal would show it."""
    scripts = f"{folder_of_capax()}{os.pathsep}{Path(sys.executable).parent}"
    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    environment = {**os.environ, **plain, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    if PLAIN.fullmatch(command):
        return run_plain(command, folder, environment)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
    )
    return done.returncode, done.stdout


def is_target(name: str) -> bool:
    """Whether the Makefile has a target of that name."""
    return re.search(rf"^{re.escape(name)}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M) is not None
