"""A mutant put in place of the code that is loaded."""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from types import CodeType, FunctionType, ModuleType
from typing import Any


def swap(module: ModuleType, original: str, changed: str) -> bool:
    """Whether the functions of a loaded module now are those of the changed source.

    It is False, and nothing has happened, where the change is outside of functions or in one that cannot be found:
    then the module must be loaded anew.
    """
    assert module.__file__ is not None
    old, new = (compile(text, module.__file__, "exec", dont_inherit=True) for text in (original, changed))
    changes = list(_changes(old, new))
    if not changes or None in changes:
        return False
    pairs = [(_function(module, code.co_qualname), code) for code in changes if code is not None]
    if any(f is None or f.__code__.co_freevars != code.co_freevars for f, code in pairs):
        return False
    for function, code in pairs:
        assert function is not None
        function.__code__ = code
    return True


def _changes(old: CodeType, new: CodeType) -> Iterator[CodeType | None]:
    """The functions that differ; None for a difference in the body of the module or of a class."""
    if _shell(old) != _shell(new):
        yield None
        return
    inner = zip(_inner(old), _inner(new), strict=True)
    for one, two in inner:
        if one == two:
            continue
        if one.co_flags & 0x2:  # it has fast locals: a function
            yield two
        else:
            yield from _changes(one, two)


def _inner(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


def _shell(code: CodeType) -> tuple[Any, ...]:
    rest = tuple((type(c), repr(c)) for c in code.co_consts if not isinstance(c, CodeType))
    return code.co_code, code.co_names, rest, [c.co_qualname for c in _inner(code)]


def _function(module: ModuleType, name: str) -> FunctionType | None:
    found: Any = module
    for part in name.split("."):
        if part.startswith("<") or part not in vars(found):
            return None
        found = vars(found)[part]
    while not isinstance(found, FunctionType):
        match found:
            case property(fget=inner) | staticmethod(__func__=inner) | classmethod(__func__=inner):
                found = inner
            case cached_property(func=inner):
                found = inner
            case _ if hasattr(found, "__wrapped__"):
                found = found.__wrapped__
            case _:
                return None
    return found


def note_calls(module: ModuleType, source: str, note: Callable[[str], object]) -> None:
    """Let the functions of a loaded module, and its methods, note their names when they are called."""
    assert module.__file__ is not None
    tree = _Noting().visit(ast.parse(source))
    vars(module)[NOTE] = note
    noting = compile(ast.fix_missing_locations(tree), module.__file__, "exec", dont_inherit=True)
    for code in _functions(noting):
        function = _function(module, code.co_qualname)
        if function is not None and function.__code__.co_freevars == code.co_freevars:
            function.__code__ = code


NOTE = "_note_call"


class _Noting(ast.NodeTransformer):
    """A call with its name at the start of each function that is in no other."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        inner = _Noting(f"{self.prefix}{node.name}.")
        node.body = [inner.visit(n) for n in node.body]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        call = ast.Call(ast.Name(NOTE, ast.Load()), [ast.Constant(self.prefix + node.name)], [])
        node.body = [
            *node.body[: bool(ast.get_docstring(node))],
            ast.Expr(call),
            *node.body[bool(ast.get_docstring(node)) :],
        ]
        return node


def _functions(code: CodeType) -> Iterator[CodeType]:
    for inner in _inner(code):
        if inner.co_flags & 0x2:
            yield inner
        else:
            yield from _functions(inner)


class Loader(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """A finder that loads one module from another source; files are not touched."""

    def __init__(self, name: str, path: str, source: str) -> None:
        self.name, self.path, self.source = name, path, source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module, if it is the one."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_source(self, fullname: str) -> str:
        """The source that is loaded."""
        return self.source

    def exec_module(self, module: ModuleType) -> None:
        """Run the source in the module."""
        exec(compile(self.source, self.path, "exec", dont_inherit=True), module.__dict__)


def load_instead(name: str, path: str, source: str) -> None:
    """Let the module, which is not loaded yet, be loaded from a source."""
    assert name not in sys.modules
    sys.meta_path.insert(0, Loader(name, path, source))
