"""Triangles: the bound up to its constant."""

import pytest

from capax.limits import limit


def test_triangles_are_never_called_impossible() -> None:
    """The constant is not known."""
    kinds = {limit("triangle-graph").run(n=n).verdict.kind for n in (3, 10, 10**4, 10**9, 2**1000)}
    assert kinds == {"no-statement", "up-to-a-constant"}
    found = limit("triangle-graph").run(n=1024, layers=1, heads=2, dim=4)
    assert found["N / log2 N"].value == pytest.approx(102.4)
    assert found["D H m log2 N / N"].value == pytest.approx(8 * 10 / 1024)
