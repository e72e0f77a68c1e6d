"""Bounds of integers against the definition: what is decided is so on every word."""

import itertools
from typing import Any

import pytest

from capax import indices, length, select, selector_width, tokens, where
from capax.rasp.analysis.linear_bounds import decided, decided_selector, is_position
from capax.rasp.ir.nodes import COMPARISONS, Const, Map, Select, SOpNode
from capax.rasp.meaning.reference import evaluate
from capax.rasp.rewrite.prepare import prepare

count = selector_width(select(tokens, tokens, "=="))
WORDS = ["".join(w) for n in range(1, 5) for w in itertools.product("ab", repeat=n)]
SOPS: list[SOpNode] = [
    prepare(s.node, causal=False)[0]
    for s in (
        *(indices, length, count, indices - 1, length - 1 - indices, 2 * indices, -count, length + 1, indices % 3),
        *(length // 2, (length - 1) // 2, indices - length // 2, indices // 3, (indices + length // 2) % length),
        *(where(indices < 2, indices, 2), where(tokens == "a", length, count), where(count >= 2, count - 2, -count)),
    )
] + [Const(0), Const(-1), Const(2), Const(0.5), Const(10**400), Const(True)]


@pytest.mark.parametrize("op", COMPARISONS)
def test_what_is_decided_is_so_on_all_short_words(op: Any) -> None:
    """At one position, and of every key with every query."""
    known = 0
    for left, right in itertools.product(SOPS, SOPS):
        outcome, pairs = decided(op, left, right), decided_selector(Select(left, right, op))
        known += (outcome is not None) + (pairs is not None)
        for word in WORDS if outcome is not None or pairs is not None else []:
            if outcome is not None:
                assert set(evaluate(Map(op, (left, right)), word).values) == {outcome}  # type: ignore[union-attr]
            if pairs is not None:
                rows = evaluate(Select(left, right, op), word).rows  # type: ignore[union-attr]
                assert {cell for row in rows for cell in row} == {pairs}
    assert known > 40


@pytest.mark.parametrize(
    ("op", "left", "right", "expected"),
    [
        ("<", indices, 0, False),
        (">=", indices, 0, True),
        ("<", indices, length, True),
        ("<=", indices, length - 1, True),
        (">", count, length, False),
        ("<=", indices, 5, None),
        ("<", length, 1, False),
        ("==", length, 0, False),
        ("<", length // 2, length, True),
        ("<", (length - 1) // 2, 0, False),
        ("<", (indices + length // 2) % length, length, True),
        (">=", indices, length // 2, None),
        ("<", indices * length, 0, None),
        ("<", indices / 2, 0, None),
        ("<", indices, float("inf"), None),
    ],
)
def test_comparisons(op: Any, left: Any, right: Any, expected: bool | None) -> None:
    """Some that bounds decide, and some that they do not."""
    right = right.node if hasattr(right, "node") else Const(right)
    prepared = [prepare(node, causal=False)[0] for node in (left.node, right)]
    assert decided(op, *prepared) is expected


@pytest.mark.parametrize(
    ("sop", "expected"),
    [
        (length // 2, True),
        ((length - 1) // 2, True),
        ((indices + length // 2) % length, True),
        (where(indices % 2 == 0, indices // 2, (length + indices) // 2), True),
        (where(indices >= 1, indices - 1, indices), True),
        (length - length // 2, False),
        (indices - length // 2, False),
        (indices + 1, False),
        (indices / 2, False),
    ],
)
def test_positions(sop: Any, expected: bool) -> None:
    node = prepare(sop.node, causal=False)[0]
    assert is_position(node) is expected
    for n in range(1, 9):
        if expected:
            assert all(0 <= i < n for i in evaluate(node, "a" * n).values)  # type: ignore[union-attr]
