"""The reference pages that are written by hand leave nothing out: library, rules, model files, one page."""

from collections.abc import Iterator
from typing import Any

import pytest

import capax
from capax import theorems
from capax.model.io.header import header_json
from capax.rasp import library
from capax.rasp.rewrite.rewrite import RULES
from capax.rasp.text.primitives import BUILTINS
from capax.rasp.text.syntax_errors import KEYWORDS
from tests.house.blocks import blocks
from tests.house.tree import ROOT

REFERENCE = ROOT / "docs" / "reference"
ONE_PAGE = REFERENCE / "language-in-one-page.md"
MOST = 6_000
"""Characters of a page that goes into a prompt; about 1,700 tokens."""


def page(name: str) -> str:
    """The text of a page."""
    return (REFERENCE / name).read_text(encoding="utf-8")


def test_the_library() -> None:
    """Every entry, in the words of `capax list`."""
    text = page("library.md")
    assert [row for row in map(entry, library.entries().values()) if row not in text] == []


def entry(one: library.Entry) -> str:
    """The start of the row of an entry."""
    written = one.name + (f"({', '.join(one.params)})" if one.params is not None else "")
    return f"| `{written}` | {one.doc} |"


def test_the_rules_of_rewriting() -> None:
    assert [name for name in RULES if f"`{name}`" not in page("rewriting.md")] == []


def keys(value: Any) -> Iterator[str]:
    """The keys of plain data, at every depth."""
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys(part)


@pytest.mark.parametrize("name", ["dyck", "match3", "ngram-heads", "parity", "turing-hash"])
def test_every_key_of_a_model_file(name: str) -> None:
    """The description of a model has no key that the page does not have; facts are the model's own."""
    theorem = theorems.theorem(name)
    told = header_json(theorem.build())
    told.pop("facts")
    assert sorted({key for key in keys(told) if f"`{key}`" not in page("model-file.md")}) == []


def test_one_page_is_small_and_whole() -> None:
    """It fits into a prompt, and has every word of the language and every name of the standard library."""
    text = ONE_PAGE.read_text(encoding="utf-8")
    assert len(text) < MOST
    standard = [e.name for e in library.entries().values() if e.module == "rasplib"]
    words = set(text.replace("`", " ").replace("(", " ").replace(",", " ").replace(";", " ").split())
    assert sorted({*KEYWORDS, *BUILTINS, *standard} - words) == []


def test_one_page_says_what_its_programs_do() -> None:
    """The programs of its example, on words."""
    (block,) = (found.text for found in blocks(ONE_PAGE) if found.language == "rasp")
    expected = {
        ("reverse", "abc"): list("cba"),
        ("histogram", "banana"): [1, 3, 2, 3, 2, 3],
        ("previous", "ab"): ["-", "a"],
        ("sorted", "banana"): sorted("banana"),
        ("balanced", "(())()"): [False, False, False, True, False, True],
    }
    for (name, word), values in expected.items():
        assert capax.Program.from_text(block, name)(word) == values, name
    assert capax.schedule(capax.Program.from_text(block, "reverse")).depth == 2
