"""Files have at most 500 lines, functions fewer than 70, examples fewer than 60."""

import ast
from pathlib import Path

import pytest

from tests.house.tree import ROOT, parse, python_files, walked

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

FILE_CEILING = 500
FUNCTION_CEILING = 70
EXAMPLE_CEILING = 60


def breaches(root: Path) -> list[str]:
    """Each file and function that is too long, with its length."""
    found = []
    for path in python_files(*(root / name for name in ("src", "tests", "benchmarks", "examples"))):
        length = len(path.read_text(encoding="utf-8").splitlines())
        if length > FILE_CEILING:
            found.append(f"{path}: {length} lines, the ceiling is {FILE_CEILING}")
        if path.is_relative_to(root / "examples") and length >= EXAMPLE_CEILING:
            found.append(f"{path}: {length} lines, an example has fewer than {EXAMPLE_CEILING}")
        for node in walked(parse(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines >= FUNCTION_CEILING:
                    found.append(f"{path}:{node.lineno}: {node.name} has {lines} lines of {FUNCTION_CEILING - 1}")
    return found


def test_files_and_functions_are_small() -> None:
    """The project keeps the ceilings, and there are files to measure."""
    assert len(python_files(ROOT / "src", ROOT / "tests")) > 10
    assert breaches(ROOT) == []


def test_a_breach_is_seen(tmp_path: Path) -> None:
    """One line over each ceiling is found; at the ceiling there is nothing to find."""
    body = "    x = 1\n"
    for folder in ("src", "tests", "benchmarks", "examples"):
        (tmp_path / folder).mkdir()
    (tmp_path / "src" / "most.py").write_text("x = 1\n" * 500)
    (tmp_path / "tests" / "most.py").write_text("def f():\n" + body * 68)
    (tmp_path / "examples" / "most.py").write_text("x = 1\n" * 59)
    assert breaches(tmp_path) == []
    (tmp_path / "src" / "long.py").write_text("x = 1\n" * 501)
    (tmp_path / "benchmarks" / "long.py").write_text("def f():\n" + body * 69)
    (tmp_path / "examples" / "long.py").write_text("x = 1\n" * 60)
    assert len(breaches(tmp_path)) == 3
