"""Runs as a table: one row for each run of each sweep, columns by paths, empty where there is nothing."""

import csv
from typing import Any

from capax.app.sweeps.runs_csv import runs_csv


def run(key: str, result: dict[str, Any] | None, **parameters: object) -> dict[str, Any]:
    """A stored run as plain data."""
    run = {"key": key, "settings": {"task": "a, b", "parameters": parameters}, "result": result}
    return run | {"error": None, "cpu_seconds": 2.0, "seconds": 3.5, "engine": "serial", "finished_at": 7.0}


RUNS = [
    run("k1", {"token_accuracy": 0.25, "quantised": {"enough": 4}, "probes": [1]}, q=3),
    run("k2", {"token_accuracy": 1.0}),
    run("k3", None) | {"error": 'no "memory"\nleft'},
]


def test_a_row_for_each_run() -> None:
    """A run of two sweeps has two rows, one that nobody ran none, one of no sweep comes last."""
    text = runs_csv([("s", "quick", "1 layer, 1 head", "k2"), ("s", "full", "", "k2"), ("s", "full", "", "k9")], RUNS)
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
    assert runs_csv([], RUNS).splitlines()[0] == runs_csv([], RUNS[::-1]).splitlines()[0]
    assert runs_csv([], []) == "sweep,preset,arm,key,cpu_seconds,seconds,engine,finished_at,error"
