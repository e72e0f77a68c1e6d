"""Who may import whom: a room of the package imports from lower rooms only."""

from pathlib import Path

import pytest

from tests.house.tree import SRC, imports_of, module_name, python_files

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

# Lowest first. Rooms on one floor do not import each other.
FLOORS = (
    {"errors"},
    {"budget", "display", "notation"},
    {"report"},
    {"formal", "rasp", "model"},
    {"certify"},  # below the compiler, which may use it and which it checks
    {"compiler"},
    {"auditor"},  # specifications reach it as data
    {"compat"},  # above the compiler, which its models are made with
    {"tasks"},
    {"theorems", "limits", "lab"},
    {"synthesis", "decompiler", "suite"},
    {"atlas", "source_statements"},
    {"draw"},
    {"app"},
    {"capax"},  # __init__.py and __main__.py: they see every room, and no room sees them
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def room_of(dotted: str) -> str:
    """The room that a dotted name in the package lies in; the package itself for what is in no room."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FLOOR else "capax"


def breaches(src: Path) -> list[str]:
    """Every import in the package below `src` that goes sideways or up, and every room that no floor has."""
    found = []
    for path in python_files(src / "capax"):
        name = module_name(path, src)
        room = room_of(name)
        if room == "capax" and name not in {"capax", "capax.__main__"}:
            found.append(f"{path}: is in no room of the house")
        for item in imports_of(path, src):
            if item.target.split(".")[0] != "capax":
                continue
            target = room_of(item.target)
            if target != room and FLOOR[target] >= FLOOR[room]:
                found.append(f"{item}, but {room} may not import {target}")
    return found


def test_rooms_import_from_lower_rooms_only() -> None:
    """The package keeps the rule, and there is a package to look at."""
    assert len(python_files(SRC / "capax")) > 1
    assert breaches(SRC) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("rasp/ir/nodes.py", "from capax.model import spec"),
        ("rasp/ir/nodes.py", "from capax import Program"),
        ("rasp/ir/nodes.py", "import capax"),
        ("rasp/ir/nodes.py", "from capax import app"),
        ("rasp/text/parser.py", "from ...app import cli"),
        ("rasp/text/parser.py", "def f():\n    import capax.compiler.passes"),
        ("theorems/one.py", "from capax.limits import two"),
        ("lab/train.py", "import importlib\nimportlib.import_module('capax.theorems')"),
        ("app/cli.py", "from .. import __version__"),
        ("helpers.py", ""),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, file: str, text: str) -> None:
    """A package with one wrong import has exactly one breach."""
    path = tmp_path / "capax" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert len(breaches(tmp_path)) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("rasp/text/parser.py", "from ..nodes import Node\nfrom . import scope\nfrom ...errors import Span"),
        ("app/cli.py", "from capax.draw import svg\nfrom capax import errors\nimport numpy"),
        ("__init__.py", "from .app import commands\nfrom capax.rasp.python.embed import tokens"),
    ],
)
def test_imports_downwards_are_left_alone(tmp_path: Path, file: str, text: str) -> None:
    """Imports from lower rooms, the own room and elsewhere are no breach."""
    path = tmp_path / "capax" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert breaches(tmp_path) == []
