"""The result of `capax atlas --circuits`: the classes that circuits define, by the fields of their circuits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from capax.app.commands._columns import columns
from capax.atlas.circuit_classes import SHAPE, circuit_classes, field_title, field_values, shape_cells
from capax.atlas.records import Atlas, CircuitShape, LanguageClass


def shape_json(shape: CircuitShape | None) -> dict[str, Any] | None:
    """The circuits of a class as plain data."""
    if shape is None:
        return None
    return {name: list(value) if name == "gates" else value for name in SHAPE for value in (getattr(shape, name),)}


def shape_line(shape: CircuitShape) -> str:
    """The circuits of a class in a line."""
    cells = zip(SHAPE, shape_cells(shape), strict=True)
    return "circuits: " + "; ".join(f"{field_title(name)} {value}" for name, value in cells)


@dataclass(frozen=True, slots=True)
class CircuitClasses:
    """The classes whose circuits have the fields that were asked for."""

    filters: tuple[str, ...]
    classes: tuple[LanguageClass, ...]

    @classmethod
    def of(cls, atlas: Atlas, filters: Sequence[str]) -> "CircuitClasses":
        """The classes of an atlas."""
        return cls(tuple(filters), circuit_classes(atlas, filters))

    def to_json(self) -> dict[str, Any]:
        """The classes as plain data, with the values that each field may have."""
        rows = [{"class": one.id, "what": one.what, "circuits": shape_json(one.circuits)} for one in self.classes]
        known = {name: {"what": what, "values": list(field_values(name))} for name, what in SHAPE.items()}
        return {"filters": list(self.filters), "classes": rows, "fields": known}

    def render(self) -> str:
        """The classes as a table."""
        head = f"classes by their circuits{': ' + ' '.join(self.filters) if self.filters else ''}"
        rows = [["class", *map(field_title, SHAPE)]]
        rows += [[one.id, *shape_cells(one.circuits)] for one in self.classes if one.circuits is not None]
        lines = [f"  {line}" for line in columns(rows)] if self.classes else ["  none: no class of the atlas has these"]
        values = [f"  {field_title(name)}={'|'.join(field_values(name))}: {what}" for name, what in SHAPE.items()]
        return "\n".join([head, *lines, "fields, to ask for with FIELD=VALUE or FIELD!=VALUE", *values])
