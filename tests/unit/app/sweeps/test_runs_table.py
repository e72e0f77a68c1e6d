"""Runs as a table: one row for each run of each sweep, columns by paths, empty where there is nothing."""

import csv
import io
from typing import Any

from pyarrow import parquet

from capax.app.sweeps.runs_table import runs_table


def run(key: str, result: dict[str, Any] | None, **parameters: object) -> dict[str, Any]:
    """A stored run as plain data."""
    run = {"key": key, "settings": {"task": "a, b", "parameters": parameters}, "result": result}
    return run | {"error": None, "cpu_seconds": 2.0, "seconds": 3.5, "engine": "serial", "finished_at": 7.0}


RUNS = [
    run("k1", {"token_accuracy": 0.25, "quantised": {"enough": 4}, "probes": [1]}, q=3),
    run("k2", {"token_accuracy": 1.0}),
    run("k3", None) | {"error": 'no "memory"\nleft'},
]
MEMBERS = [("s", "quick", "1 layer, 1 head", "k2"), ("s", "full", "", "k2"), ("s", "full", "", "k9")]


def test_a_row_for_each_run() -> None:
    """A run of two sweeps has two rows, one that nobody ran none, one of no sweep comes last."""
    text = runs_table(MEMBERS, RUNS).to_csv()
    rows = list(csv.DictReader(text.splitlines(keepends=True)))
    assert [(row["sweep"], row["preset"], row["key"]) for row in rows] == [
        ("s", "quick", "k2"),
        ("s", "full", "k2"),
        ("", "", "k1"),
        ("", "", "k3"),
    ]
    assert (rows[0]["arm"], rows[0]["settings.task"], rows[0]["settings.parameters.q"]) == (
        "1 layer, 1 head",
        "a, b",
        "",
    )
    assert (rows[2]["result.token_accuracy"], rows[2]["result.quantised.enough"]) == ("0.25", "4")
    assert rows[2]["settings.parameters.q"] == "3"
    assert (rows[3]["error"], rows[3]["result.token_accuracy"]) == ('no "memory"\nleft', "")
    assert not any("probes" in name for name in rows[0])


def test_columns_do_not_depend_on_the_order() -> None:
    """What a run is comes first, then settings, then figures; without runs there is a head alone."""
    assert runs_table([], RUNS).columns == runs_table([], RUNS[::-1]).columns
    assert runs_table([], []).to_csv() == "sweep,preset,arm,key,cpu_seconds,seconds,engine,finished_at,error"


def test_parquet_has_the_same_rows() -> None:
    """Numbers stay numbers, what is not there is null, and a column of numbers and texts is text."""
    mixed = [*RUNS, run("k4", {"quantised": {"enough": "none"}}, q=2.5)]
    table = runs_table(MEMBERS, mixed)
    read = parquet.read_table(io.BytesIO(table.to_parquet())).to_pylist()
    assert [row["key"] for row in read] == [row["key"] for row in table.rows]
    by_key = {row["key"]: row for row in read}
    assert by_key["k1"]["result.token_accuracy"] == 0.25
    assert by_key["k3"]["result.token_accuracy"] is None
    assert (by_key["k1"]["settings.parameters.q"], by_key["k4"]["settings.parameters.q"]) == (3.0, 2.5)
    assert (by_key["k1"]["result.quantised.enough"], by_key["k4"]["result.quantised.enough"]) == ("4", "none")
    assert set(read[0]) == set(table.columns)
