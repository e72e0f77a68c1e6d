"""capax: what can a transformer compute, and what can it not?

The public names, on one screen. What reads texts or needs numpy comes only when asked for.
"""

# ruff: noqa: E402
from capax.app.process.interrupts import guard_start

guard_start()  # before the other imports, so that Ctrl-C is quiet while they are carried out

from typing import TYPE_CHECKING, Any

from capax.errors import CapaxError, Notice, Source, Span
from capax.rasp.analysis.schedule import Schedule, schedule
from capax.rasp.ir.build_pads import pad
from capax.rasp.meaning.sequence import Matrix, Sequence, Triples
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
from capax.rasp.python.embed_loops import repeat
from capax.rasp.python.embed_triples import on_first, on_keys, on_second, select3
from capax.rasp.python.program import Program, Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector
from capax.report import Report

if TYPE_CHECKING:
    from capax.app.against_specs.audit import audit as audit
    from capax.app.against_specs.decompile import decompile as decompile
    from capax.app.against_specs.search import search as search
    from capax.app.files.checkpoints import import_model as import_model
    from capax.app.files.exports import export_model as export_model
    from capax.app.files.models import load_model as load_model
    from capax.app.python_api import ask as ask
    from capax.app.python_api import fool as fool
    from capax.app.python_api import layers as layers
    from capax.app.python_api import limit as limit
    from capax.app.python_api import ngram as ngram
    from capax.app.python_api import picture as picture
    from capax.app.python_api import recognise as recognise
    from capax.app.python_api import run as run
    from capax.app.python_api import theorem as theorem
    from capax.app.python_api import tm as tm
    from capax.app.text_modules import library as library
    from capax.app.text_modules import load as load
    from capax.compiler.compile import compile as compile
    from capax.model.model import Model as Model
    from capax.rasp.analysis.pattern.report import pattern as pattern

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
    "TripleSelector",
    "Triples",
    "aggregate",
    "ask",
    "audit",
    "best",
    "compile",
    "decompile",
    "export_model",
    "fool",
    "full_s",
    "import_model",
    "indicator",
    "indices",
    "key",
    "layers",
    "length",
    "library",
    "limit",
    "load",
    "load_model",
    "ngram",
    "on_first",
    "on_keys",
    "on_second",
    "pad",
    "pattern",
    "picture",
    "query",
    "recognise",
    "repeat",
    "run",
    "schedule",
    "search",
    "select",
    "select3",
    "selector_width",
    "theorem",
    "tm",
    "tokens",
    "tokens_asis",
    "tokens_bool",
    "tokens_float",
    "tokens_int",
    "tokens_str",
    "where",
]


_LATER = {
    "ask": "capax.app.python_api",
    "fool": "capax.app.python_api",
    "layers": "capax.app.python_api",
    "limit": "capax.app.python_api",
    "ngram": "capax.app.python_api",
    "picture": "capax.app.python_api",
    "recognise": "capax.app.python_api",
    "run": "capax.app.python_api",
    "theorem": "capax.app.python_api",
    "tm": "capax.app.python_api",
    "audit": "capax.app.against_specs.audit",
    "decompile": "capax.app.against_specs.decompile",
    "compile": "capax.compiler.compile",
    "Model": "capax.model.model",
    "export_model": "capax.app.files.exports",
    "import_model": "capax.app.files.checkpoints",
    "library": "capax.app.text_modules",
    "load": "capax.app.text_modules",
    "load_model": "capax.app.files.models",
    "pattern": "capax.rasp.analysis.pattern.report",
    "search": "capax.app.against_specs.search",
}
"""The public names that are read when they are first asked for, and where they are."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("capax")
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'capax' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
