"""Every statement of the sources runs: its commands end with 0 and print what its record expects."""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from capax.app.commands._statement_runs import run_statements
from capax.source_statements.dataset import sources
from capax.source_statements.records import SourceStatement

CHUNK = 20


def unproved(one: SourceStatement) -> SourceStatement:
    """A statement that does not expect a proof, with none in its commands: theorems' proofs are run by other tests."""
    if "proved on" in one.expect:
        return one
    commands, also = (
        tuple(
            f"{c} --prove 0" if re.match(r"capax theorem \S+[^|;&<>]*$", c) and "--break" not in c else c for c in part
        )
        for part in (one.commands, one.also)
    )
    return replace(one, commands=commands, also=also)


EVERY = [unproved(one) for source in sources() for one in source.statements if one.commands]
KEPT = [one for one in EVERY if one.needs]
CHUNKS = [KEPT, *([one for one in EVERY[at : at + CHUNK] if not one.needs] for at in range(0, len(EVERY), CHUNK))]
"""Statements about the kept runs stand together, since they share commands."""


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    """Long integers, as the process of the command line allows them."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(100_000)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("also", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["", "at other sizes"])
@pytest.mark.parametrize("chunk", CHUNKS, ids=lambda chunk: f"{chunk[0].number}...{chunk[-1].number}")
def test_statements_hold(chunk: list[SourceStatement], also: bool) -> None:
    """Every command of every record; `make deep` runs those at other sizes too."""
    runs = run_statements(chunk, also=also).runs
    assert {run.statement.number: run.problems() for run in runs if run.problems()} == {}
    assert [len(run.printed) for run in runs] == [len(one.commands) + also * len(one.also) for one in chunk]


def made(commands: tuple[str, ...], expect: tuple[str, ...], **more: tuple[str, ...]) -> SourceStatement:
    """A statement for a test."""
    return SourceStatement("009-1", "S", "claim", "exact", commands, expect, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (made(("capax run tokens ab",), ("[a, c]",)), "the output lacks: [a, c]"),
        (made(("capax run nothing_here ab",), ()), "`capax run nothing_here ab` ends with 2"),
        (made(("capax run --nothing ab",), ()), "`capax run --nothing ab` ends with 2"),
        (made(("capax fmt --check x.rasp < x.rasp",), ()), "`capax fmt --check x.rasp < x.rasp` ends with 1"),
        (made(("! capax run tokens ab",), ()), "`! capax run tokens ab` ends with 1"),
        (made(("! capax run nothing_here ab",), ()), "`! capax run nothing_here ab` ends with 2"),
        (made(("capax run tokens ab",), ("a",), also=("capax run tokens b",), also_expect=("a",)), "lacks: a"),
        (made(("capax run tokens ab",), (), needs=("docs/nothing.sqlite",)), "docs/nothing.sqlite is not there"),
    ],
)
def test_what_is_not_as_the_record_says_is_told(statement: SourceStatement, problem: str) -> None:
    """A wrong output, an error, a no, a bad option, other sizes, and a file that only the source tree has."""
    files = {"x.rasp": "x=1;"}
    statement = SourceStatement(
        statement.number,
        statement.says,
        statement.kind,
        statement.evidence,
        statement.commands,
        statement.expect,
        statement.also,
        statement.also_expect,
        files=files,
        needs=statement.needs,
    )
    runs = run_statements([statement], also=True)
    (told,) = runs.runs[0].problems()
    assert problem in told
    assert problem in runs.render()
    assert runs.holds is (None if statement.needs else False)
    assert not runs.complete


def test_a_command_may_be_expected_to_say_no() -> None:
    """As in a shell, `!` turns the exit code 1 into 0."""
    one = made(("! capax limit match3 --nothing 1",), ())
    assert not run_statements([one], also=False).holds
    assert run_statements([made(("! capax atlas --nothing",), ())], also=False).runs[0].printed[0].exit_code == 2
    no = made(("! capax theorem match2 --break",), ())
    yes = made(("capax theorem match2 --break",), ("counterexample",))
    assert (run_statements([no], also=False).holds, run_statements([yes], also=False).holds) == (False, True)


def test_what_is_not_run_or_not_confirmed_does_not_hold() -> None:
    """Null and no success for a statement that cannot be run; null for one whose measurement does not show it."""
    command = ("capax run tokens ab",)
    absent = run_statements([made(command, ("a",), needs=("docs/nothing.sqlite",))], also=False)
    assert (absent.to_json()["holds"], absent.complete, absent.runs[0].outcome) == (None, False, "not run")
    assert absent.to_json()["runs"][0]["holds"] is None
    unconfirmed = SourceStatement("009-1", "S", "claim", "unconfirmed", command, ("a",), note="only a part was seen")
    runs = run_statements([unconfirmed], also=False)
    assert (runs.holds, runs.complete, runs.runs[0].outcome) == (None, True, "not confirmed")
    assert "not confirmed: only a part was seen" in runs.render()
    both = run_statements([made(command, ("a",)), unconfirmed], also=False)
    assert (both.holds, both.render().splitlines()[-1]) == (None, "1 as expected, 1 not confirmed")
    assert not run_statements([unconfirmed, made(command, ("z",))], also=False).holds
    failing = SourceStatement("009-1", "S", "claim", "unconfirmed", command, ("z",), note="N")
    assert run_statements([failing], also=False).holds is False


def test_a_run_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written into a folder that is gone afterwards; commands that are shared are run once."""
    monkeypatch.chdir(tmp_path)
    one = made(("capax theorem majority --length 4 -o m.safetensors", "capax size m.safetensors"), ("width 2",))
    runs = run_statements([one, one], also=False).runs
    assert [run.holds for run in runs] == [True, True]
    assert runs[0].printed is runs[1].printed
    assert os.listdir(tmp_path) == []
