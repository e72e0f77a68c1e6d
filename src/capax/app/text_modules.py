"""Texts as Python modules: `capax.load` for files, `capax.library` for the library."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from capax.app.files.loader import FileLoader
from capax.app.files.text_files import read_text
from capax.display import Displayed
from capax.errors import Source, nearest
from capax.rasp import library as texts
from capax.rasp.ir.build import elementwise
from capax.rasp.ir.ops import OPS, Op, calls
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import SOp
from capax.rasp.text.interpreter import Interpreter, Loader, limits_of
from capax.rasp.text.module import Module, open_module, run_source, standard_module


def load(path: str, *, budget: int | None = None) -> Module:
    """The names that a .rasp file defines, as attributes: programs, functions, values.

    `budget` says how much work running the file may take: 100 steps for each unit, 20,000 units if it is not given.
    """
    file = Path(path)
    key = str(file.resolve())
    limits = None if budget is None else limits_of(budget)
    source = Source(str(file), read_text(file))
    return open_module(source, lambda interpreter: _loader(interpreter, key), limits=limits)


def _loader(interpreter: Interpreter, key: str) -> Loader:
    """Carries out `load` inside a file."""
    return FileLoader(lambda source, scope: run_source(interpreter, source, scope), loading=[key]).load


def _functions() -> tuple[str, ...]:
    """The names of the operations that are functions of the language."""
    return tuple(op.symbol for op in calls("builtin"))


def _function(op: Op) -> Callable[..., SOp]:
    """An operation as a function of s-ops, with its name and description."""

    def apply(*args: SOp | Atom) -> SOp:
        return elementwise(op.symbol, *args)

    apply.__name__ = apply.__qualname__ = op.symbol
    apply.__doc__ = op.doc
    return apply


class Library(Displayed):
    """The programs of the library as attributes, `library.reverse("hello")`; also functions of the language."""

    def __init__(self) -> None:
        self._modules: dict[str, Module] = {}

    def __getattr__(self, name: str) -> Any:
        """A program or function of the library."""
        if name in _functions():
            return _function(OPS[name])
        entry = texts.entries().get(name)
        if entry is None:
            close = nearest(name, list(texts.entries()))
            raise AttributeError(f"the library has no `{name}`" + (f"; did you mean `{close}`?" if close else ""))
        if entry.module not in self._modules:
            standard = entry.module == texts.STANDARD
            self._modules[entry.module] = (
                standard_module() if standard else open_module(texts.module_source(entry.module))
            )
        return getattr(self._modules[entry.module], name)

    def __dir__(self) -> list[str]:
        return [*texts.entries(), *_functions()]

    def __repr__(self) -> str:
        return f"<library: {', '.join(texts.entries())}>"


library: Final = Library()
