"""Tests that share what is slow to load run in one process."""

from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.support.scheduler import scope

FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))


def test_groups_are_read_from_files() -> None:
    """A file in a group, and one in none."""
    assert scope("tests/browser/test_playground.py") == "playground"
    assert scope("tests/house/test_scheduler.py") == "tests/house/test_scheduler.py"
    assert scope("tests/no_such_file.py") == "tests/no_such_file.py"


@pytest.mark.parametrize("group", ["libraries", "playground", "tree"])
def test_a_group_has_all_files_that_name_it(group: str) -> None:
    """The mark of a group is one of the whole file, written as the scheduler reads it."""
    naming = [file for file in FILES if f'xdist_group("{group}")' in Path(ROOT, file).read_text(encoding="utf-8")]
    assert naming
    assert [file for file in naming if scope(file) != group] == []
