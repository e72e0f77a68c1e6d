"""What the check of certificates shares with the compiler is what the page on certificates says, and no more."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.house.tree import ROOT, SRC, imports_of, module_name, python_files

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

PAGE = ROOT / "docs" / "explanation" / "certificates.md"
CHECKS = ("capax.certify.recheck.recheck", "capax.certify.exported_models.exported")
FILES = {module_name(path, SRC): path for path in python_files(SRC / "capax")}


def closure(*start: str, files: dict[str, Path] = FILES, src: Path = SRC) -> set[str]:
    """The modules that some modules import, directly or not, at the top or in functions; with their packages."""
    found: set[str] = set()
    todo = list(start)
    while todo:
        name = todo.pop()
        if name in found or name not in files or name == "capax":  # the package itself imports nothing of a room
            continue
        found.add(name)
        todo.append(name.rpartition(".")[0])
        for item in imports_of(files[name], src):
            todo += [item.target, item.target.rpartition(".")[0]]
    return found


def printed() -> list[str]:
    """The modules that the page lists in its section about shared code."""
    section = re.search(r"^## What the check shares with the compiler\n(.*?)^## ", PAGE.read_text(), re.M | re.S)
    assert section, "the page has the section"
    rows = [line.split("|")[1] for line in section[1].splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([a-z0-9_.*]+)`", row)]


def shared() -> set[str]:
    """The modules that both use, without the check itself."""
    compiler = closure(*(name for name in FILES if name.split(".")[1:2] == ["compiler"]))
    assert len(compiler) > 100
    return {name for name in closure(*CHECKS) & compiler if not name.startswith("capax.certify")}


def test_the_check_imports_nothing_of_the_compiler() -> None:
    found = closure(*CHECKS)
    assert len(found) > 100
    assert [name for name in found if name.startswith("capax.compiler")] == []


def test_the_page_lists_what_is_shared() -> None:
    """Each module is in one row, and each row has modules."""
    patterns = printed()
    assert len(patterns) == len(set(patterns)) > 5
    rows = {name: [p for p in patterns if fnmatchcase(name, p)] for name in shared()}
    assert {name: found for name, found in rows.items() if len(found) != 1} == {}
    assert set(patterns) - {p for found in rows.values() for p in found} == set()


def test_a_module_that_is_new_is_seen(tmp_path: Path) -> None:
    """Also one that is imported in a function, through another."""
    folder = tmp_path / "capax" / "certify"
    folder.mkdir(parents=True)
    (folder / "recheck.py").write_text("from capax.certify import other\n")
    (folder / "other.py").write_text("def f():\n    from capax.compiler.pipeline import to_model\n")
    (tmp_path / "capax" / "compiler").mkdir()
    (tmp_path / "capax" / "compiler" / "pipeline.py").write_text("")
    files = {module_name(path, tmp_path): path for path in python_files(tmp_path / "capax")}
    assert closure("capax.certify.recheck", files=files, src=tmp_path) == {
        "capax.certify.recheck",
        "capax.certify.other",
        "capax.compiler.pipeline",
    }


def test_nobody_says_that_nothing_is_shared() -> None:
    """In no page, docstring or help."""
    words = re.compile(r"shares\s+nothing\s+with\s+(the compiler|what it checks)|nothing of the compiler")
    texts = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *python_files(SRC)]
    assert [str(path) for path in texts if words.search(path.read_text(encoding="utf-8"))] == []
