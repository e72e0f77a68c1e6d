"""What CONTRIBUTING and the page on the architecture say of the tree is true."""

import re
from pathlib import Path

import pytest

from tests.house.blocks import blocks
from tests.house.test_imports import FLOORS
from tests.house.tree import PACKAGE, ROOT

MAP = ROOT / "docs" / "explanation" / "architecture.md"
PAGES = (MAP, ROOT / "CONTRIBUTING.md")


def rooms(page: Path) -> list[set[str]]:
    """The rooms of the first table of a page, row by row."""
    rows = re.findall(r"^\| (`[^|]*`) \|", page.read_text(encoding="utf-8"), re.M)
    return [{name.removesuffix(".py").strip("/") for name in re.findall(r"`([^`]+)`", row)} for row in rows]


def paths(page: Path) -> list[str]:
    """The paths that a page names in backticks: what ends with a slash, or with the ending of a source file."""
    names = re.findall(r"`([\w./-]+(?:/|\.(?:py|md|rasp|toml|bib|lark|css|js)))`", page.read_text(encoding="utf-8"))
    return [name for name in names if not name.startswith(".")]


def exists(name: str) -> bool:
    """Whether a path exists, from the root of the project or inside the package."""
    return (ROOT / name).exists() or (PACKAGE / name).exists()


def test_the_map_has_the_rooms_in_the_order_of_their_imports() -> None:
    """Row by row, lowest first, without the package itself."""
    assert rooms(MAP) == [set(floor) for floor in FLOORS if floor != {"capax"}]


def test_every_room_is_on_the_map() -> None:
    """No file and no folder of the package is missing."""
    here = {entry.stem for entry in PACKAGE.iterdir() if entry.suffix in ("", ".py")} - {"__init__", "__main__"}
    assert here - {"__pycache__", "py"} == {room for row in rooms(MAP) for room in row}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_exists(page: Path) -> None:
    """A path that is named to a newcomer leads somewhere, or is that of a file which the page makes."""
    names = paths(page)
    made = {block.options.get("title") for block in blocks(page)}
    assert len(names) > 5
    assert [name for name in names if not exists(name) and name not in made] == []


def test_a_breach_is_seen(tmp_path: Path) -> None:
    """A room and a path are read as they are written."""
    page = tmp_path / "page.md"
    page.write_text("| room | x |\n|---|---|\n| `errors.py` | `a/b.py` |\n| `a/`, `b/` | c |\n")
    assert rooms(page) == [{"errors"}, {"a", "b"}]
    assert [name for name in paths(page) if not exists(name)] == ["a/b.py", "a/", "b/"]
