"""Every public module, class and function has a docstring, and every method of what `capax` exports."""

import ast
import inspect
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import capax
from tests.house.tree import SRC, module_name, parse, python_files

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files


def is_public(name: str) -> bool:
    """Whether a name is meant for others."""
    return not name.startswith("_")


def undocumented(src: Path) -> list[str]:
    """The public modules below `src`, and public classes and functions in them, that lack a docstring."""
    found = []
    for path in python_files(src / "capax"):
        if not is_public(path.stem) and path.stem not in {"__init__", "__main__"}:
            continue
        tree = parse(path)
        if not ast.get_docstring(tree):
            found.append(module_name(path, src))
        found += [
            f"{module_name(path, src)}.{node.name}"
            for node in tree.body
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and is_public(node.name)
            and not ast.get_docstring(node)
        ]
    return found


def undocumented_methods(owner: type) -> list[str]:
    """The public methods and properties that a class itself defines and that have no docstring."""
    return [
        f"{owner.__qualname__}.{name}"
        for name, value in vars(owner).items()
        if is_public(name) and isinstance(value, FunctionType | property | classmethod | staticmethod)
        if not value.__doc__
    ]


def undocumented_exports(module: ModuleType) -> list[str]:
    """The names in a module's `__all__`, and the methods of those, that lack a docstring."""
    found = []
    for name in module.__all__:
        value = getattr(module, name)
        if name.startswith("__") or isinstance(value, ModuleType):
            continue
        owner = value if isinstance(value, type) else type(value)
        if inspect.isroutine(value):
            found += [] if value.__doc__ else [name]
        elif not owner.__module__.startswith(module.__name__) or not owner.__doc__:
            found.append(name)
        else:
            found += undocumented_methods(owner)
    return found


def test_every_public_name_is_documented() -> None:
    """The package keeps the rule, and exports something."""
    assert capax.__all__
    assert undocumented(SRC) == []
    assert undocumented_exports(capax) == []


def test_missing_docstrings_in_source_are_seen(tmp_path: Path) -> None:
    """A bare module, class and function are each found; private ones are not."""
    (tmp_path / "capax").mkdir()
    (tmp_path / "capax" / "__init__.py").write_text("class A: pass\ndef f(): pass\ndef _g(): pass\n")
    (tmp_path / "capax" / "_private.py").write_text("x = 1\n")
    assert undocumented(tmp_path) == ["capax", "capax.A", "capax.f"]


def test_missing_docstrings_in_exports_are_seen() -> None:
    """A bare function, a bare method and a value that cannot say what it is are each found."""

    class Op:
        """An s-op."""

        def __init__(self) -> None: ...

        def apply(self) -> None: ...

    module = ModuleType("sample")
    Op.__module__, Op.__qualname__ = "sample.ops", "Op"
    vars(module).update(__all__=["bare", "Op", "limit", "__version__"], limit=3, __version__="1", Op=Op)
    exec("def bare(): pass", vars(module))
    assert undocumented_exports(module) == ["bare", "Op.apply", "limit"]
