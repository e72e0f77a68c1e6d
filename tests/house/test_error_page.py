"""The reference page of errors is in step with the codes."""

import re

from capax.errors import CODES
from tests.house.tree import ROOT

PAGE = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")


def test_every_code_has_a_heading() -> None:
    """The page lists exactly the codes there are."""
    assert sorted(re.findall(r"^### (\S+)$", PAGE, re.M)) == sorted(CODES)


def test_every_code_is_explained_in_the_same_words() -> None:
    """The sentence of each code stands on the page."""
    missing = [code for code, sentence in CODES.items() if sentence not in PAGE]
    assert missing == []
