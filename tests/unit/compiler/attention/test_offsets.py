"""Comparisons of positions as masks."""

import itertools

import pytest

from capax.budget import Budget
from capax.compiler.analysis.analyse import analyse
from capax.compiler.attention.offsets import Offsets, offsets_of
from capax.compiler.domain import domain
from capax.model.parts import Mask
from capax.rasp.ir.nodes import COMPARISONS, Const, Indices, Map, Select, Width
from capax.rasp.meaning import reference

HERE = Indices()


@pytest.mark.parametrize("op", COMPARISONS)
@pytest.mark.parametrize(("key", "query"), list(itertools.product([-1, 0, 2], repeat=2)))
def test_offsets(op: str, key: int, query: int) -> None:
    """The offsets of a comparison of shifted positions are those that it selects."""
    root = Width(Select(Map("+", (HERE, Const(key))), Map("-", (HERE, Const(query))), op))
    found = offsets_of(root.selector, analyse(root, domain("a", 6), Budget()))
    if op in ("==", "!="):
        assert found is None
        return
    assert found is not None
    rows = reference.evaluate(root.selector, "aaaaaa")
    for i, j in itertools.product(range(6), repeat=2):
        assert rows[i][j] == (found.low <= j - i <= found.high)


@pytest.mark.parametrize(
    ("low", "high", "mask"),
    [
        (None, None, "none"),
        (None, 0, "causal"),
        (None, -1, "strict past"),
        (0, None, "future"),
        (1, None, "strict future"),
        (0, 0, None),
        (None, 1, None),
    ],
)
def test_masks(low: int | None, high: int | None, mask: Mask | None) -> None:
    """Five ranges of offsets are masks."""
    found = Offsets() & (Offsets() if low is None else Offsets(low=low))
    assert (found & (Offsets() if high is None else Offsets(high=high))).mask == mask
