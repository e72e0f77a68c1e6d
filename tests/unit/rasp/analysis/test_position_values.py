"""The values of s-ops of position and length alone, against the definition."""

from typing import Any

import pytest

import capax
from capax import aggregate, best, indices, length, select, selector_width, tokens
from capax.rasp.analysis.position_values import LONGEST, is_positional, position_values
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning.reference import evaluate
from capax.rasp.rewrite.prepare import prepare

last = select(indices, length - 1, ">=")
PROGRAMS = {
    "last and mean": selector_width(last) + aggregate(select(5, indices, "<="), indices, 7),
    "means of means": aggregate(select(indices, indices, "<="), aggregate(select(indices, indices, ">="), indices)),
    "best": aggregate(best(select(indices, indices, "!="), indices % 3), indices, -1),
    "fails on some": aggregate(select(indices, indices, "<"), 1 / (length - 3), 0),
    "strings": aggregate(select(indices, 0, "=="), capax.where(length > 2, "long", "short"), ""),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_rows_are_the_values_of_the_definition(name: str) -> None:
    """By length and position, of every s-op that is listed."""
    root = prepare(PROGRAMS[name].node, causal=False)[0]
    lengths = [n for n in range(1, 8) if name != "fails on some" or n != 3]
    known = position_values((root,), 7)
    assert len(known.errors) == 7 - len(lengths)
    assert known.of(root) is not None
    for node in topological(root):
        rows = known.of(node)
        if rows is not None:
            assert isinstance(node, SOpNode)
            values: list[Any] = [v for n in lengths for v in evaluate(node, "b" * n).values]  # type: ignore[union-attr]
            assert list(map(repr, rows)) == list(map(repr, values))


def test_what_is_left_alone() -> None:
    """Tokens, long words, numbers that differ by rounding only, programs that always fail, and plain arithmetic."""
    reads = selector_width(select(tokens, tokens, "=="))
    assert not is_positional(reads.node)
    assert position_values((reads.node,), 5).of(reads.node) is None
    assert position_values((PROGRAMS["best"].node,), LONGEST + 1).rows == {}
    twice = aggregate(select(indices, 0, "=="), capax.where(length < 2, 0.3, 0.1 + 0.2 * (length / length)))
    assert position_values((twice.node,), 3).of(twice.node) is None
    fails = selector_width(select(indices, 1 / (length - length), "<"))
    assert position_values((fails.node,), 3).rows == {}
    assert position_values(((indices + 1).node,), 3).rows == {}


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_they_are_compiled_and_certified(name: str, causal: bool) -> None:
    """Small, and proved at the whole length."""
    compiled = capax.compile(PROGRAMS[name], alphabet="ab", max_length=7, causal=causal)
    assert compiled.certified_length == 7
    assert compiled.size.parameters < 5000
