"""Every page of the documentation has a place on the site, and an entry in the list of all pages."""

import base64
import json
import re
import runpy
import zlib
from html import unescape
from urllib.parse import parse_qs

import pytest

from capax.app.web.jobs.editor import evaluate
from capax.app.web.page_files import index
from tests.house.tree import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md"))
PLACED = re.findall(r"^\s+- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_site_has_every_page_once() -> None:
    assert sorted(PLACED) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_the_list_of_all_pages_names_it(page: str) -> None:
    assert page == "all-pages.md" or f"]({page})" in (DOCS / "all-pages.md").read_text(encoding="utf-8")


RUN = runpy.run_path(str(DOCS / "site" / "run_links.py"))
"""The links from programs to the playground."""


@pytest.mark.parametrize("page", [page for page in PAGES if "```rasp" in (DOCS / page).read_text(encoding="utf-8")])
def test_the_programs_that_pages_link_to_run(page: str) -> None:
    """On the input of the link; a page without a link is one whose blocks define no program."""
    text = (DOCS / page).read_text(encoding="utf-8")
    addresses = [RUN["run_address"](block[2], block[1]) for block in RUN["BLOCK"].finditer(text)]
    assert any(addresses) or page == "reference/library.md"
    for address in filter(None, addresses):
        start, _, query = unescape(address).partition("?")
        (code,), (word,), split = (parse_qs(query).get(key, ["chars"]) for key in ("code", "word", "split"))
        program = zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))).decode()
        reply = evaluate({"text": program, "word": word, "split": split[0], "name": ""}, None)
        assert start == "#/build"
        assert "run" in reply, (program, reply["check"]["errors"], reply["error"])


def test_blocks_that_only_apply_what_is_known_have_no_link() -> None:
    """And an expression gets a name, a `set example` the input."""
    runnable = RUN["runnable"]
    assert runnable('load "counting";\ntokens("abc") == ["a", "b", "c"];\n') is None
    assert runnable('x = indices("abc");\nx[0] == 0;\n') is None
    assert runnable('set example "abc"\nindices * 2;\n') == ("value1 = indices * 2;", {"word": "abc"})
    assert runnable("a = indices;\n", ' word="xyz"') == ("a = indices;", {"word": "xyz"})


def test_the_playground_beside_the_docs_links_back() -> None:
    """It reads where they are from what it knows of itself."""
    page = RUN["beside_docs"](index("site"))
    facts = re.search(r'<meta name="capax" content="([^"]*)">', page)
    assert facts is not None
    assert json.loads(unescape(facts[1]))["docs"] == "./"
