"""The picture of classes: which lines are drawn."""

from capax.app.commands._atlas_pictures import lattice_svg
from capax.atlas.dataset import ATLAS
from capax.atlas.inference.what_if import suppose
from capax.draw.subjects.atlas_lattice import LatticeLine, needed


def test_lines_that_follow_are_left_out() -> None:
    """A line over two others is left out, unless it is strict and they are not."""
    chain = [LatticeLine(0, 1, dashed=True), LatticeLine(1, 2, dashed=True)]
    assert needed([*chain, LatticeLine(0, 2, dashed=True)]) == chain
    strict = LatticeLine(0, 2, dashed=False)
    assert needed([*chain, strict]) == [*chain, strict]
    half = [LatticeLine(0, 1, dashed=False), LatticeLine(1, 2, dashed=True)]
    assert needed([*half, strict]) == half


def test_a_supposition_is_drawn() -> None:
    """Classes that are supposed equal share a box."""
    assert ">TC0 = NC1<" in lattice_svg(suppose(ATLAS, "TC0 = NC1"))
    assert ">TC0 = NC1<" not in lattice_svg(ATLAS)
