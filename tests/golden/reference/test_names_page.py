"""The pages about the package are in step with it."""

from typing import Any

import capax
from tests.golden.conftest import Golden
from tests.golden.reference.names_page import names_page, signature
from tests.house.tree import ROOT

REFERENCE = ROOT / "docs" / "reference"


def test_the_page_is_what_the_package_says(golden: Golden) -> None:
    page = names_page()
    assert all(f"`{name}" in page or f"## {name}\n" in page for name in capax.__all__)
    golden(REFERENCE / "names.md", page)


def test_completion_offers_every_public_name() -> None:
    """`dir(capax)` has the names that are read when they are first asked for, such as `compile`."""
    assert set(capax.__all__) <= set(dir(capax))


def test_a_signature_is_that_of_the_source() -> None:
    """Names of types stand as they were written, defaults and stars too, and `self` does not."""

    def sample(self: Any, one: int, *rest: str, more: str = "a", **others: Any) -> "Golden":
        raise NotImplementedError

    assert signature(sample) == "(one: int, *rest: str, more: str='a', **others: Any) -> Golden"
