"""Values as others take them: as plain data for JSON, as cards and pictures in notebooks, and by methods that draw.

Plain data are texts, numbers, lists and dictionaries. Which class is shown by which renderer stands in one table.

A class that a notebook can show inherits `Displayed`. Its renderer is named here as text and imported when it is first
needed, so that no room imports a room above it, and `import capax` draws nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any, Final

RENDERERS: Final = {
    "capax.auditor.verdict.Audit": "capax.app.commands.audit:card",
    "capax.decompiler.decompiled.Decompiled": "capax.app.commands.decompile:card",
    "capax.app.text_modules.Library": "capax.draw.subjects.card:library_card",
    "capax.display.Card": "capax.draw.subjects.card:result_card",
    "capax.compiler.compiled.Compiled": "capax.draw.subjects.card:compiled_card",
    "capax.draw.subjects.picture.Picture": "capax.draw.subjects.picture:bundle",
    "capax.model.interpretability.circuit.ModelCircuit": "capax.draw.subjects.model_circuit:bundle",
    "capax.model.model.Model": "capax.draw.subjects.model_view:bundle",
    "capax.rasp.text.module.TextFunction": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.python.program.Program": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.analysis.schedule.Schedule": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Sequence": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Matrix": "capax.draw.subjects.notebook:bundle",
    "capax.rasp.meaning.sequence.Triples": "capax.draw.subjects.notebook:bundle",
}
"""`module.Class` -> `module:function`; the function takes the value and returns its forms by media type."""


METHODS: Final = {
    "export": "capax.app.files.exports:export_model",
    "to_transformer_lens": "capax.app.files.exports:lens_of",
    "draw": "capax.draw.subjects.picture:model_picture",
    "explain": "capax.app.commands.explain:explained",
}
"""Methods of models that rooms above them carry out: name -> `module:function`, which takes the model first."""


def method(name: str) -> Callable[..., Any]:
    """The function that carries out a method of models."""
    return _named(METHODS[name])


def _named(text: str) -> Callable[..., Any]:
    """What `module:function` names, imported now."""
    module, function = text.split(":")
    value: Callable[..., Any] = getattr(import_module(module), function)
    return value


def bundle(value: object) -> dict[str, str]:
    """The forms of a value that a notebook can choose from, by media type."""
    names = [f"{cls.__module__}.{cls.__qualname__}" for cls in type(value).__mro__]
    forms: dict[str, str] = _named(next(RENDERERS[name] for name in names if name in RENDERERS))(value)
    return forms


class Displayed:
    """A value that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return bundle(self)


class Told(Displayed):
    """A value whose text a room above it knows: `print` shows that text, and a notebook a card."""

    __slots__ = ()

    def __str__(self) -> str:
        return bundle(self)["text/plain"]


class Card(Displayed):
    """A result that `print` shows as its text, by its `render()`, and a notebook as a card."""

    __slots__ = ()

    def __str__(self) -> str:
        text: str = self.render()  # type: ignore[attr-defined]
        return text


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
