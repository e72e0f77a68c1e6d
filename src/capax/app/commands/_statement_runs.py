"""Running the commands of statements, each statement in an empty folder of its own."""

import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from capax.app.commands._printed import PrintedCommand, progress_bar, run_command
from capax.source_statements.records import SourceStatement, unmet

PROJECT: Final = Path(__file__).resolve().parents[4]
"""The folder of the project, where capax runs from its source tree."""


@dataclass(frozen=True, slots=True)
class StatementRun:
    """A statement, what its commands printed, what they should have printed and did not, and what was not there."""

    statement: SourceStatement
    printed: tuple[PrintedCommand, ...]
    missing: tuple[str, ...]
    absent: tuple[str, ...]
    seconds: float

    @property
    def fails(self) -> bool:
        """Whether a command ended with another code than 0, or did not print what is expected."""
        return bool(self.missing) or any(one.exit_code for one in self.printed)

    @property
    def holds(self) -> bool | None:
        """Whether the commands show the statement; None if they were not run, or if it is not confirmed by them."""
        if self.fails:
            return False
        return True if self.printed and self.statement.evidence != "unconfirmed" else None

    @property
    def outcome(self) -> str:
        """In a word or two, what became of it."""
        if self.absent:
            return "not run"
        if not self.printed:
            return "nothing to run"
        if self.fails:
            return "FAILS"
        return "not confirmed" if self.holds is None else "as expected"

    def problems(self) -> list[str]:
        """A line for each thing that is not as the record says, and for each file that is not there."""
        lines = [f"`{one.command}` ends with {one.exit_code}" for one in self.printed if one.exit_code]
        lines += [f"the output lacks: {text}" for text in self.missing]
        return lines + [f"{name} is not there: it is in the source tree, not in the package" for name in self.absent]

    def to_json(self) -> dict[str, Any]:
        """The outcome with every command."""
        commands = [{"command": one.command, "exit": one.exit_code, "output": one.output} for one in self.printed]
        return {
            "number": self.statement.number,
            "evidence": self.statement.evidence,
            "outcome": self.outcome,
            "holds": self.holds,
            "commands": commands,
            "missing": list(self.missing),
            "absent": list(self.absent),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class StatementRuns:
    """The runs of some statements."""

    runs: tuple[StatementRun, ...]

    @property
    def complete(self) -> bool:
        """Whether all that has commands was run, and nothing fails."""
        return not any(run.fails or run.absent for run in self.runs)

    @property
    def holds(self) -> bool | None:
        """Whether all that has commands holds; None if none fails, and one was not run or is not confirmed."""
        outcomes = [run.holds for run in self.runs if run.statement.commands]
        if False in outcomes:
            return False
        return True if outcomes and None not in outcomes else None

    def to_json(self) -> dict[str, Any]:
        """Every run."""
        return {"holds": self.holds, "runs": [run.to_json() for run in self.runs]}

    def render(self) -> str:
        """A line for each statement and what went wrong; of a single one all that its commands printed."""
        if len(self.runs) == 1:
            return _whole(self.runs[0])
        lines = []
        for run in self.runs:
            says = textwrap.shorten(run.statement.says, 80, placeholder=" ...")
            lines.append(f"{run.statement.number:<7} {run.outcome:<15} {run.seconds:5.1f} s  {says}")
            lines += [f"        {problem}" for problem in run.problems()]
        outcomes = [run.outcome for run in self.runs]
        counts = {outcome: outcomes.count(outcome) for outcome in dict.fromkeys(outcomes)}
        return "\n".join([*lines, "", ", ".join(f"{number} {outcome}" for outcome, number in counts.items())])


def _whole(run: StatementRun) -> str:
    """A statement, its commands with their output, and the outcome."""
    lines = [f"{run.statement.number}: {run.statement.says}", ""]
    for one in run.printed:
        lines += [f"$ {one.command}", one.output]
    outcome = f"{run.outcome} ({run.statement.evidence})" if run.printed else run.outcome
    if run.outcome == "not confirmed":
        outcome = f"measured as recorded, not confirmed: {run.statement.note}"
    return "\n".join([*lines, textwrap.fill(outcome, 100), *run.problems()])


def run_statements(statements: Sequence[SourceStatement], *, also: bool) -> StatementRuns:
    """The runs of statements; commands that several of them share are run once."""
    with progress_bar() as bar:
        task = bar.add_task("", total=len(statements))
        runs = []
        for run in _runs(statements, also=also):
            runs.append(run)
            bar.update(task, advance=1, description=run.statement.number)
    return StatementRuns(tuple(runs))


def _runs(statements: Sequence[SourceStatement], *, also: bool) -> Iterator[StatementRun]:
    before: dict[tuple[object, ...], tuple[tuple[PrintedCommand, ...], ...]] = {}
    for one in statements:
        started = time.monotonic()
        absent = tuple(name for name in one.needs if not (PROJECT / name).is_file())
        batches = (one.commands, one.also if also else ())
        key = (batches, one.needs, *one.files.items())
        if not absent and key not in before:
            before[key] = _run(one, batches)
        first, second = before[key] if not absent else ((), ())
        missing = () if absent else unmet(one.expect, _output(first))
        if second:
            missing += unmet(one.also_expect, _output(second))
        yield StatementRun(one, first + second, missing, absent, time.monotonic() - started)


def _run(one: SourceStatement, batches: Sequence[Sequence[str]]) -> tuple[tuple[PrintedCommand, ...], ...]:
    """What the commands of each batch print, in one folder with the files of a statement."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name, text in one.files.items():
            Path(name).write_text(text, encoding="utf-8")
        for name in one.needs:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).symlink_to(PROJECT / name)
        return tuple(tuple(run_command(command) for command in batch) for batch in batches)


def _output(printed: Sequence[PrintedCommand]) -> str:
    return "\n".join(one.output for one in printed)
