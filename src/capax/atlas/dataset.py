"""The atlas, read from the files in `data`: each record is one TOML table, checked when it is read.

Tables have the fields of the record classes. Where the file has `[defaults]`, a table without `seen` takes them.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from capax.atlas.bibliography import PAPERS
from capax.atlas.records import (
    Atlas,
    CircuitShape,
    Claim,
    Conjecture,
    Hardness,
    Inclusion,
    Kind,
    LanguageClass,
    LanguageRecord,
    Membership,
    Remark,
    Variant,
)
from capax.atlas.setting import Setting
from capax.atlas.validation import KnownNames, problems

DATA: Final = Path(__file__).parent / "data"
RECORDS: Final[dict[str, type]] = {
    "claims": Claim,
    "classes": LanguageClass,
    "inclusions": Inclusion,
    "languages": LanguageRecord,
    "memberships": Membership,
    "hardness": Hardness,
    "conjectures": Conjecture,
    "variants": Variant,
    "remarks": Remark,
}
"""The lists that a file may have, and the class of their records."""
FIRST: Final = ("survey.toml", "recent_results.toml", "further_results.toml", "own_results.toml")
"""Claims are in the order of these files; those of other files follow."""
_SIGNS: Final = {"yes": "<", "no": "=", "open": "<=", "unsaid": "<="}
_IDS: Final[dict[str, Callable[[Any], str]]] = {
    "inclusions": lambda one: f"{one.small} {_SIGNS[one.strict]} {one.big}",
    "memberships": lambda one: f"{one.language} {'in' if one.holds else 'not in'} {one.cls}",
    "hardness": lambda one: f"{one.language} complete for {one.cls}",
    "variants": lambda one: f"{one.field}: {one.weaker} to {one.stronger}",
}
"""The names of records that have none of their own in the files."""


class BadRecord(ValueError):  # noqa: N818 - a mistake in a data file of the package, which names the record
    """A mistake in a data file of the atlas: its file, its record, and what is wrong."""


def usual_reading(kind: Kind, setting: Setting) -> str:
    """Why a claim holds whether the answer is read at the last symbol or at an end marker; "" if that needs a reason.

    A model reads at an end marker if it is right, at the last symbol, on every word with a marker after it. So what is
    proved of all models that read at the last symbol, and of a class that is closed under adding and removing a marker,
    holds for both. For one language that needs an argument; without one the claim holds at the last symbol only.
    """
    if setting.steps != "none":
        return "the first token that the model writes can be the end marker"
    if kind == "lacks":
        return "the argument is about what any one position can say"
    return "" if kind == "has" else "its class is closed under adding and taking away an end marker"


def load_atlas(folder: Path = DATA) -> Atlas:
    """The records of all TOML files of a folder, checked; raises `BadRecord` for the first mistake."""
    lists: dict[str, list[tuple[str, Any]]] = {name: [] for name in RECORDS}
    for path in sorted(folder.glob("*.toml"), key=lambda path: FIRST.index(path.name) if path.name in FIRST else 9):
        for name, records in _file(path).items():
            lists[name] += [(path.name, record) for record in records]
    known = KnownNames(
        frozenset(one.id for _, one in lists["classes"]), frozenset(one.id for _, one in lists["languages"]), PAPERS
    )
    ids: set[tuple[bool, str]] = set()
    for name, records in lists.items():
        for file, record in records:
            thing = name in ("classes", "languages")
            wrong = ["its id occurs twice"] if (thing, record.id) in ids else problems(record, known)
            if wrong:
                raise BadRecord(f"{file}, {record.id}: {'; '.join(wrong)}")
            ids.add((thing, record.id))
    return Atlas(**{name: tuple(record for _, record in records) for name, records in lists.items()})


def _file(path: Path) -> dict[str, list[Any]]:
    """The records of one file, by the name of their list."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadRecord(f"{path.name} is not TOML: {error}") from None
    defaults = data.pop("defaults", {})
    for name, tables in data.items():
        if name not in RECORDS or not isinstance(tables, list):
            raise BadRecord(f"{path.name}: expected lists of records, {', '.join(RECORDS)}; got {name}")
    return {name: [_record(name, table, defaults, path.name) for table in tables] for name, tables in data.items()}


def _record(name: str, table: Mapping[str, Any], defaults: Mapping[str, Any], file: str) -> Any:
    """A record from its table, with what the table leaves to the defaults and to the rules above."""
    where = f"{file}, {table.get('id') or ', '.join(str(value) for value in table.values())[:60]}"
    values = table if "seen" in table else {**defaults, **table}
    cls: type[Any] = RECORDS[name]
    if name in _IDS:
        unnamed = _built(cls, {"id": "", **values}, where)
        return replace(unnamed, id=_IDS[name](unnamed))
    record = _built(cls, values, where)
    if isinstance(record, Claim):
        if "reading" not in table:
            record = replace(record, reading=usual_reading(record.kind, record.setting))
        if "reads" not in table and not record.reading:
            record = replace(record, reads=("last",))
    return record


def _built(cls: type[Any], table: Mapping[str, Any], where: str) -> Any:
    """A dataclass from a table with its fields; a field `cls` is written `class`."""
    if not isinstance(table, dict):
        raise BadRecord(f"{where}: expected a table, not {table!r:.60}")
    known = _KEYS[cls]
    for key in table:
        if key not in known:
            raise BadRecord(f"{where}: the field {key} is unknown; known are {', '.join(known)}")
    for key, (_, _, required) in known.items():
        if required and key not in table:
            raise BadRecord(f"{where}: the field {key} is missing")
    return cls(**{known[key][0]: _value(known[key][1], value, f"{where}: {key}") for key, value in table.items()})


def _keys(cls: type[Any]) -> dict[str, tuple[str, Any, bool]]:
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


_KEYS: Final = {cls: _keys(cls) for cls in (*RECORDS.values(), Setting, CircuitShape)}


def _value(hint: Any, value: Any, where: str) -> Any:
    """A value of a field, of the type that the field has."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Setting:
        return _built(Setting, value, where)
    if hint == CircuitShape | None:
        return _built(CircuitShape, value, where)
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


ATLAS: Final = load_atlas()
