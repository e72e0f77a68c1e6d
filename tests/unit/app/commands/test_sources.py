"""`capax sources`."""

from pathlib import Path

import pytest

from capax.source_statements.dataset import sources
from tests.unit.app.outcome import Capax


def test_the_overview(capax: Capax) -> None:
    """Each source with its counts, and the sum."""
    done = capax("sources")
    assert done.code == 0
    assert "000  Transformers can learn pairwise" in done.out
    assert "90 statements: " in done.out
    assert "of 162 statements: 160 run whole, 2 measured and not confirmed; 5 illustrations" in done.out
    told = capax("sources", "--json").json
    assert [item["statements"] for item in told] == [24, 90, 32, 21]
    assert sum(sum(item["evidence"].values()) for item in told) == 167


def test_one_source_and_one_statement(capax: Capax) -> None:
    """All statements with their commands; one with its files, sizes and evidence."""
    done = capax("sources", "002")
    assert "002-19  exact" in done.out
    assert "$ capax run hist_bos §hello" in done.out
    one = capax("sources", "002-7").out
    assert "sel = select([2,0,0],[0,1,2],==);" in one
    assert "the output has: new" in one
    assert "at other sizes" in one
    (record,) = capax("sources", "002-7", "--json").json
    assert record["number"] == "002-7"
    assert record["commands"] == ["capax repl < slide.rasp"]


def test_what_is_open(capax: Capax) -> None:
    """The partial and open ones with their notes, and no other."""
    expected = [one.number for source in sources() for one in source.statements if not one.settled]
    assert [one["number"] for one in capax("sources", "--open", "--json").json] == expected
    out = capax("sources", "--open").out
    assert "002-17" not in out
    assert "000-4   unconfirmed" in out
    assert "The order that a program needs is exact." in out


def test_files_of_the_source_tree_are_said_to_be_there(capax: Capax) -> None:
    """In a list and of one statement; and without them `--run` is no success."""
    for which in ("000", "000-4"):
        assert "docs/experiments/quick.sqlite is a path in the source tree" in capax("sources", which).out


def test_a_statement_that_cannot_be_run_is_no_success(
    capax: Capax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the package, which has no kept runs."""
    monkeypatch.setattr("capax.app.commands._statement_runs.PROJECT", tmp_path)
    done = capax("sources", "--run", "000-4", "--json")
    assert (done.code, done.json["holds"], done.json["runs"][0]["outcome"]) == (1, None, "not run")
    assert "not run" in capax("sources", "--run", "000-4").out


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("9",), "unknown-source"),
        (("001-91",), "unknown-source"),
        (("--also",), "bad-option"),
        (("--run", "--open"), "bad-option"),
        (("--page", "001"), "bad-option"),
    ],
)
def test_wrong_arguments(capax: Capax, args: tuple[str, ...], code: str) -> None:
    done = capax("sources", *args)
    assert done.code == 2
    assert done.err.startswith(f"error[{code}]")


def test_a_statement_is_run(capax: Capax) -> None:
    """Its commands with their output, and the outcome; several as a line each."""
    done = capax("sources", "--run", "002-7")
    assert done.code == 0
    assert "$ capax repl < slide.rasp" in done.out
    assert 'new("hel") = [3.0, 0, 1]' in done.out
    assert "as expected (exact)" in done.out
    told = capax("sources", "--run", "002-7", "--also", "--json").json
    assert (told["holds"], len(told["runs"][0]["commands"])) == (True, 2)
    assert "nothing to run" in capax("sources", "--run", "000-5").out
