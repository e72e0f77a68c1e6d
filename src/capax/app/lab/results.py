"""`capax results` and `capax report` as functions: plain data in, plain data out."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from capax.app.files.read import write_text
from capax.app.lab.store import Store
from capax.errors import CapaxError
from capax.lab.experiment_verdict import judge
from capax.lab.spec import Spec
from capax.lab.stored import StoredRun, measured
from capax.model.io.atomic import shown


@contextmanager
def _shapes_of(file: str) -> Iterator[None]:
    """Turns what a table, list or number in the wrong place does to the code that reads it into an error of the file.

    The file may come from anybody. What is in it is JSON of any shape, and its readers look at many parts of it.
    """
    try:
        yield
    except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError) as error:
        what = f"{shown(file)} is damaged: a result in it has another shape than runs have ({type(error).__name__})"
        raise CapaxError("file-unreadable", what, hint="--results FILE names another file") from error


BULKY = ("heads", "history", "by_length")


def results_of(file: str) -> dict[str, Any]:
    """What is in a file of results: the sweeps with their verdicts, and every run without maps and history."""
    store = Store(Path(file), only_read=True)
    runs = store.all_runs()
    for run in runs:
        if run["result"] is not None:
            run["result"] = {name: value for name, value in run["result"].items() if name not in BULKY}
    with _shapes_of(file):
        found = [summary(spec, preset, store.runs(spec.name, preset)) for spec, preset in store.experiments()]
    return {"file": file, "experiments": found, "runs": runs}


def summary(spec: Spec, preset: str, runs: list[StoredRun]) -> dict[str, Any]:
    """A sweep in short: runs, time, the figures of each arm and the verdict."""
    arms: dict[str, list[StoredRun]] = {}
    for run in runs:
        arms.setdefault(run.arm, []).append(run)
    return {
        "name": spec.name,
        "preset": preset,
        "title": spec.title,
        "runs": len(runs),
        "finished": sum(run.result is not None for run in runs),
        "failed": [{"key": run.key, "error": run.error} for run in runs if run.error and run.result is None],
        "cpu_seconds": sum(run.seconds for run in runs),
        "arms": [{"arm": arm, "line": _line(group)} for arm, group in arms.items()],
        "verdict": judge(spec.rules, runs, spec.yes, spec.no).to_json(),
    }


def _line(runs: list[StoredRun]) -> str:
    done = [run.result for run in runs if run.result is not None]
    if not done:
        return "no run is finished"
    name = next((name for name in ("kl", "error") if name in done[0]), "token_accuracy")
    values = [value for run in runs if (value := measured(run, name)) is not None]
    if not values:
        return f"no run has {name}"
    spread = f" ({min(values):.4f} to {max(values):.4f})" if len(values) > 1 else ""
    return f"{name} {statistics.fmean(values):.4f}{spread}, runs: {len(values)}"


def write_report(file: str, output: str) -> dict[str, Any]:
    """Writes the page of a file of results, and gives what is on it."""
    from capax.draw.subjects.lab_report import lab_report

    if not output.endswith(".html"):
        raise CapaxError("bad-option", f"a report is an .html file, not {output}", hint="-o report.html")
    store = Store(Path(file), only_read=True)
    parts = [(spec, preset, store.runs(spec.name, preset)) for spec, preset in store.experiments()]
    with _shapes_of(file):
        found = [summary(*part) for part in parts]
        page = lab_report(parts)
    write_text(Path(output), page)
    return {"file": output, "experiments": found}
