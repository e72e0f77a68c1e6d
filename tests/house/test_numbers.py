"""The shape of the code stays within its ceilings; `python -m tests.house.numbers -v` prints what is counted."""

import ast
from pathlib import Path

import pytest

from tests.house.numbers import NUMBERS, Number, complexity, duplicate_classes, lines, untyped_dicts
from tests.house.tree import PACKAGE

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

HELD = [number for number in NUMBERS if number.items is not lines]  # new rooms add lines; that is not a fault


@pytest.mark.parametrize("number", HELD, ids=lambda number: number.name)
def test_a_number_is_at_most_its_ceiling(number: Number) -> None:
    """Each of them, on the package as it is."""
    assert number.value(PACKAGE) <= number.ceiling, number.items(PACKAGE)


def test_complexity_counts_branches() -> None:
    """One for the function, and one for each branch, operator and comprehension."""
    text = "def f(x):\n if x and not x or x:\n  return [y for y in x if y]\n assert x\n return 1 if x else 2\n"
    assert complexity(ast.parse(text).body[0]) == 1 + 1 + 2 + 2 + 1 + 1


def test_counts_are_of_what_is_written(tmp_path: Path) -> None:
    """A dictionary of anything counts outside functions about JSON; a class counts if two files define it."""
    (tmp_path / "one.py").write_text(
        "class A: ...\ndef f(x: dict[str, Any]): ...\ndef to_json() -> dict[str, Any]: ...\n"
    )
    (tmp_path / "two.py").write_text("class A: ...\nclass B: ...\n")
    assert untyped_dicts(tmp_path) == ["one.py:2"]
    assert duplicate_classes(tmp_path) == ["A (2)"]
