"""Records from TOML: a table becomes a frozen dataclass with the same fields, and a mistake in it is named.

A field `cls` is written `class`. Fields are texts, booleans, literals, tuples (lists), mappings and dataclasses; one
that may be left out is `X | None`.
"""

import tomllib
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


class BadRecord(ValueError):  # noqa: N818 - a mistake in a data file of the package, which names the record
    """A mistake in a data file: its file, its record, and what is wrong."""


def read_tables(path: Path) -> Mapping[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadRecord(f"{path.name} is not TOML: {error}") from None


def record(cls: type[Record], table: Any, where: str) -> Record:
    """A dataclass from a table with its fields; `where` begins the message if something is wrong."""
    if not isinstance(table, dict):
        raise BadRecord(f"{where}: expected a table, not {table!r:.60}")
    known = _keys(cast(Hashable, cls))
    for key in table:
        if key not in known:
            raise BadRecord(f"{where}: the field {key} is unknown; known are {', '.join(known)}")
    for key, (_, _, required) in known.items():
        if required and key not in table:
            raise BadRecord(f"{where}: the field {key} is missing")
    return cls(**{known[key][0]: _value(known[key][1], value, f"{where}: {key}") for key, value in table.items()})


@cache
def _keys(cls: Any) -> dict[str, tuple[str, Any, bool]]:
    """For each key of a table: the field, its type, and whether it must be there."""
    hints = get_type_hints(cls)
    return {
        "class" if one.name == "cls" else one.name: (
            one.name,
            hints[one.name],
            one.default is MISSING and one.default_factory is MISSING,
        )
        for one in fields(cls)
        if one.init
    }


def _value(hint: Any, value: Any, where: str) -> Any:
    """A value of a field, of the type that the field has."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is UnionType:  # a field that may be left out
        return _value(args[0], value, where)
    if is_dataclass(hint):
        return record(cast(type[Any], hint), value, where)
    if origin is Literal:
        if value not in args:
            raise BadRecord(f"{where} is {value!r:.60}, not one of {', '.join(args)}")
        return value
    if origin is tuple:
        count = len(value) if isinstance(value, list) and args[-1] is Ellipsis else len(args)
        if not isinstance(value, list) or len(value) != count:
            raise BadRecord(f"{where} is {value!r:.60}, not a list" + f" of {count}" * (args[-1] is not Ellipsis))
        return tuple(_value(args[0], item, where) for item in value)
    if origin is not None:
        if not isinstance(value, dict):
            raise BadRecord(f"{where} is {value!r:.60}, not a table")
        return {key: _value(args[1], item, f"{where}.{key}") for key, item in value.items()}
    if hint is not Any and not isinstance(value, hint):
        raise BadRecord(f"{where} is {value!r:.60}, not {'true or false' if hint is bool else 'a string'}")
    return value
