"""The size and shape of the code, as numbers: `python -m tests.house.numbers` prints them beside their ceilings."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.house.tree import PACKAGE, parse, python_files, walked

CATALOGUES = (
    ".",  # the rooms themselves, which the map of docs/explanation/architecture.md lists
    "app/commands",
    "limits",
    "limits/witnesses/search/tasks",
    "rasp/library",
    "tasks",
    "theorems/composition",
    "theorems/languages",
    "theorems/matching",
    "theorems/ngram",
    "theorems/sparse_averaging",
    "theorems/turing",
)
"""Folders whose files are entries of one kind; their machinery is one folder further down, or starts with `_`."""

SMALL = 60
"""A file with fewer lines is small."""
COMPLEX = 20
"""A function with a higher cyclomatic complexity is complex."""


def folder_entries(package: Path) -> list[str]:
    """The folders with their number of entries, largest first; catalogues are left out."""
    folders = [p for p in [package, *package.rglob("*")] if p.is_dir() and p.name != "__pycache__"]
    counts = {
        folder.relative_to(package).as_posix(): sum(entry.name != "__pycache__" for entry in folder.iterdir())
        for folder in folders
    }
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return [f"{count} {name}" for name, count in ranked if name not in CATALOGUES]


def small_files(package: Path) -> list[str]:
    """The files of fewer than `SMALL` lines that are neither an `__init__.py` nor an entry of a catalogue."""
    return [
        path.relative_to(package).as_posix()
        for path in python_files(package)
        if path.name not in ("__init__.py", "__main__.py")
        and path.parent.relative_to(package).as_posix() not in CATALOGUES
        and len(path.read_text(encoding="utf-8").splitlines()) < SMALL
    ]


def untyped_dicts(package: Path) -> list[str]:
    """The places that say `dict[str, Any]`, but for functions that read or write JSON (by their name)."""
    return [f"{path.relative_to(package)}:{line}" for path in python_files(package) for line in _untyped(parse(path))]


DICT = ast.dump(ast.Name("dict", ast.Load()))


def _untyped(tree: ast.AST) -> Iterator[int]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and re.search(r"json", node.name):
            continue
        if isinstance(node, ast.Subscript) and ast.dump(node.value) == DICT and ast.unparse(node) == "dict[str, Any]":
            yield node.lineno
        yield from _untyped(node)


def duplicate_classes(package: Path) -> list[str]:
    """The names of public and private classes that more than one file defines."""
    names = Counter(
        node.name for path in python_files(package) for node in walked(parse(path)) if isinstance(node, ast.ClassDef)
    )
    return sorted(f"{name} ({count})" for name, count in names.items() if count > 1)


def lines(package: Path) -> list[str]:
    """The lines of all Python files."""
    return [line for path in python_files(package) for line in path.read_text(encoding="utf-8").splitlines()]


def assignments_to_found(package: Path) -> list[str]:
    """The places that give a value the name `found`."""
    return [
        f"{path.relative_to(package)}:{node.lineno}"
        for path in python_files(package)
        for node in walked(parse(path))
        if isinstance(node, ast.Name) and node.id == "found" and isinstance(node.ctx, ast.Store)
    ]


def complex_functions(package: Path) -> list[str]:
    """The functions above the complexity `COMPLEX`, the most complex first."""
    scores = [
        (complexity(node), f"{path.relative_to(package)}:{node.lineno} {node.name}")
        for path in python_files(package)
        for node in walked(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return [f"{score} {name}" for score, name in sorted(scores, reverse=True) if score > COMPLEX]


def complexity(function: ast.AST) -> int:
    """The cyclomatic complexity of a function: 1, and 1 for every branch, `and`, `or`, comprehension and assertion."""
    return 1 + sum(_branches(node) for node in ast.walk(function))


def _branches(node: ast.AST) -> int:
    match node:
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.If() | ast.IfExp() | ast.With() | ast.Assert() | ast.ExceptHandler():
            return 1
        case ast.For(orelse=orelse) | ast.While(orelse=orelse):
            return 1 + bool(orelse)
        case ast.comprehension(ifs=ifs):
            return 1 + len(ifs)
        case ast.Match(cases=cases):
            return sum(not (isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None) for c in cases)
        case _:
            return 0


@dataclass(frozen=True)
class Number:
    """A number of the code: its name, what is counted, and the ceiling."""

    name: str
    items: Callable[[Path], list[str]]
    ceiling: int

    def value(self, package: Path) -> int:
        """The number; of folders, the entries of the largest."""
        items = self.items(package)
        return int(items[0].split()[0]) if self.items is folder_entries else len(items)


NUMBERS = (
    Number("entries of the largest folder", folder_entries, 20),
    Number(f"files under {SMALL} lines", small_files, 60),
    Number("dict[str, Any] outside JSON", untyped_dicts, 40),
    Number("class names defined twice", duplicate_classes, 10),
    Number("lines of Python", lines, 72_000),
    Number("assignments to `found`", assignments_to_found, 60),
    Number(f"functions above complexity {COMPLEX}", complex_functions, 5),
)


def main() -> None:
    """Prints the numbers, and with `-v` what is counted (but for lines)."""
    for number in NUMBERS:
        print(f"{number.name:34} {number.value(PACKAGE):>7,}  at most {number.ceiling:,}")
        if "-v" in sys.argv and number.items is not lines:
            print(*(f"    {item}" for item in number.items(PACKAGE)[:400]), sep="\n")


if __name__ == "__main__":
    main()
