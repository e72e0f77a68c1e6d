"""Notebook display: which class is shown by which renderer, in one table.

A class that a notebook can show inherits `Displayed`. Its renderer is named here as text and imported when it is first
needed, so that no room imports a room above it, and `import capax` draws nothing.
"""

from importlib import import_module
from typing import Final

RENDERERS: Final = {
    "capax.app.modules.Library": "capax.draw.subjects.card:library_card",
    "capax.model.model.Model": "capax.draw.subjects.model_view:bundle",
    "capax.rasp.text.module.TextFunction": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.python.program.Program": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.analysis.schedule.Schedule": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Sequence": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Matrix": "capax.draw.subjects.notebook:bundle",
}
"""`module.Class` -> `module:function`; the function takes the value and returns its forms by media type."""


def bundle(value: object) -> dict[str, str]:
    """The forms of a value that a notebook can choose from, by media type."""
    names = [f"{cls.__module__}.{cls.__qualname__}" for cls in type(value).__mro__]
    renderer = next(RENDERERS[name] for name in names if name in RENDERERS)
    module, function = renderer.split(":")
    forms: dict[str, str] = getattr(import_module(module), function)(value)
    return forms


class Displayed:
    """A value that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return bundle(self)
