"""`capax results`: what is in a file of results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, Results, count
from capax.app.process.output import print_text
from capax.display import parts
from capax.errors import CapaxError, nearest
from capax.model.io.atomic import path_text, write_bytes

if TYPE_CHECKING:
    from capax.app.sweeps.runs_table import RunsTable
    from capax.app.sweeps.summary import SweepSummary

GROUP: Final = ("What they learn", 5)
BULKY: Final = ("heads", "history", "by_length")
"""What is left out of the runs: maps of heads and the history."""


def command(
    sweep: Annotated[
        str | None,
        typer.Argument(metavar="[SWEEP]", help="Show one sweep, with every figure that was predicted and its heads."),
    ] = None,
    results: Results = "lab.sqlite",
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print only the runs, as CSV: a row for each, with settings and figures.")
    ] = False,
    parquet: Annotated[
        str | None, typer.Option("--parquet", metavar="FILE", help="Write the same table as a Parquet file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what is in a file of results: each sweep with its verdict, and how many of its runs are done.

    Example: capax results
    """
    if as_csv and as_json:
        raise CapaxError("bad-option", "--csv and --json are two ways to print the same", hint="take one of them")
    stored = results_of(results, sweep)
    if parquet is not None:
        write_bytes(Path(parquet), stored.table().to_parquet())
    if as_csv:
        print_text(stored.table().to_csv())
    else:
        finish(stored, as_json=as_json)


@dataclass(frozen=True, slots=True)
class StoredResults:
    """A file of results: its sweeps, and every run as plain data."""

    file: str
    experiments: "tuple[SweepSummary, ...]"
    runs: Sequence[Mapping[str, Any]]
    whole: bool = False

    def to_json(self) -> dict[str, Any]:
        """The sweeps with their verdicts, and every run without maps and history."""
        return parts(self, "file", "experiments", "runs")

    def table(self) -> "RunsTable":
        """Every run as a row, without maps and history."""
        from capax.app.sweeps.runs_table import runs_table
        from capax.app.sweeps.summary import damage_as_error

        members = [(item.spec.name, item.preset, run.arm, run.key) for item in self.experiments for run in item.runs]
        with damage_as_error(self.file):
            return runs_table(members, self.runs)

    def render(self) -> str:
        """Each sweep, and how many runs there are in all; of a single one that was asked for, all figures."""
        if self.whole:
            from capax.app.sweeps.summary import damage_as_error

            with damage_as_error(self.file):
                return "\n".join(item.render_whole() for item in self.experiments)
        return "\n".join(
            [*(item.render() for item in self.experiments), f"{count(len(self.runs), 'run')} in {self.file}"]
        )


def results_of(file: str, sweep: str | None = None) -> StoredResults:
    """What is in a file of results; with a name, in one sweep of it."""
    from capax.app.sweeps.results_store import Store
    from capax.app.sweeps.summary import damage_as_error, summary

    store = Store(Path(file), only_read=True)
    runs = store.runs_json()
    for run in runs:
        if run["result"] is not None:
            run["result"] = {name: value for name, value in run["result"].items() if name not in BULKY}
    with damage_as_error(file):
        sweeps = [summary(spec, preset, store.runs(spec.name, preset)) for spec, preset in store.experiments()]
    if sweep is None:
        return StoredResults(file, tuple(sweeps), runs)
    names = list(dict.fromkeys(item.spec.name for item in sweeps))
    if sweep not in names:
        near = nearest(sweep, names)
        hint = f"did you mean {near}?" if near else f"sweeps in it: {', '.join(names) or 'none'}"
        raise CapaxError("bad-option", f"{path_text(file)} has no sweep {sweep!r:.60}", hint=hint)
    chosen = tuple(item for item in sweeps if item.spec.name == sweep)
    keys = {run.key for item in chosen for run in item.runs}
    return StoredResults(file, chosen, [run for run in runs if run["key"] in keys], whole=True)
