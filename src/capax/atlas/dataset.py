"""The atlas, read from the files in `data`: each record is one TOML table, checked when it is read.

Tables have the fields of the record classes. Where the file has `[defaults]`, a table without `seen` takes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from capax.atlas.papers import PAPERS
from capax.atlas.records import (
    Atlas,
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
from capax.notation.typed_tables import BadRecord, read_tables, record

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
            lists[name] += [(path.name, one) for one in records]
    known = KnownNames(
        frozenset(one.id for _, one in lists["classes"]), frozenset(one.id for _, one in lists["languages"]), PAPERS
    )
    ids: set[tuple[bool, str]] = set()
    for name, records in lists.items():
        for file, one in records:
            thing = name in ("classes", "languages")
            wrong = ["its id occurs twice"] if (thing, one.id) in ids else problems(one, known)
            if wrong:
                raise BadRecord(f"{file}, {one.id}: {'; '.join(wrong)}")
            ids.add((thing, one.id))
    return Atlas(**{name: tuple(one for _, one in records) for name, records in lists.items()})


def _file(path: Path) -> dict[str, list[Any]]:
    """The records of one file, by the name of their list."""
    data = dict(read_tables(path))
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
        unnamed = record(cls, {"id": "", **values}, where)
        return replace(unnamed, id=_IDS[name](unnamed))
    one = record(cls, values, where)
    if isinstance(one, Claim):
        if "reading" not in table:
            one = replace(one, reading=usual_reading(one.kind, one.setting))
        if "reads" not in table and not one.reading:
            one = replace(one, reads=("last",))
    return one


ATLAS: Final = load_atlas()
