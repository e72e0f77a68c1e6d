"""Every page of the documentation has a place on the site, and an entry in the list of all pages."""

import re

import pytest

from tests.house.tree import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md"))
PLACED = re.findall(r"^\s+- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_site_has_every_page_once() -> None:
    assert sorted(PLACED) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_the_list_of_all_pages_names_it(page: str) -> None:
    assert page == "all-pages.md" or f"]({page})" in (DOCS / "all-pages.md").read_text(encoding="utf-8")
