"""The page on matching: its table comes from runs, its pictures from the script beside them."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from capax.tasks.match3 import TASK
from capax.theorems import theorem
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "explanation" / "matching.md"
FOLDER = ROOT / "docs" / "pictures" / "match3"


def read(name: str) -> str:
    """A file of the pictures."""
    return Path(FOLDER / name).read_text(encoding="utf-8")


def script(name: str) -> dict[str, Any]:
    """The names that a script beside the pictures defines."""
    return runpy.run_path(str(FOLDER / name))


@pytest.mark.deep
def test_the_table_is_that_of_a_run() -> None:
    """`python docs/pictures/match3/table.py` prints it; every model in it is checked."""
    assert script("table.py")["table"]() in PAGE.read_text(encoding="utf-8")


def test_the_sizes_in_the_table_are_those_of_the_models() -> None:
    """As they are built; the tests of theorems check the same models at their own sizes."""
    table = script("table.py")["table"]
    table.__globals__["run"] = lambda name, **at: SimpleNamespace(model=theorem(name).build(**at))
    assert table() in PAGE.read_text(encoding="utf-8")


def test_the_curve_is_right() -> None:
    """The accuracies of the partitions that were found are computed again, and the picture shows them."""
    kept, make = json.loads(read("pairwise.json")), script("make.py")
    words = make["all_words"](kept["modulus"], kept["others"])
    assert kept["base"] == pytest.approx(words.base)
    for row in kept["rows"]:
        assert max(row["partition"]) < row["m"]
        assert row["accuracy"] == pytest.approx(make["accuracy"](row["partition"], words))
    assert make["curve"](kept) == read("pairwise.svg")


def test_the_weights_are_those_of_the_runtime() -> None:
    """The picture of the third-order head is what the model does now."""
    assert script("make.py")["pairs"]() == read("third_order.svg")


def test_the_page_shows_the_pictures() -> None:
    """Both, and it says that the multi-layer case is open."""
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"../pictures/match3/{name}.svg" in page for name in ("pairwise", "third_order"))
    assert "open" in page


def test_counting_heads() -> None:
    """One bucket knows nothing, a bucket for each residue everything; the groups of a small case by hand."""
    make = script("make.py")
    accuracy, words = make["accuracy"], make["all_words"](7, 3)
    assert words.weights.sum() == 7**3
    assert accuracy([0] * 7, words) == pytest.approx(words.base)
    assert accuracy(range(7), words) == 1.0
    some = make["search"](3, words, seed=0, starts=1)
    assert words.base <= some[0] < 1
    assert accuracy(some[1], words) == some[0]
    for row, answer in zip(words.counts[:50], words.answers[:50], strict=True):
        word = [r or 7 for r, times in enumerate(row) for _ in range(times)]
        assert TASK.reference([1, *word], modulus=7)[0] == answer
