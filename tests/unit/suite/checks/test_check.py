"""A suite that is right has no problems, and every error that is planted is found."""

import shutil
from pathlib import Path
from random import Random

import pytest

from capax.suite.checks.check import check
from capax.suite.make import make
from tests.support.planted_errors import PLANTS, Plant

LEVELS = ("plain", "backup")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of one program."""
    folder = tmp_path_factory.mktemp("suites") / "suite"
    made = make(folder, programs=["first-equals-here"], levels=LEVELS)
    assert not made.refused
    return folder


def test_a_suite_is_right(suite: Path) -> None:
    """No problems; all words and edges are counted."""
    result = check(suite)
    assert result.problems == []
    assert result.models == len(LEVELS)
    assert result.words == 2 * 9840


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_error_is_found(suite: Path, tmp_path: Path, plant: Plant) -> None:
    """By what the file says, not by its digest; the digest shows it, too."""
    copy = tmp_path / "suite"
    shutil.copytree(suite, copy)
    what = plant(copy / "first-equals-here" / "plain", Random(3))
    result = check(copy, digests=False, levels=("plain",))
    assert result.problems, what


def test_a_digest_shows_a_change(suite: Path, tmp_path: Path) -> None:
    """A file that was changed, and one that is missing."""
    copy = tmp_path / "suite"
    shutil.copytree(suite, copy)
    (copy / "first-equals-here" / "plain" / "acdc.pkl").unlink()
    (copy / "first-equals-here" / "program.rasp").write_text("tokens;")
    problems = [p.what for p in check(copy, levels=("voting",)).problems]
    assert "first-equals-here/plain/acdc.pkl is missing" in problems
    assert "first-equals-here/program.rasp is not the file that was written" in problems


@pytest.mark.deep
def test_a_hundred_planted_errors_are_found(tmp_path: Path) -> None:
    """On several programs and levels, each alone."""
    names, levels = ["induction", "sort", "count-a", "two-hop", "parity"], ("plain", "rotated", "soft", "decoy")
    make(tmp_path / "suite", programs=names, levels=levels)
    missed = []
    for number in range(100):
        draw = Random(number)
        name, level, plant = draw.choice(names), draw.choice(levels), PLANTS[number % len(PLANTS)]
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(tmp_path / "suite" / name, copy / name)
        (copy / "suite.json").write_text(_only(tmp_path / "suite" / "suite.json", name))
        what = plant(copy / name / level, draw)
        if not check(copy, digests=False, levels=(level,)).problems:
            missed.append((name, level, what))
        shutil.rmtree(copy)
    assert missed == []


def _only(file: Path, name: str) -> str:
    """The list of a suite with one case."""
    import json

    data = json.loads(file.read_text())
    return json.dumps({**data, "cases": [case for case in data["cases"] if case["id"] == name]})
