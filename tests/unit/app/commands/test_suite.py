"""`capax suite`: a small suite is made, listed, checked and scored, and wrong input is refused."""

from pathlib import Path

import pytest

from tests.unit.app.outcome import Capax


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the suite goes."""
    return tmp_path_factory.mktemp("suites") / "suite"


def test_from_making_to_scores(capax: Capax, folder: Path, tmp_path: Path) -> None:
    """The four commands in turn, as a user runs them."""
    made = capax("suite", "make", "-o", str(folder), "--programs", "induction", "--levels", "plain,soft", "--json")
    assert (made.code, made.json["models"], made.json["refused"]) == (0, 2, [])
    listed = capax("suite", "list", str(folder))
    assert listed.out.startswith("induction  library  2  The letter after")
    assert capax("suite", "check", str(folder), "--quiet").out.startswith("2 models, 19,680 words")
    part = capax("suite", "check", str(folder), "--levels", "soft", "--programs", "induction", "--json")
    assert (part.code, part.json["models"], part.json["problems"]) == (0, 1, [])
    assert "no program 'sort'" in capax("suite", "check", str(folder), "--programs", "sort").err
    report = tmp_path / "scores.html"
    scored = capax(
        "suite", "score", str(folder), "--method", "eap,exact,probe", "--pairs", "4", "--report", str(report), "--json"
    )
    scores = {(s["level"], s["method"]): s["auroc"] for s in scored.json["edges"]}
    assert scores["plain", "exact"] == scores["soft", "exact"] == 1.0
    assert scores["plain", "eap"] < 0.8 < scores["soft", "eap"]
    assert {s["method"] for s in scored.json["features"]} == {"probe"}
    assert report.read_text().count("<svg") == 3


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("make", "-o", "x", "--programs", "nothing"), "there is no program 'nothing'"),
        (("make", "-o", "x", "--programs", "0"), "a suite has at least one program"),
        (("make", "-o", "x", "--levels", "hard"), "there is no level 'hard'"),
        (("make", "-o", "x", "--seed", "-1"), "a seed is 0 or more"),
        (("check", "nowhere"), "nowhere/suite.json"),
        (("score", "nowhere", "--method", "guess"), "there is no method 'guess'"),
        (("score", "nowhere", "--report", "x.pdf"), "a report goes to an .html file"),
    ],
)
def test_wrong_input(capax: Capax, arguments: tuple[str, ...], what: str) -> None:
    """Exit code 2 and a message."""
    done = capax("suite", *arguments)
    assert done.code == 2
    assert what in done.err


def test_the_programs_are_listed(capax: Capax) -> None:
    """All that a suite can have by name."""
    assert len(capax("suite", "list", "--json").json) == 60
