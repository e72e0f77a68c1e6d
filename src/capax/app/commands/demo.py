"""`capax demo`: from a program to its weights and proof, a theorem, a limit and the atlas, on one page."""

import os
import tempfile
import time
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import WIDTH, columns
from capax.app.commands._result import finish
from capax.app.options import Json
from capax.display import parts

if TYPE_CHECKING:
    from capax.app.commands._demo_steps import DemoStep

GROUP: Final = ("Start", 1)
SHOWS_PROGRESS: Final = True
NEXT: Final = (
    ("capax repl", "write programs at a prompt"),
    ("capax serve --open", "the playground: see the attention while you type, puzzles, theorems and limits"),
    ("capax list", "the programs of the library; `capax compile NAME` compiles one"),
    ("capax audit MODEL --against SPEC", "is a trained model right on every word?"),
    ("capax --help", "all commands"),
)
"""Where to go on, by what one wants."""


def command(
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The page.")] = "capax-demo.html",
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    as_json: Json = False,
) -> None:
    """Show what capax does: a program, its weights and proof, a theorem, a limit, the atlas; written as one page.

    Example: capax demo
    """
    shown = demo(output)
    finish(shown, as_json=as_json)
    if open_:
        import webbrowser

        webbrowser.open(Path(shown.file).absolute().as_uri())


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
        """For each step what it shows and why that matters, with its commands; and where to go on."""
        lines = ["What can a transformer compute, and what can it not? Seven answers, computed now:"]
        for number, step in enumerate(self.steps, 1):
            lines += [
                "",
                f"{number}  {step.title}",
                *wrap(step.line, WIDTH, initial_indent="   ", subsequent_indent="   "),
            ]
            lines += wrap(step.why, WIDTH, initial_indent="   why: ", subsequent_indent="        ")
            lines += [f"     $ {c.command}" for c in step.commands]
        lines += ["", f"All of it, with pictures: {self.file} ({self.seconds} s; `capax demo --open` opens it)", ""]
        lines += ["Next:", *columns([[f"  {command}", what] for command, what in NEXT])]
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
