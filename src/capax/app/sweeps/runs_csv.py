"""All runs of a file of results as a table of comma-separated values, for spreadsheets and data frames."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

FIRST = ("sweep", "preset", "arm", "key")
LAST = ("cpu_seconds", "seconds", "engine", "finished_at", "error")


def runs_csv(members: Sequence[tuple[str, str, str, str]], runs: Sequence[Mapping[str, Any]]) -> str:
    """A row for each run of each sweep, then those of no sweep.

    `members` are sweep, preset, arm and key. Settings and figures are columns named by their paths, such as
    `settings.width` and `result.token_accuracy`; what a run does not have is left empty.
    """
    by_key = {run["key"]: run for run in runs}
    places = [place for place in members if place[-1] in by_key]
    seen = {key for *_, key in places}
    places += [("", "", "", run["key"]) for run in runs if run["key"] not in seen]
    rows = [dict(zip(FIRST, place, strict=True)) | _cells(by_key[place[-1]]) for place in places]
    names = {name for row in rows for name in row if name not in (*FIRST, *LAST)}
    inner = sorted(names, key=lambda name: (not name.startswith("settings."), name))
    text = io.StringIO()
    table = csv.DictWriter(text, [*FIRST, *inner, *LAST], restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().rstrip("\n")


def _cells(run: Mapping[str, Any]) -> dict[str, Any]:
    cells = dict(_leaves("settings", run["settings"])) | dict(_leaves("result", run["result"] or {}))
    return cells | {name: "" if run[name] is None else run[name] for name in LAST}


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The numbers and texts of a table with their paths. Lists, such as those of probes, are left out."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(f"{path}.{name}", inner)
    elif isinstance(value, (str, int, float)):
        yield path, value
