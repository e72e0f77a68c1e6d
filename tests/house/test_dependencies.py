"""Every package that capax imports is declared in pyproject.toml, and what the tests run with is pinned."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house.tree import ROOT, SRC, imports_of, python_files

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files


MODULES = {"z3-solver": "z3"}
"""Packages whose module has another name."""


def import_names(requirements: list[str]) -> set[str]:
    """The top-level modules that requirements such as `numpy>=1.26` bring."""
    names = [re.split(r"[^\w.-]", requirement)[0] for requirement in requirements]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def foreign_imports(src: Path) -> set[str]:
    """The top-level modules that the package imports, other than itself and the standard library."""
    tops = {item.target.split(".")[0] for path in python_files(src / "capax") for item in imports_of(path, src)}
    return tops - {"capax", ""} - set(sys.stdlib_module_names)


def test_every_import_is_declared() -> None:
    """The package imports nothing that only comes along with something else."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: wants for name, wants in project["optional-dependencies"].items() if name != "dev"}
    declared = import_names([*project["dependencies"], *(want for wants in extras.values() for want in wants)])
    assert {"numpy", "lark", "torch", "prompt_toolkit"} <= declared
    assert "lark" in foreign_imports(SRC)
    assert foreign_imports(SRC) - declared == set()


def test_core_and_dev_are_pinned() -> None:
    """constraints.txt pins each core and dev package exactly, and torch."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.split("==")[0].lower().replace("-", "_") for line in lines if "==" in line}
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"], "torch"]
    assert {re.split(r"[^\w.-]", want)[0].lower().replace("-", "_") for want in wanted} <= pinned
    assert all(re.fullmatch(r"(#.*|[\w.-]+==[\w.+]+)?", line) for line in lines)


def test_an_undeclared_import_is_seen(tmp_path: Path) -> None:
    """A package that nobody declared is found, in a function too."""
    (tmp_path / "capax").mkdir()
    (tmp_path / "capax" / "one.py").write_text("import os, capax.two\ndef f():\n    from click import Choice\n")
    assert foreign_imports(tmp_path) == {"click"}
