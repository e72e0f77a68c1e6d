"""The page of the sources is what their records say."""

from capax.source_statements.dataset import sources
from capax.source_statements.page import page
from tests.golden.conftest import Golden
from tests.house.tree import ROOT


def test_the_page_is_what_the_records_say(golden: Golden) -> None:
    """`capax sources --page` prints it."""
    text = page(sources()) + "\n"
    assert all(f"\n| {one.number} |" in text for source in sources() for one in source.statements)
    golden(ROOT / "docs" / "reference" / "sources.md", text)
