"""What CONTRIBUTING and the page on the architecture say of the tree is true."""

import ast
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.house.blocks import blocks
from tests.house.test_imports import FLOOR, FLOORS, room_of
from tests.house.tree import PACKAGE, ROOT, SRC, imports_of, module_name, parse, python_files

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

MAP = ROOT / "docs" / "explanation" / "architecture.md"
PAGES = (MAP, ROOT / "CONTRIBUTING.md")
FOR_ALL = 3  # the rows of the map that any room may use, and that "stands on" leaves out


def rooms(page: Path) -> list[set[str]]:
    """The rooms of the first table of a page, row by row."""
    rows = re.findall(r"^\| (`[^|]*`) \|", page.read_text(encoding="utf-8"), re.M)
    return [{name.removesuffix(".py").strip("/") for name in re.findall(r"`([^`]+)`", row)} for row in rows]


def stands_on(page: Path) -> dict[str, set[str]]:
    """The rooms that each room of the map stands on, as its third column says."""
    on: dict[str, set[str]] = {}
    for row in re.findall(r"^\| (`[^|]*`) \|[^|]*\|([^|]*)\|[^|]*\|$", page.read_text(encoding="utf-8"), re.M):
        names = [name.removesuffix(".py").strip("/") for name in re.findall(r"`([^`]+)`", row[0])]
        lists = row[1].split(";")
        for name, text in zip(names, lists if len(lists) > 1 else lists * len(names), strict=True):
            lower = {room for room, floor in FLOOR.items() if FOR_ALL <= floor < FLOOR[name]}
            named = set(re.findall(r"`([^`]+)`", text))
            on[name] = lower - named if "every room" in text else named
    return on


def imported_rooms() -> dict[str, set[str]]:
    """The rooms that the modules of each room import, without its own and those that any room may use."""
    on: dict[str, set[str]] = {room: set() for room in FLOOR if room != "capax"}
    for path in python_files(PACKAGE):
        room = room_of(module_name(path, SRC))
        targets = {room_of(i.target) for i in imports_of(path, SRC) if i.target.startswith("capax.")}
        on.get(room, set()).update(t for t in targets - {room} if FLOOR[t] >= FOR_ALL)
    return on


def calls(path: Path) -> list[str]:
    """The modules, as paths in the package, whose functions a module calls, in the order of the calls."""
    tree = parse(path)
    source = {
        alias.name: node.module.removeprefix("capax.").replace(".", "/")
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    called = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    called.sort(key=lambda n: (n.lineno, n.col_offset))
    return [source[n.func.id] for n in called if isinstance(n.func, ast.Name) and n.func.id in source]


def steps(page: Path) -> list[str]:
    """The first path of each step of the walk, which has four columns, from the analysis to the certificate."""
    rows = re.findall(r"^\| ([^|`]+) \|[^|]*\|[^|]*\| `([^`]+)`[^|]*\|$", page.read_text(encoding="utf-8"), re.M)
    names = [name for name, _ in rows]
    return [path.removesuffix(".py").strip("/") for _, path in rows[names.index("analysis") : names.index("save")]]


def in_order(where: Sequence[str], called: Sequence[str]) -> bool:
    """Whether the first calls below some paths come in the order of the paths."""
    first = [next(i for i, call in enumerate(called) if f"{call}/".startswith(f"{path}/")) for path in where]
    return first == sorted(set(first))


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


def test_the_map_says_what_every_room_stands_on() -> None:
    """Room by room, what its modules import."""
    assert stands_on(MAP) == imported_rooms()


def test_the_walk_has_the_order_of_the_pipeline() -> None:
    """From the analysis to the certificate, in the order in which the pipeline calls the passes."""
    called = calls(PACKAGE / "compiler" / "pipeline.py")
    where = steps(MAP)
    assert len(where) == 9
    assert in_order(where, called)
    assert not in_order([where[1], where[0], *where[2:]], called)


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
