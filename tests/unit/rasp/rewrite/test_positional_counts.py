"""Counts of positions before or after each are functions of the index and the length; others go by masks."""

from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import aggregate, indices, length, select, selector_width, tokens
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import And, Comparison, Const, Indices, Map, Not, Or, Select, Width
from capax.rasp.meaning.reference import evaluate
from capax.rasp.rewrite.positional_counts import at_self, count_beside_masks, count_positions
from capax.rasp.rewrite.prepare import looking_back, prepare

HERE = Indices()
shifted = st.integers(-3, 3).map(lambda c: Map("+", (HERE, Const(c))))
orders = st.builds(Select, shifted, shifted, st.sampled_from(get_args(Comparison)))
positional = st.recursive(
    orders, lambda s: st.one_of(st.builds(And, s, s), st.builds(Or, s, s), st.builds(Not, s)), max_leaves=4
)
SAME = select(tokens, tokens, "==")


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


@given(positional, st.booleans())
def test_counts_of_positions(selector: Any, causal: bool) -> None:
    """A selector of positions alone is counted by the index and the length, or as it is."""
    count = Width(selector)
    plain, _ = prepare(count, causal=causal)
    for node in (plain, plain if causal else count_positions(count)):
        for n in range(1, 7):
            wanted = evaluate(looking_back(count) if causal else count, "a" * n)
            done = evaluate(node, "a" * n)
            assert (done.values, done.type) == (wanted.values, wanted.type)


@given(positional, st.sampled_from([SAME.node, (~SAME).node, select(tokens, "a", "==").node]))
def test_counts_beside_masks(selector: Any, condition: Any) -> None:
    """Any set of offsets with a condition of tokens is counted as by the definition."""
    count = Width(And(selector, condition))
    parts = count_beside_masks(count)
    for n in range(1, 6):
        for word in product("ab", repeat=n):
            assert evaluate(parts, word).values == evaluate(count, word).values  # type: ignore[arg-type]


def test_other_counts_are_left() -> None:
    two_sided = select(indices, indices + 1, "<=") & select(indices, indices - 1, ">=")
    for selector in (two_sided, select(tokens, tokens, "=="), select(indices, 3, "<")):
        width = selector_width(selector).node
        assert count_positions(width) is width
        assert count_beside_masks(width) is width
    window = select(indices, indices, "<=") & select(indices, indices - 3, ">") & SAME
    assert count_beside_masks(selector_width(window).node) is selector_width(window).node


def test_at_self() -> None:
    asks = at_self(And(Not(select(tokens, "a", "==").node), Or(SAME.node, SAME.node)))
    assert evaluate(asks, "aba").values == (False, True, False)


def test_no_head_counts_positions() -> None:
    """The token before each, found by the count of those before it, takes one layer."""
    before = selector_width(select(indices, indices, "<")) - 1
    compiled = capax.compile(aggregate(select(indices, before, "=="), tokens), alphabet="ab", max_length=20, words=10)
    assert (compiled.size.attention_layers, compiled.certified_length) == (1, 20)


@pytest.mark.parametrize(
    ("selector", "most"),
    [
        (select(indices, indices - 3, "<="), 2_200),
        (select(indices, indices, "!="), 1_000),
        (select(indices, indices + 2, "<="), 2_200),
        (select(indices, indices - 1, "<") | select(indices, indices + 1, ">"), 4_500),
    ],
)
def test_small_at_any_length(selector: capax.Selector, most: int) -> None:
    """As an order of positions each has a product for each position, and 40,000 parameters."""
    compiled = capax.compile(selector_width(selector & SAME), alphabet="abcd", max_length=100, words=30)
    assert compiled.certified_length == 100
    assert compiled.size.parameters < most


def test_the_length_is_no_window() -> None:
    width = selector_width(select(indices, length - 1, "==") & SAME).node
    assert count_beside_masks(width) is width
