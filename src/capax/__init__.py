"""capax: what can a transformer compute, and what can it not?

The public names, on one screen. `load` and `library` read texts, so they come only when asked for.
"""

from typing import TYPE_CHECKING, Any

from capax.errors import CapaxError, Notice, Source, Span
from capax.rasp.embed import (
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
from capax.rasp.program import Program, Selector, SOp
from capax.rasp.schedule import Schedule, schedule
from capax.rasp.sequence import Matrix, Sequence

if TYPE_CHECKING:
    from capax.app.modules import library, load

__all__ = [
    "CapaxError",
    "Matrix",
    "Notice",
    "Program",
    "SOp",
    "Schedule",
    "Selector",
    "Sequence",
    "Source",
    "Span",
    "aggregate",
    "best",
    "full_s",
    "indicator",
    "indices",
    "key",
    "length",
    "library",
    "load",
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
    from capax.draw.notebook import bundle

    return bundle(shown)


# Notebook display is attached here, so that no room imports from one above it.
for _shown in (Program, Schedule, Sequence, Matrix):
    _shown._repr_mimebundle_ = _picture  # type: ignore[union-attr]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("capax")
    if name in ("load", "library"):
        from capax.app import modules

        return getattr(modules, name)
    raise AttributeError(f"module 'capax' has no attribute '{name}'")
