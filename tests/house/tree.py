"""The project's files and their imports, as the rules of the house see them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src"
PACKAGE = SRC / "capax"


@dataclass(frozen=True)
class Import:
    """One imported name, written in full: `from a.b import c` is `a.b.c`."""

    target: str
    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: imports {self.target}"


def python_files(*folders: Path) -> list[Path]:
    """The `.py` files below `folders`, sorted; a folder that does not exist has none."""
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def parse(path: Path) -> ast.Module:
    """The syntax tree of one file, which is read once for all rules."""
    status = path.stat()
    return _parse(path, status.st_mtime_ns, status.st_size)


@cache
def _parse(path: Path, changed: int, size: int) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def walked(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a syntax tree, which is walked through once for all rules."""
    return tuple(ast.walk(tree))


def module_name(path: Path, src: Path) -> str:
    """The dotted name of the module in `path`, where `src` is the folder that holds the package."""
    parts = path.relative_to(src).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, src: Path) -> tuple[Import, ...]:
    """Every import in `path`: at the top, in functions, under TYPE_CHECKING, by `import_module("x")`."""
    return _imports_of(path, src, parse(path))


@cache
def _imports_of(path: Path, src: Path, tree: ast.Module) -> tuple[Import, ...]:
    return tuple(_imports(path, src, tree))


def _imports(path: Path, src: Path, tree: ast.Module) -> Iterator[Import]:
    package = path.relative_to(src).parent.parts
    for node in walked(tree):
        match node:
            case ast.Import(names=names):
                targets = [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package[: len(package) - level + 1] if level else ()
                base = ".".join([*above, *([module] if module else [])])
                targets = [f"{base}.{alias.name}" for alias in names]
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                targets = [name]
            case _:
                continue
        for target in targets:
            yield Import(target, path, node.lineno)
