"""Scores of windows, measured on the weights: 0 on selected pairs, at most -1 on others, and few products."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, best, indices, select, selector_width, tokens
from capax.compiler.attention.windows import _roots
from capax.compiler.compile_program import build
from capax.compiler.domain import domain
from capax.rasp.analysis.offsets import offsets_of
from capax.rasp.ir.nodes import Aggregate, And, Const, Indices, Input, Map, Or, Select, SelectorNode
from capax.rasp.meaning import reference

HERE = Indices()
SO_FAR = Select(HERE, HERE, "<=")
shifted = st.integers(-4, 4).map(lambda c: Map("+", (HERE, Const(c))))
orders = st.builds(Select, shifted, shifted, st.sampled_from(["<=", ">=", "==", "!="]))
windows = st.recursive(orders, lambda s: st.one_of(st.builds(And, s, s), st.builds(Or, s, s)), max_leaves=4)


def scores_of(selector: SelectorNode, longest: int, **settings: Any) -> tuple[Any, Any, Any]:
    """The head of a mean over a selector, its scores on the longest word, and what is selected there."""
    root = Aggregate(selector, Input("asis"), 7.0)
    model = build(root, domain((0.0, 1.0), longest, **settings), {}).model
    heads = [head for block in model.blocks for head in block.heads]
    (head,) = heads
    run = model.run([(0.0,) * longest], trace=True, many=True)
    scores = run["blocks.0.attn.scores"][0, 0, :, :longest] / head.scale
    if head.sink is None:  # softmax does not see what all keys of a query have in common
        scores = scores - scores.max(axis=1, keepdims=True)
    return head, scores, np.array(reference.evaluate(selector, (0.0,) * longest))


@settings(max_examples=60, deadline=None)
@given(windows, st.booleans(), st.sampled_from(["float32", "float64"]))
def test_scores(selector: Any, masks: bool, dtype: str) -> None:
    offsets = offsets_of(selector)
    assume(offsets is not None and offsets.ranges not in ((), ((0, 0),)))  # these need no head
    for longest in (5, 14):
        _, scores, selected = scores_of(selector, longest, masks=masks, dtype=dtype)
        assert ((scores == 0) == selected).all()
        assert ((scores == 0) | (scores <= -1)).all()


def window(low: int, high: int) -> SelectorNode:
    return (select(indices, indices + low, ">=") & select(indices, indices + high, "<=")).node


@pytest.mark.parametrize("longest", [60, 300])
@pytest.mark.parametrize(("low", "high"), [(-1, 0), (-2, 0), (-4, 0), (-1, 1), (-3, 3), (0, 2), (2, 5), (-6, -3)])
def test_products(low: int, high: int, longest: int) -> None:
    """K keys in a row take about 2 K products at any length; one more than K is the least."""
    head, scores, selected = scores_of(window(low, high), longest)
    assert ((scores == 0) == selected).all()
    assert head.query.weight.shape[1] <= 2 * (high - low + 1) + 2
    _, _, rows = scores_of(window(-2, 0), longest)
    assert np.linalg.matrix_rank(np.where(rows, 0, np.tri(longest))[3:, :-3]) > 3


def test_roots() -> None:
    for numbers in ([0], [0, 1], [0, 1, 2], [-2, 0, 1, 5], [3, 4, 5, 6]):
        for d in range(-9, 10):
            assert (np.prod([d - r for r in _roots(numbers, once=False)]) > 0) == (d not in numbers)
            if d > min(numbers):
                assert (np.prod([d - r for r in _roots(numbers, once=True)]) > 0) == (d not in numbers)


LAST_THREE = select(indices, indices, "<=") & select(indices, indices - 3, ">")
AROUND = select(indices, indices - 2, ">=") & select(indices, indices + 2, "<=")


@pytest.mark.parametrize(
    ("program", "most"),
    [
        (aggregate(LAST_THREE, indices % 2), 1_000),
        (selector_width(LAST_THREE & select(tokens, tokens, "==")), 900),
        (selector_width(AROUND & select(tokens, "a", "==")), 2_000),
        (aggregate(best(LAST_THREE, tokens), tokens), 1_200),
        (selector_width(select(indices, indices - 1, "==") | select(indices, indices + 1, "==")), 1_300),
    ],
)
def test_small_and_certified(program: capax.Program, most: int) -> None:
    """With a product for each position each of these has more than 30,000 parameters."""
    for causal in (False, True):
        compiled = capax.compile(program, alphabet="ab", max_length=100, words=30, causal=causal)
        assert compiled.certified_length == 100
        assert compiled.size.parameters < most
