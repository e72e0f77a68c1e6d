"""Values as plain data, which is what JSON can hold: texts, numbers, lists and dictionaries."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


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
