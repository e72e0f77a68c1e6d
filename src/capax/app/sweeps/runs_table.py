"""All runs of a file of results as a table, for spreadsheets and data frames: comma-separated values, or Parquet."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FIRST = ("sweep", "preset", "arm", "key")
LAST = ("cpu_seconds", "seconds", "engine", "finished_at", "error")


@dataclass(frozen=True, slots=True)
class RunsTable:
    """A table: the names of its columns, and its rows, in which a column may be missing."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str | int | float], ...]

    def to_csv(self) -> str:
        """The table as text, without a newline at its end; what a run does not have is left empty."""
        text = io.StringIO()
        table = csv.DictWriter(text, self.columns, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(self.rows)
        return text.getvalue().rstrip("\n")

    def to_parquet(self) -> bytes:
        """The table as a Parquet file; what a run does not have is null, and a column of texts and numbers is text."""
        from capax.model.export.target import need

        need("parquet", ("pyarrow",))
        import pyarrow
        from pyarrow import parquet

        columns = {name: _one_type([row.get(name) for row in self.rows]) for name in self.columns}
        buffer = io.BytesIO()
        parquet.write_table(pyarrow.table(columns), buffer)
        return buffer.getvalue()


def runs_table(members: Sequence[tuple[str, str, str, str]], runs: Sequence[Mapping[str, Any]]) -> RunsTable:
    """A row for each run of each sweep, then those of no sweep.

    `members` are sweep, preset, arm and key. Settings and figures are columns named by their paths, such as
    `settings.width` and `result.token_accuracy`.
    """
    by_key = {run["key"]: run for run in runs}
    places = [place for place in members if place[-1] in by_key]
    seen = {key for *_, key in places}
    places += [("", "", "", run["key"]) for run in runs if run["key"] not in seen]
    rows = [dict(zip(FIRST, place, strict=True)) | _cells(by_key[place[-1]]) for place in places]
    names = {name for row in rows for name in row if name not in (*FIRST, *LAST)}
    inner = sorted(names, key=lambda name: (not name.startswith("settings."), name))
    return RunsTable((*FIRST, *inner, *LAST), tuple(rows))


def _cells(run: Mapping[str, Any]) -> dict[str, Any]:
    cells = dict(_leaves("settings", run["settings"])) | dict(_leaves("result", run["result"] or {}))
    return cells | {name: run[name] for name in LAST if run[name] is not None}


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The numbers and texts of a table with their paths. Lists, such as those of probes, are left out."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(f"{path}.{name}", inner)
    elif isinstance(value, (str, int, float)):
        yield path, value


def _one_type(values: Sequence[Any]) -> list[Any]:
    """The values of a column, as one type: truth values, whole numbers, numbers, or text."""
    there = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in there):
        kind: type = bool
    elif all(type(value) is int and abs(value) < 2**63 for value in there):
        kind = int
    elif all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in there):
        kind = float
    else:
        kind = str
    return [None if value is None else kind(value) for value in values]
