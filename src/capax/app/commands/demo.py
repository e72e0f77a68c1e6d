"""`capax demo`: from a program to its weights and proof, a theorem, a limit and the atlas, on one page."""

import os
import tempfile
import time
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json
from capax.display import parts

if TYPE_CHECKING:
    from capax.app.commands._demo_steps import DemoStep

GROUP: Final = ("Start", 1)
SHOWS_PROGRESS: Final = True


def command(
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The page.")] = "capax-demo.html",
    as_json: Json = False,
) -> None:
    """Show what capax does: a program, its weights and proof, a theorem, a limit, the atlas; written as one page.

    Example: capax demo
    """
    finish(demo(output), as_json=as_json)


@dataclass(frozen=True, slots=True)
class Demo:
    """The steps of the demo, the page they were written to, and how long it took."""

    file: str
    seconds: float
    steps: "tuple[DemoStep, ...]"

    def to_json(self) -> dict[str, Any]:
        """Each step with its commands."""
        steps = [
            {
                "title": step.title,
                "line": step.line,
                "commands": [{"command": c.command, "exit": c.exit_code} for c in step.commands],
            }
            for step in self.steps
        ]
        return parts(self, "file", "seconds") | {"steps": steps}

    def render(self) -> str:
        """A line for each step, its commands, and where to go on."""
        lines = []
        for number, step in enumerate(self.steps, 1):
            lines += [f"{number}  {step.title}: {step.line}", *(f"     $ {c.command}" for c in step.commands)]
        lines += ["", f"everything, with pictures, is in {self.file} ({self.seconds} s)"]
        lines += ["next: `capax repl` is the prompt, `capax list` shows the library, `capax --help` all commands"]
        return "\n".join(lines)


def demo(output: str) -> Demo:
    """What was shown, step by step; the page goes to a file."""
    from capax.app.commands._demo_page import page
    from capax.app.commands._demo_steps import PARTS, steps
    from capax.app.commands._printed import progress_bar, run_command
    from capax.app.files.text_files import write_text

    started = time.monotonic()
    path = Path(output).absolute()
    done: list[DemoStep] = []
    with tempfile.TemporaryDirectory() as folder, progress_bar() as progress:
        task = progress.add_task("", total=len(PARTS))
        with chdir(folder):
            for step in steps(run_command, Path(folder), lambda name: progress.update(task, description=name)):
                done.append(step)
                progress.advance(task)
    write_text(path, page(done))
    return Demo(os.path.relpath(path), round(time.monotonic() - started, 1), tuple(done))
