"""`capax demo`: from a program to its weights and proof, a theorem, a limit and the atlas, on one page."""

import io
import os
import shlex
import tempfile
import time
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from capax.app.demo.page import page
from capax.app.demo.steps import PARTS, Shown, Step, steps
from capax.app.files.read import write_text
from capax.errors import CapaxError


def run_command(command: str) -> Shown:
    """What a command prints, run in this process and the present folder."""
    from capax.app.cli import app

    _, *arguments = shlex.split(command)
    out = io.StringIO()
    code = 0
    with redirect_stdout(out), redirect_stderr(out):
        try:
            code = typer.main.get_command(app).main(arguments, prog_name="capax", standalone_mode=False) or 0
        except CapaxError as error:
            out.write(error.render() + "\n")
            code = 2
    return Shown(command, out.getvalue(), int(code))


def demo(output: str) -> dict[str, Any]:
    """What was shown, step by step; the page goes to a file."""
    started = time.monotonic()
    place = Path(output).absolute()
    found: list[Step] = []
    with tempfile.TemporaryDirectory() as folder, _progress() as progress:
        task = progress.add_task("", total=len(PARTS))
        with chdir(folder):
            for step in steps(run_command, Path(folder), lambda name: progress.update(task, description=name)):
                found.append(step)
                progress.advance(task)
    write_text(place, page(found))
    return {
        "file": os.path.relpath(place),
        "seconds": round(time.monotonic() - started, 1),
        "steps": [
            {
                "title": s.title,
                "line": s.line,
                "commands": [{"command": c.command, "exit": c.exit_code} for c in s.shown],
            }
            for s in found
        ],
    }


def _progress() -> Progress:
    """A bar on standard error, which shows nothing where that is no terminal."""
    columns = (TextColumn("{task.description:<16}"), BarColumn(bar_width=28), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def show_demo(result: dict[str, Any]) -> str:
    """The result in words."""
    lines = []
    for number, step in enumerate(result["steps"], 1):
        lines += [f"{number}  {step['title']}: {step['line']}", *(f"     $ {c['command']}" for c in step["commands"])]
    lines += ["", f"the page, with pictures and all that was printed: {result['file']} ({result['seconds']} s)"]
    lines += ["go on: `capax repl` is the prompt, `capax list` shows the library, `capax --help` all commands"]
    return "\n".join(lines)
