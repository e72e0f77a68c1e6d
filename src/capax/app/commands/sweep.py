"""`capax sweep`: the runs of a sweep that are not finished, and its verdict."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, Results, choice, count
from capax.display import parts

if TYPE_CHECKING:
    from capax.lab.experiment_verdict import ExperimentVerdict

GROUP: Final = ("What they learn", 4)
SHOWS_PROGRESS: Final = True
RESULTS: Final = "lab.sqlite"


def command(
    spec: Annotated[str, typer.Argument(metavar="SPEC.toml", help="The sweep.")],
    engine: Annotated[
        str, choice("--engine", choices=("serial", "pool", "ray"), help="One process, several, or a Ray cluster.")
    ] = "serial",
    preset: Annotated[str, typer.Option("--preset", metavar="NAME", help="The preset of the sweep.")] = "quick",
    address: Annotated[
        str | None, typer.Option("--address", metavar="HOST:PORT", help="With ray: an existing cluster.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="With pool: processes.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="Do at most N runs now.")] = None,
    results: Results = RESULTS,
    as_json: Json = False,
) -> None:
    """Run the unfinished runs of a sweep and print its verdict. Exit code 1 if a run failed.

    Example: capax sweep experiments/reverse.toml --engine pool
    """
    done = sweep(spec, preset=preset, engine=engine, results=results, workers=workers, address=address, limit=limit)
    finish(done, as_json=as_json, yes=not done.failed)


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What came of a sweep: runs done now, before and failed, and the verdict of all that is stored."""

    name: str
    preset: str
    runs: int
    before: int
    done: int
    failed: tuple[tuple[str, str], ...]
    """The key and the error of each run that failed now."""
    cpu_seconds: float
    verdict: "ExperimentVerdict"
    results: str

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return parts(self) | {"failed": [{"key": key, "error": error} for key, error in self.failed]}

    def render(self) -> str:
        """The sweep in a line, a line for each rule and each failed run, and the verdict."""
        minutes = f"{self.cpu_seconds / 60:.1f} CPU minutes"
        lines = [f"{self.name}, preset {self.preset}: {count(self.runs, 'run')}, {minutes}"]
        lines += [f"  {finding.line}" for finding in self.verdict.findings]
        lines += [f"  failed: {key}: {error}" for key, error in self.failed]
        return "\n".join([*lines, f"{self.verdict.standing}: {self.verdict.text}"])


def sweep(
    file: str,
    *,
    preset: str = "quick",
    engine: str = "serial",
    results: str = RESULTS,
    workers: int | None = None,
    address: str | None = None,
    limit: int | None = None,
) -> SweepResult:
    """What came of a sweep.

    `limit` is the most runs that are done now. A run that another sweep has under way is waited for, not done again.
    """
    from capax.app.files.text_files import read_text
    from capax.app.sweeps.engine import Engine, check_limit, done_runs, report_line, unique
    from capax.app.sweeps.progress import Bar
    from capax.app.sweeps.results_store import Store
    from capax.lab.experiment_verdict import judge
    from capax.lab.sweep_spec import read_spec
    from capax.model.export.target import need

    need("torch", ("torch",))
    chosen = Engine(engine, workers, address)
    chosen.check()
    check_limit(limit)
    spec = read_spec(read_text(Path(file)), file)
    members = spec.members(preset)
    store = Store(Path(results))
    store.plan(spec, preset, members)
    finished = store.finished()
    waiting = unique([member for member in members if member.settings.key() not in finished])
    before = len({m.settings.key() for m in members}) - len(waiting)
    failed, number = [], 0
    with Bar() as bar:
        bar.tell(f"{spec.name}, preset {preset}: runs to do: {len(waiting)}, done before: {before}")
        for number, (member, done) in enumerate(done_runs(waiting[:limit], chosen, store, bar), 1):
            store.add(done, member.settings.to_json(), engine)
            if done.error is not None:
                failed.append((done.key, done.error))
            bar.tell(f"[{number}/{len(waiting[:limit])}] {report_line(member, done)}")
    runs = store.runs(spec.name, preset)
    return SweepResult(
        spec.name,
        preset,
        len(runs),
        before,
        number - len(failed),
        tuple(failed),
        sum(run.seconds for run in runs),
        judge(spec.rules, runs, spec.yes, spec.no),
        results,
    )
