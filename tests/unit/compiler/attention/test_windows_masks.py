"""Comparisons of positions as masks."""

from math import inf

import pytest

from capax.budget import Budget
from capax.compiler.analysis.analyse import analyse
from capax.compiler.attention.windows import mask_of, offsets_of
from capax.compiler.domain import domain
from capax.model.parts import Mask
from capax.rasp.analysis.offsets import Offsets
from capax.rasp.ir.nodes import Const, Indices, Input, Map, Select, Width

HERE = Indices()


@pytest.mark.parametrize(
    ("low", "high", "mask"),
    [
        (-inf, inf, "none"),
        (-inf, 0, "causal"),
        (-inf, -1, "strict past"),
        (0, inf, "future"),
        (1, inf, "strict future"),
        (0, 0, None),
        (-inf, 1, None),
    ],
)
def test_masks(low: float, high: float, mask: Mask | None) -> None:
    """Five ranges of offsets are masks."""
    assert mask_of(Offsets(((low, high),))) == mask


def test_shifts_on_short_words() -> None:
    """A remainder that no position of the domain reaches is no remainder."""
    root = Width(Select(HERE, Map("+", (Map("%", (HERE, Const(6))), Const(1))), "<"))
    assert offsets_of(root.selector, analyse(root, domain("a", 6), Budget())) == Offsets(((-inf, 0),))
    assert offsets_of(root.selector, analyse(root, domain("a", 7), Budget())) is None
    other = Width(Select(HERE, Input("asis"), "<"))
    assert offsets_of(other.selector, analyse(other, domain([0, 1], 6), Budget())) is None
