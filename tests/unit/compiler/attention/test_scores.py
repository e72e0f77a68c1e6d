"""Scores of compiled heads, measured on the weights: 0 on selected pairs, at most -1 on all others."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.compiler.compile_program import build
from capax.compiler.domain import domain
from capax.errors import CapaxError
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import (
    COMPARISONS,
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Width,
)
from capax.rasp.meaning import reference
from capax.rasp.rewrite.positional_counts import count_beside_masks, count_positions
from capax.rasp.rewrite.rewrite import rewrite

X, HERE = Input("asis"), Indices()
EARLIER = Select(HERE, HERE, "<")
NODES: list[SOpNode] = [
    X,
    HERE,
    Const(1),
    Map("-", (Width(Select(Const(1), Const(1), "==")), HERE)),
    Width(Select(X, X, "==")),
    Aggregate(EARLIER, X, 0),
    Map("*", (X, HERE)),
]

selectors: st.SearchStrategy[Any] = st.recursive(
    st.builds(Select, st.sampled_from(NODES), st.sampled_from(NODES), st.sampled_from(COMPARISONS)),
    lambda inner: st.one_of(st.builds(And, inner, inner), st.builds(Or, inner, inner), st.builds(Not, inner)),
    max_leaves=4,
)


def rows_of(selector: SelectorNode, word: tuple[int, ...]) -> Any:
    """What the definition selects."""
    return np.array(reference.evaluate(selector, word))


def last_scores(model: Any, n: int) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """Every word of n tokens, and on it, of the last heads, the scores without the scale and the weights.

    Axes: head, query, key; the last key is the sink.
    """
    words = list(itertools.product(model.vocabulary.tokens, repeat=n))
    run = model.run(words, trace=True, many=True)
    last = max(number for number, block in enumerate(model.blocks) if block.heads)
    scales = np.array([head.scale for head in model.blocks[last].heads])[:, None, None]
    parts = (run[f"blocks.{last}.attn.{name}"] for name in ("scores", "pattern"))
    for word, scores, pattern in zip(words, *parts, strict=True):
        yield word, scores[:, :, :n] / scales, pattern


@settings(max_examples=80)
@given(selectors, st.booleans(), st.sampled_from(["float32", "float64"]))
def test_scores_of_counts(selector: SelectorNode, masks: bool, dtype: str) -> None:
    """Every selected pair has the score 0 in exactly one head, and every other pair has none above -1 in any."""
    root = Width(selector)
    simpler = rewrite(root).node
    assume(isinstance(simpler, Width) and simpler.selector is not FULL)
    assume(count_positions(simpler) is simpler)  # else no head counts
    assume(count_beside_masks(simpler) is simpler)  # else a sum of counts
    assert isinstance(simpler, Width)
    model = build(root, domain((0, 1, 3), 4, masks=masks, dtype=dtype), {}).model
    for word, scores, _ in last_scores(model, 4):
        assert ((scores == 0).sum(axis=0) == rows_of(simpler.selector, word)).all()
        assert ((scores == 0) | (scores <= -1)).all()


@settings(max_examples=80)
@given(selectors, st.booleans(), st.integers(-1, 2))
def test_weights_of_averages(selector: SelectorNode, masks: bool, default: int) -> None:
    """Equal weights on the selected keys, exactly none on the others; all on the sink where nothing is selected."""
    root = Aggregate(selector, X, float(default))
    simpler = rewrite(root).node
    assume(isinstance(simpler, Aggregate))
    assert isinstance(simpler, Aggregate)
    model = build(root, domain((0.0, 1.0, 3.0), 3, masks=masks), {}).model
    for word, scores, patterns in last_scores(model, 3):
        selected = rows_of(simpler.selector, word)
        assert len(patterns) == 1
        pattern = patterns[0]
        relative = scores[0] if pattern.shape[1] > 3 else scores[0] - scores[0].max(axis=1, keepdims=True)
        assert ((relative == 0) == selected).all()
        assert ((relative == 0) | (relative <= -1)).all()
        assert (pattern[:, :3][~selected] == 0).all()
        counts = selected.sum(axis=1)
        for query, count in enumerate(counts):
            if count:
                assert np.allclose(pattern[query, :3][selected[query]], 1 / count, rtol=1e-6)
                assert pattern[query, 3:].sum() == 0
            else:
                assert pattern[query, 3] == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_length_is_read_at_the_last_position(dtype: str) -> None:
    """All the weight is there, and the answer is a number that no MLP has touched."""
    model = build(Width(FULL), domain((0, 1), 9, dtype=dtype), {}).model
    assert all(block.mlp is None for block in model.blocks)
    for n in range(1, 10):
        run = model.run([[0] * n], trace=True, many=True)
        assert (run["blocks.0.attn.pattern"][0, 0] == np.eye(n)[-1]).all()


@pytest.mark.parametrize("size", [3, 5000, 20_000, 10**6])
def test_equality_of_large_numbers(size: int) -> None:
    """Shifted scores, digits where codes are large: the one equal key has all the weight, its neighbours none."""
    tokens = tuple({0, 1, size // 2, size // 2 + 1, size - 1, size})
    model = build(Aggregate(Select(X, X, "=="), HERE, 0), domain(tokens, 3), {}).model
    for word, scores, patterns in last_scores(model, 3):
        selected = np.equal.outer(word, word)
        relative = scores[0] - scores[0].max(axis=1, keepdims=True)
        assert ((relative == 0) == selected).all()
        assert ((relative == 0) | (relative <= -1)).all()
        assert (patterns[0][:, :3][~selected] == 0).all()


@pytest.mark.parametrize("score", [X, HERE, Const(1), Map("-", (Const(0), X)), Width(Select(X, X, "=="))])
@pytest.mark.parametrize("selector", [Select(Const(1), Const(1), "=="), EARLIER, Select(X, X, "==")])
def test_best_has_one_key(selector: SelectorNode, score: SOpNode) -> None:
    """All the weight is on the selected key with the highest score, of equal ones the last; or on the sink."""
    model = build(Aggregate(Best(selector, score), HERE, -1), domain((0, 1, 3), 4), {}).model
    for word, _, patterns in last_scores(model, 4):
        marks = reference.evaluate(score, word)
        wanted = [
            max((j for j in range(4) if row[j]), key=lambda j: (marks[j], j), default=4)
            for row in rows_of(selector, word)
        ]
        width = patterns.shape[-1]
        assert patterns[0].tolist() == [[float(j == key) for j in range(width)] for key in wanted]


def test_index_comparisons_without_masks_are_wide() -> None:
    """Without masks a strict comparison of n places needs n - 1 products or more; with them none."""
    root = Aggregate(EARLIER, X, 0)
    for n in (3, 8, 20):
        model = build(root, domain((0, 1), n, masks=False), {}).model
        assert model.blocks[0].heads[0].query.weight.shape[1] >= n - 1
    masked = build(root, domain((0, 1), 20), {}).model
    head = masked.blocks[0].heads[0]
    assert (head.mask, head.query.weight.shape[1]) == ("strict past", 1)  # the one is the sink's


def test_rank_of_a_strict_comparison() -> None:
    """The argument of the lower bound: scores minus their row's highest form a triangle of full rank."""
    model = build(Aggregate(EARLIER, X, 0), domain((0,), 9, masks=False, dtype="float64"), {}).model
    ((_, scores, _),) = last_scores(model, 9)
    assert np.linalg.matrix_rank(scores[0]) >= 8


def test_refused_scores() -> None:
    """A table beyond the budget is refused and not built."""
    root = Aggregate(Select(X, HERE, "<"), X, 0)
    with pytest.raises(CapaxError) as raised:
        build(root, domain(tuple(range(200)), 200, budget=100), {})
    assert raised.value.code == "too-many-values"
    assert any(isinstance(n, Select) for n in topological(root))
