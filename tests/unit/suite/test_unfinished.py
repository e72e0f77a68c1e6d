"""A make that is cut short goes on where it stopped, and gives the same bytes as one that was not."""

from pathlib import Path

import pytest

from capax import CapaxError
from capax.suite import load
from capax.suite.files import UNFINISHED
from capax.suite.make import make

PROGRAMS = ["shift-right", "first-equals-here"]


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_make_goes_on(tmp_path: Path) -> None:
    """The program that was whole is kept, the one that was not is made anew; nothing else is left in the folder."""
    make(tmp_path / "whole", programs=PROGRAMS, levels=["plain"])
    cut, said = tmp_path / "cut", list[str]()

    def stop(text: str) -> None:
        if text.startswith("1 of 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(cut, programs=PROGRAMS, levels=["plain"], say=stop)
    assert (cut / UNFINISHED / "case-shift-right.json").exists()
    with pytest.raises(CapaxError) as unfinished:
        load(cut)
    assert "not made to its end" in str(unfinished.value.hint)
    (cut / "first-equals-here").mkdir()
    (cut / "first-equals-here" / "half.json").write_text("{")
    with pytest.raises(CapaxError, match="unfinished suite of other settings"):
        make(cut, programs=PROGRAMS, levels=["soft"])
    made = make(cut, programs=PROGRAMS, levels=["plain"], say=said.append)
    assert said[0] == "1 of 2 programs are there already"
    assert (made.cases, made.models) == (2, 2)
    assert _files(cut) == _files(tmp_path / "whole")
    assert [case.program.id for case in load(cut).cases] == PROGRAMS


def test_a_finished_suite_is_left_alone(tmp_path: Path) -> None:
    """The folder is not empty, whatever is asked."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CapaxError, match="is not empty"):
        make(tmp_path, programs=PROGRAMS, levels=["plain"])
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
