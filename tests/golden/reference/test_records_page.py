"""The page of the records follows from what was stored."""

import json

from benchmarks.records_page import page, winner
from capax.app.resolve import resolve
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.library import entries
from tests.golden.conftest import Golden
from tests.house.tree import ROOT

REFERENCE = ROOT / "docs" / "reference"


def test_the_page_is_what_was_stored(golden: Golden) -> None:
    """`python benchmarks/records.py page`, or `--update-golden`, writes it."""
    stored = json.loads((REFERENCE / "records.json").read_text(encoding="utf-8"))
    assert sum(record["what"] == "in the library" for record in stored.values()) >= 20
    assert sum(record["what"] != "in the library" for record in stored.values()) >= 30
    golden(REFERENCE / "records.md", page(stored))


def test_every_s_op_of_the_library_has_a_record() -> None:
    """`python benchmarks/records.py run` searches for those that have none."""
    stored = json.loads((REFERENCE / "records.json").read_text(encoding="utf-8"))
    plain = [name for name, entry in entries().items() if entry.params is None]
    assert {name for name in plain if isinstance(resolve(name).program.node, SOpNode)} <= stored.keys()


def test_the_smaller_program_wins() -> None:
    """A text against a search: by size, and one that is not found loses."""

    def record(written: int | None, searched: int | None) -> dict[str, object]:
        text = None if written is None else {"size": written}
        return {"written": text, "smallest": {"program": None if searched is None else {"size": searched}}}

    cases = [(5, 4), (5, 5), (5, None), (4, 5), (None, 5), (None, None)]
    assert [winner(record(*case)) for case in cases] == ["search", "both", "text", "text", "search", "none"]
