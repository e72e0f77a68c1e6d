"""Classes of languages by their circuits: depth, size, fan-in, gates and uniformity as fields that can be asked for."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Final, get_args, get_type_hints

from capax.atlas.records import Atlas, CircuitShape, LanguageClass
from capax.errors import CapaxError, nearest

SHAPE: Final[dict[str, str]] = {
    "depth": "the longest way from an input to the output, as the length n grows",
    "size": "the number of gates",
    "fan_in": "the number of inputs of a gate",
    "gates": "the kinds of gates besides NOT",
    "uniformity": "what lists the circuits from their length; none where nothing need",
}
"""The fields of the circuits of a class, and what each means."""
assert tuple(SHAPE) == tuple(one.name for one in fields(CircuitShape))


def field_values(name: str) -> tuple[str, ...]:
    """The values that a field may have."""
    hint = get_type_hints(CircuitShape)[name]
    return get_args(get_args(hint)[0] if name == "gates" else hint)


def shape_value(shape: CircuitShape, name: str) -> tuple[str, ...]:
    """The values of a field: several for the gates, one for the others."""
    value: str | tuple[str, ...] = getattr(shape, name)
    return value if isinstance(value, tuple) else (value,)


def shape_cells(shape: CircuitShape) -> tuple[str, ...]:
    """The fields as texts."""
    return tuple(", ".join(shape_value(shape, name)) for name in SHAPE)


def field_title(name: str) -> str:
    """The name of a field as it is shown: fan-in."""
    return name.replace("_", "-")


def shape_filter(text: str) -> tuple[str, str, bool]:
    """A field, a value, and whether a class must have it: `depth=constant`, or `gates!=MAJORITY`."""
    name, sign, value = text.partition("!=") if "!=" in text else text.partition("=")
    name = name.strip().replace("-", "_")
    if not sign or name not in SHAPE:
        titles = [field_title(one) for one in SHAPE]
        near = nearest(field_title(name), titles)
        hint = f"did you mean {near}=...?" if near else f"write FIELD=VALUE; fields are {', '.join(titles)}"
        raise CapaxError("bad-question", f"{text!r:.60} asks for no field of circuits", hint=hint)
    known = field_values(name)
    chosen = next((one for one in known if one.lower() == value.strip().lower()), None)
    if chosen is None:
        what = f"circuits have no {field_title(name)} {value.strip()!r:.60}"
        raise CapaxError("bad-question", what, hint=f"values are {', '.join(known)}")
    return name, chosen, sign == "="


def circuit_classes(atlas: Atlas, filters: Sequence[str] = ()) -> tuple[LanguageClass, ...]:
    """The classes that circuits define and that pass all filters, in the order of the records.

    >>> from capax.atlas.dataset import ATLAS
    >>> [one.id for one in circuit_classes(ATLAS, ["depth=constant", "uniformity=none"])]
    ['AC0', 'ACC0', 'TC0']
    """
    asked_fields = [shape_filter(text) for text in filters]
    return tuple(
        one
        for one in atlas.classes
        if one.circuits is not None
        and all((value in shape_value(one.circuits, name)) == has for name, value, has in asked_fields)
    )
