"""Every page of the documentation has a place on the site, and an entry on the first page."""

import re

import pytest

from tests.house.tree import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md"))
PLACED = re.findall(r"^\s+- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_site_has_every_page_once() -> None:
    assert sorted(PLACED) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_the_first_page_names_it(page: str) -> None:
    assert page == "index.md" or f"]({page})" in (DOCS / "index.md").read_text(encoding="utf-8")
