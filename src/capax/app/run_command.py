"""The three ways of `capax run`: one input, a file of inputs, and the plan."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import typer

from capax.app import plain_commands as commands
from capax.app.batches import Answer, answers
from capax.app.files.read import open_file
from capax.app.inputs import read_input
from capax.app.process.output import print_json, print_text, say
from capax.app.repl.screen import show_matrix, show_values
from capax.app.resolve import Resolved
from capax.app.show import show_run
from capax.rasp.meaning.sequence import Matrix


def run_once(program: Resolved, word: str, split: str, *, trace: bool, as_json: bool) -> None:
    """Prints the value of a program on one input."""
    result = commands.run(program, read_input(word, split), trace=trace)
    if as_json:
        print_json(result if trace else result["values"])
    else:
        print_text(show_run(result))


def show_plan(program: Resolved, *, as_json: bool) -> None:
    """Prints how the selectors of a program are evaluated."""
    steps = commands.plan(program)
    if as_json:
        print_json(steps)
        return
    for step in steps:
        print_text(f"{step['name'] + ': ' if step['name'] else ''}{step['what']}   [{step['cost']}]")
        for how in step["how"]:
            print_text(f"    {how}")
    if not steps:
        print_text("no selectors: every step is element-wise   [n]")


def run_batch(program: Resolved, file: str, split: str, *, stop: bool, as_json: bool) -> None:
    """Prints the value of a program on every line of a file, in order; bad lines are reported and leave a gap."""
    bad = 0
    with _opened(file) as lines, _progress(file) as advance:
        for answer in answers(program.program, lines, split, progress=advance):
            if answer.error is None:
                _print_answer(answer, as_json=as_json)
                continue
            bad += 1
            say(f"line {answer.line}: {answer.error.render()}", "error")
            if stop:
                raise typer.Exit(2)
            print_text("null" if as_json else "")
    if bad:
        say(f"{bad:,} bad line{'' if bad == 1 else 's'}", "error")
        raise typer.Exit(2)


def _print_answer(answer: Answer, *, as_json: bool) -> None:
    value = answer.value
    if isinstance(value, Matrix):
        rows = [list(row) for row in value.rows]
        print_json(rows) if as_json else print_text(show_matrix(value, None))
    elif as_json:
        print_json(list(value.values))
    else:
        print_text(show_values(list(value.values), value.type))


@contextmanager
def _opened(file: str) -> Iterator[TextIO]:
    if file == "-":
        if isinstance(sys.stdin, io.TextIOWrapper):  # lines end as they do in files: at \n alone
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
        yield sys.stdin
        return
    with open_file(Path(file)) as raw, io.TextIOWrapper(raw, "utf-8", "surrogateescape", "\n") as lines:
        yield lines


@contextmanager
def _progress(file: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, when the results go elsewhere; nothing otherwise."""
    if file == "-" or not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda lines, size: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("characters", total=Path(file).stat().st_size)
        yield lambda lines, size: bar.update(task, advance=size)
