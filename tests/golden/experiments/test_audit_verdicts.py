"""The kept verdicts: they are of the kept models, their counterexamples are wrong again, and the page says the same."""

import runpy
import tomllib
from itertools import product
from typing import Any

import pytest

from capax.auditor.confirm import confirm
from tests.golden.conftest import Golden
from tests.golden.experiments.audit_page import page, picture, verdict_lengths
from tests.house.tree import ROOT

FOLDER = ROOT / "experiments" / "audit"
DOCS = ROOT / "docs" / "experiments"
SCRIPT = runpy.run_path(str(FOLDER / "verdicts.py"))
ENTRIES = {entry["name"]: entry for entry in tomllib.loads((FOLDER / "models.toml").read_text("utf-8"))["models"]}
RESULTS = {result["name"]: result for result in tomllib.loads((FOLDER / "verdicts.toml").read_text("utf-8"))["models"]}


def test_the_page_and_its_picture_say_what_the_verdicts_are(golden: Golden) -> None:
    entries = list(ENTRIES.values())
    assert sum(name in page(entries, RESULTS) for name in ENTRIES) == len(ENTRIES)
    golden(DOCS / "audit.md", page(entries, RESULTS))
    golden(DOCS / "audit.svg", picture(entries, RESULTS))


def test_verdicts_are_complete() -> None:
    """Every length that a model was asked at has one; what is proved by bounds exceeds the rounding."""
    assert set(RESULTS) <= set(ENTRIES)
    for name, result in RESULTS.items():
        assert [row["n"] for row in result["lengths"]] == list(range(1, SCRIPT["group_of"](ENTRIES[name]).longest + 1))
        for row in result["lengths"]:
            assert row["verdict"] != "wrong" or len(row["word"]) == row["n"]
            if row["verdict"] == "proved" and row["by"] == "bounds":
                assert row["bound"] > row["rounding"] > 0


@pytest.mark.parametrize("name", RESULTS)
def test_counterexamples_are_wrong_again_and_short_proofs_hold(name: str) -> None:
    """The shortest word and the last one are confirmed; all words of a length that was proved are right."""
    asked = SCRIPT["question_of_entry"](ENTRIES[name])
    wrong = [row["word"] for row in RESULTS[name]["lengths"] if row["verdict"] == "wrong"]
    for word in {*wrong[:1], *wrong[-1:]}:
        assert confirm(asked, tuple(word)) is not None
    short = max(n for n in verdict_lengths(RESULTS[name], "proved") if n <= 4)
    words = list(product(asked.spec.letters, repeat=short))
    assert all(confirm(asked, word) is None for word in words[:: max(1, len(words) // 3)])


@pytest.mark.deep
def test_every_counterexample_is_wrong_again() -> None:
    for name, result in RESULTS.items():
        asked: Any = SCRIPT["question_of_entry"](ENTRIES[name])
        for row in result["lengths"]:
            assert row["verdict"] != "wrong" or confirm(asked, tuple(row["word"])) is not None, (name, row["n"])
