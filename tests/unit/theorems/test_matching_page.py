"""The page on matching: its table comes from runs, its pictures from the script beside them."""

import json
import runpy
from pathlib import Path

import pytest

from capax.theorems.matching.parts.counters import accuracy, words
from capax.theorems.matching.parts.poster import table
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "explanation" / "matching.md"
FOLDER = ROOT / "docs" / "pictures" / "match3"


def read(name: str) -> str:
    """A file of the pictures."""
    return Path(FOLDER / name).read_text(encoding="utf-8")


def test_the_table_is_that_of_a_run() -> None:
    """`python -c 'from capax.theorems.matching.parts.poster import table; print(table())'` prints it."""
    assert table() in PAGE.read_text(encoding="utf-8")


def test_the_curve_is_right() -> None:
    """The accuracies of the partitions that were found are computed again, and the picture shows them."""
    found = json.loads(read("pairwise.json"))
    given = words(found["modulus"], found["others"])
    assert found["base"] == pytest.approx(given.base)
    for row in found["rows"]:
        assert max(row["partition"]) < row["m"]
        assert row["accuracy"] == pytest.approx(accuracy(row["partition"], given))
    script = runpy.run_path(str(FOLDER / "make.py"))
    assert script["curve"](found) == read("pairwise.svg")


def test_the_weights_are_those_of_the_runtime() -> None:
    """The picture of the third-order head is what the model does now."""
    script = runpy.run_path(str(FOLDER / "make.py"))
    assert script["pairs"]() == read("third_order.svg")


def test_the_page_shows_the_pictures() -> None:
    """Both, and it says that the multi-layer case is open."""
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"../pictures/match3/{name}.svg" in page for name in ("pairwise", "third_order"))
    assert "open" in page
