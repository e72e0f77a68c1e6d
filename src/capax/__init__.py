"""capax: what can a transformer compute, and what can it not?

The public names, on one screen. What reads texts or needs numpy comes only when asked for.
"""

# ruff: noqa: E402
from capax.app.process.interrupts import guard_start

guard_start()  # before the other imports, so that Ctrl-C is quiet while they are carried out

from functools import cache, partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

from capax.errors import CapaxError, Notice, Source, Span
from capax.model import doors as _doors
from capax.rasp.analysis.schedule import Schedule, schedule
from capax.rasp.meaning.sequence import Matrix, Sequence
from capax.rasp.python.embed import (
    aggregate,
    best,
    full_s,
    indicator,
    indices,
    key,
    length,
    query,
    select,
    selector_width,
    tokens,
    tokens_asis,
    tokens_bool,
    tokens_float,
    tokens_int,
    tokens_str,
    where,
)
from capax.rasp.python.program import Program, Selector, SOp
from capax.report import Report

if TYPE_CHECKING:
    from capax.app.files.checkpoints import import_model
    from capax.app.files.models import load_model
    from capax.app.modules import library, load
    from capax.model.model import Model

__all__ = [
    "CapaxError",
    "Matrix",
    "Model",
    "Notice",
    "Program",
    "Report",
    "SOp",
    "Schedule",
    "Selector",
    "Sequence",
    "Source",
    "Span",
    "aggregate",
    "best",
    "full_s",
    "import_model",
    "indicator",
    "indices",
    "key",
    "length",
    "library",
    "load",
    "load_model",
    "query",
    "schedule",
    "select",
    "selector_width",
    "tokens",
    "tokens_asis",
    "tokens_bool",
    "tokens_float",
    "tokens_int",
    "tokens_str",
    "where",
]


def _picture(shown: Any, include: object = None, exclude: object = None) -> dict[str, str]:
    """What a notebook shows of an object; the drawing code is read when it is first needed."""
    from capax.draw.subjects.notebook import bundle

    return bundle(shown)


# Notebook display is attached here, so that no room imports from one above it.
for _shown in (Program, Schedule, Sequence, Matrix):
    _shown._repr_mimebundle_ = _picture  # type: ignore[union-attr]


def _listing(library: Any, include: object = None, exclude: object = None) -> dict[str, str]:
    """What a notebook shows of the library."""
    from capax.draw.subjects.card import library_card

    return library_card()


@cache
def _show_texts() -> None:
    """Attaches notebook display to the library and to functions of texts; asked for when texts are first read."""
    from capax.app.modules import Library
    from capax.rasp.text.module import Module

    plain = Module.__getattr__

    def with_picture(module: Module, name: str) -> Any:
        found = plain(module, name)
        if isinstance(found, FunctionType):
            found._repr_mimebundle_ = partial(_picture, found)  # type: ignore[attr-defined]
        return found

    Module.__getattr__ = with_picture  # type: ignore[method-assign]
    Library._repr_mimebundle_ = _listing  # type: ignore[attr-defined]


def _save(model: Any, path: Any) -> None:
    from capax.app.files.models import save_model

    save_model(model, path)


def _export(model: Any, directory: Any, to: str, *, force: bool = False) -> Report:
    from capax.app.files.exports import export_model

    return export_model(model, directory, to, force=force)


def _show(model: Any) -> dict[str, str]:
    from capax.draw.subjects.model_view import bundle

    return bundle(model)


_doors.save, _doors.export, _doors.show = _save, _export, _show

_LATER = {
    "Model": "capax.model.model",
    "import_model": "capax.app.files.checkpoints",
    "library": "capax.app.modules",
    "load": "capax.app.modules",
    "load_model": "capax.app.files.models",
}
"""The public names that are read when they are first asked for, and where they are."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("capax")
    if name in _LATER:
        from importlib import import_module

        if name in ("library", "load"):
            _show_texts()
        return getattr(import_module(_LATER[name]), name)
    if name == "compile":
        from importlib import import_module

        return import_module("capax.compiler")  # a package that is called like a function
    raise AttributeError(f"module 'capax' has no attribute '{name}'")
