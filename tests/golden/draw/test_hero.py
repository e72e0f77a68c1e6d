"""The picture at the top of the README is what its script draws."""

import runpy

import pytest

from tests.house.tree import ROOT

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like


def test_the_picture_is_that_of_a_run() -> None:
    """`python docs/pictures/hero.py` writes it."""
    pytest.importorskip("transformer_lens")
    folder = ROOT / "docs" / "pictures"
    assert runpy.run_path(str(folder / "hero.py"))["picture"]() == (folder / "hero.svg").read_text(encoding="utf-8")
