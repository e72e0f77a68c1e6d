"""Every library entry says what it does and shows it, and what it shows is true."""

import pytest

from capax.rasp import library
from capax.rasp.library import Entry
from capax.rasp.text.parser import parse
from capax.rasp.text.syntax import Assign, Def
from tests.unit.rasp.library.cases import value

ENTRIES = list(library.entries().values())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_has_a_description_and_an_example(entry: Entry) -> None:
    assert entry.doc.endswith(".")
    assert entry.examples


@pytest.mark.parametrize(
    ("module", "example"), [(e.module, x) for e in ENTRIES for x in e.examples], ids=lambda text: text
)
def test_example_is_true(module: str, example: str) -> None:
    assert value(example, module) is True


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_example_uses_the_entry(entry: Entry) -> None:
    assert all(entry.name in example for example in entry.examples)


@pytest.mark.parametrize("module", library.modules())
def test_every_public_name_is_documented(module: str) -> None:
    defined: set[str] = set()
    for statement in parse(library.module_source(module)).statements:
        match statement:
            case Def():
                defined.add(statement.name)
            case Assign():
                defined.update(statement.names)
    public = {name for name in defined if not name.startswith("_")}
    assert public == {e.name for e in ENTRIES if e.module == module}


def test_no_two_files_document_the_same_name() -> None:
    documented = [e.name for m in library.modules() for e in library.documented(library.module_source(m))]
    assert len(documented) == len(set(documented))


def test_the_reference_library_is_complete() -> None:
    standard = """full_s length selector_width has_focus count contains max min average load_from_location shift
        mark_last_instance mark_first_instance select_from_last select_from_first sort select_next_identical"""
    assert {e.name for e in ENTRIES if e.module == library.STANDARD} == set(standard.split())
