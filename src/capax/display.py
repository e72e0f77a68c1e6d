"""Values as others take them: as plain data for JSON, and as pictures in notebooks.

Plain data are texts, numbers, lists and dictionaries. Which class is shown by which renderer stands in one table.

A class that a notebook can show inherits `Displayed`. Its renderer is named here as text and imported when it is first
needed, so that no room imports a room above it, and `import capax` draws nothing.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, Final

RENDERERS: Final = {
    "capax.app.modules.Library": "capax.draw.subjects.card:library_card",
    "capax.model.model.Model": "capax.draw.subjects.model_view:bundle",
    "capax.rasp.text.module.TextFunction": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.python.program.Program": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.analysis.schedule.Schedule": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Sequence": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Matrix": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Triples": "capax.draw.subjects.notebook:bundle",
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


def plain(value: Any) -> Any:
    """A value as plain data: by its own `to_json` where it has one, a dataclass as its fields, a tuple as a list."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value):
        return parts(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def parts(thing: Any, *names: str) -> dict[str, Any]:
    """Attributes of a thing as plain data, in this order; without names, all fields of a dataclass."""
    return {name: plain(getattr(thing, name)) for name in names or [field.name for field in fields(thing)]}
