"""The page of the benchmarks has a section for each, in the words of its file; its figures are what was measured."""

from pathlib import Path

from benchmarks.page import HERE, MARK, NOT_RUN, PIECES, figures_of, page, questions
from benchmarks.table import Table
from tests.golden.conftest import Golden
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "reference" / "benchmarks.md"


def kept() -> dict[str, str]:
    """The figures on the page."""
    return figures_of(PAGE.read_text(encoding="utf-8"))


def test_the_text_is_that_of_the_files(golden: Golden) -> None:
    """What stands beside the figures follows from the files; `--update-golden` leaves the figures alone."""
    written = page(kept())
    assert written.count(MARK) == len(questions())
    golden(PAGE, written)


def test_every_benchmark_was_run() -> None:
    """Each has a table, and says on what machine it was measured."""
    for name, figures in kept().items():
        assert "| ---" in figures, name
        assert " CPU seconds in all, on " in figures, name
        assert NOT_RUN not in figures, name


def test_every_file_is_a_question_or_a_piece() -> None:
    files = {path.stem for path in Path(HERE).glob("*.py")}
    assert files == set(questions()) | PIECES
    assert set(questions()) == set(kept())


def test_each_has_a_small_size() -> None:
    """`make bench` asks for it."""
    assert all("--quick" in (HERE / f"{name}.py").read_text(encoding="utf-8") for name in questions())


def test_figures_survive_the_page() -> None:
    figures = {name: f"**{name}**\n\n| a |\n| --- |" for name in questions()}
    assert figures_of(page(figures)) == figures
    assert page({}).count(MARK) == page({}).count(NOT_RUN) == len(questions())


def test_a_table_is_markdown() -> None:
    table = Table("name", "n", title="Two")
    table.add_row("a|b", "1,000")
    table.add_row("long name", "-")
    table.add_row("short")
    assert str(table).splitlines() == [
        "**Two**",
        "",
        "| name      |     n |",
        "| --------- | ----: |",
        "| a\\|b      | 1,000 |",
        "| long name |     - |",
        "| short     |       |",
    ]
