"""Names of languages and classes as people write them."""

import pytest

from capax.atlas.dataset import ATLAS
from capax.atlas.questions.names import class_named, language_named
from capax.errors import CapaxError
from capax.formal.languages.catalogue import language


@pytest.mark.parametrize("record", [one for one in ATLAS.languages if one.catalogue], ids=lambda one: str(one.id))
def test_names_of_the_catalogue_exist(record: object) -> None:
    """A language's name in the catalogue gives a language, and finds the record."""
    name = record.catalogue  # type: ignore[attr-defined]
    assert language(name).name
    assert language_named(ATLAS, name) == record.id  # type: ignore[attr-defined]


def test_members_of_families_are_found() -> None:
    """By their numbers, as the catalogue writes them."""
    records = {
        "dyck-5": "DYCK-k",
        "Dyck-1": "DYCK-1",
        "dyck-2": "DYCK-2",
        "mod-7": "MOD-p",
        "shuffle-dyck-4": "SHUFFLE-DYCK-k",
    }
    assert {name: language_named(ATLAS, name) for name in records} == records
    assert language_named(ATLAS, "bounded-dyck-3-5") == "DYCK-k,D"
    for name in ("dyck-0", "mod-1", "dyck-2-3", "dyck-", "mod-x"):
        with pytest.raises(CapaxError):
            language_named(ATLAS, name)


def test_names_of_classes_are_read_loosely() -> None:
    """Case, underscores and carets do not matter."""
    assert class_named(ATLAS, "tc^0") == "TC0"
    assert class_named(ATLAS, "AC_0") == "AC0"
    assert class_named(ATLAS, "star-free") == "FO"
    assert all(class_named(ATLAS, one.id) == one.id for one in ATLAS.classes)
