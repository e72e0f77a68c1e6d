"""Counts of positions before or after each are functions of the index and the length."""

from typing import get_args

import pytest

import capax
from capax import aggregate, indices, select, selector_width, tokens
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Comparison, Indices, Select, Width
from capax.rasp.meaning.reference import evaluate
from capax.rasp.rewrite.prepare import count_positions, looking_back, prepare


@pytest.mark.parametrize("op", get_args(Comparison))
@pytest.mark.parametrize("causal", [False, True])
def test_the_same_count(op: Comparison, causal: bool) -> None:
    count = Width(Select(Indices(), Indices(), op))
    plain, _ = prepare(count, causal=causal)
    assert not any(isinstance(n, Width) and n.selector is not FULL for n in topological(plain))
    for n in range(1, 9):
        wanted = evaluate(looking_back(count) if causal else count, "a" * n)
        done = evaluate(plain, "a" * n)
        assert (done.values, done.type) == (wanted.values, wanted.type)


def test_other_counts_are_left() -> None:
    for selector in (select(indices, indices + 1, "<="), select(tokens, tokens, "=="), select(indices, 3, "<")):
        width = selector_width(selector).node
        assert count_positions(width) is width


def test_no_head_counts_positions() -> None:
    """The token before each, found by the count of those before it, takes one layer."""
    before = selector_width(select(indices, indices, "<")) - 1
    compiled = capax.compile(aggregate(select(indices, before, "=="), tokens), alphabet="ab", max_length=20, words=10)
    assert (compiled.size.attention_layers, compiled.certified_length) == (1, 20)
