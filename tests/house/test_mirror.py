"""`tests/unit` is a mirror of `src/capax`: a test of `a/b.py` is `a/test_b.py`, or `a/test_b_SUBJECT.py`."""

from pathlib import Path

from tests.house.tree import ROOT


def strays(root: Path) -> list[str]:
    """The test files below `tests/unit` that mirror no module and no package below `src/capax`."""
    unit = root / "tests" / "unit"
    return sorted(str(path.relative_to(root)) for path in unit.rglob("test_*.py") if not _mirrors(path, root))


def _mirrors(path: Path, root: Path) -> bool:
    """Whether the file is named for a module or package in the folder of the same path, or for that folder."""
    folder = root / "src" / "capax" / path.parent.relative_to(root / "tests" / "unit")
    if not folder.is_dir():
        return False
    entries = [entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or entry.is_dir()]
    names = {name.lstrip("_") for name in [*entries, folder.name]}
    subject = path.stem.removeprefix("test_")
    return any(subject == name or subject.startswith(f"{name}_") for name in names)


def test_unit_tests_mirror_the_source() -> None:
    """Every unit test says by its path which module it is about."""
    assert any((ROOT / "tests" / "unit").rglob("test_*.py"))
    assert strays(ROOT) == []


def test_a_stray_is_seen(tmp_path: Path) -> None:
    """A test of a module that does not exist, in a folder that exists and in one that does not."""
    (tmp_path / "src" / "capax" / "rasp").mkdir(parents=True)
    (tmp_path / "src" / "capax" / "rasp" / "nodes.py").write_text("")
    (tmp_path / "tests" / "unit" / "rasp").mkdir(parents=True)
    (tmp_path / "tests" / "unit" / "other").mkdir()
    for name in ("rasp/test_nodes.py", "rasp/test_nodes_interning.py", "test_rasp.py"):
        (tmp_path / "tests" / "unit" / name).write_text("")
    assert strays(tmp_path) == []
    for name in ("rasp/test_nodesque.py", "other/test_nodes.py"):
        (tmp_path / "tests" / "unit" / name).write_text("")
    assert strays(tmp_path) == ["tests/unit/other/test_nodes.py", "tests/unit/rasp/test_nodesque.py"]
