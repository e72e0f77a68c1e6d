"""Comparisons of places: linear forms of place and length, masks, strict orders."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.compiler.analysis.analysis import Analysis
from capax.compiler.analysis.linear import LENGTH, Linear, linear
from capax.compiler.attention.offsets import Offsets, offsets_of
from capax.compiler.domain import domain
from capax.model.parts import Mask
from capax.rasp.analysis.total_orders import is_total_order
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS, And, Const, Indices, Input, Map, Node, Or, Select, SelectorNode, Width
from capax.rasp.meaning import reference

HERE, X = Indices(), Input("asis")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> Any:
    """Sums, differences and products of places, lengths and integers."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([HERE, LENGTH, Const(2), Const(-1), Const(0.5), X]))
    if draw(st.integers(0, 4)) == 0:
        return Map(draw(st.sampled_from(["neg", "pos"])), (draw(expressions(depth - 1)),))
    args = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    return Map(draw(st.sampled_from(["+", "-", "*"])), args)


@given(expressions(), st.integers(1, 5))
def test_linear_forms(node: Any, longest: int) -> None:
    """A form has the interpreter's values, its bounds are attained, and it knows when it is a place."""
    known: dict[Node, Linear] = {}
    for part in topological(node):
        found = linear(part, known)
        if found is not None:
            known[part] = found
    if node not in known:
        return
    form = known[node]
    seen, places = set(), True
    for n in range(1, longest + 1):
        values = reference.evaluate(node, [0] * n)
        assert list(values) == [form.a * n + form.b * i + form.c for i in range(n)]
        seen |= set(values)
        places = places and all(0 <= v < n for v in values)
    assert form.bounds(longest) == (min(seen), max(seen))
    assert seen <= set(form.values(longest).values)
    assert form.is_position(longest) == places


@pytest.mark.parametrize("op", COMPARISONS)
@pytest.mark.parametrize(("key", "query"), list(itertools.product([-1, 0, 2], repeat=2)))
def test_offsets(op: str, key: int, query: int) -> None:
    """The offsets of a comparison of shifted places are those that it selects."""
    root = Width(Select(Map("+", (HERE, Const(key))), Map("-", (HERE, Const(query))), op))
    analysis = Analysis(domain("a", 6))
    analysis.learn(root)
    found = offsets_of(root.selector, analysis)
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


def before(x: Any, rest: SelectorNode, op: str = "<") -> SelectorNode:
    """By x, ties by another order."""
    return Or(Select(x, x, op), And(Select(x, x, "=="), rest))


LATER = Select(HERE, HERE, "<")
Y = Map("*", (X, X))


@pytest.mark.parametrize(
    ("selector", "total"),
    [
        (LATER, True),
        (before(X, LATER), True),
        (before(X, Select(HERE, HERE, ">"), ">"), True),
        (before(X, before(Y, LATER)), True),
        (Or(And(LATER, Select(X, X, "==")), Select(X, X, "<")), True),
        (Select(X, X, "<"), False),
        (Select(HERE, HERE, "<="), False),
        (Or(Select(X, X, "<"), LATER), False),
        (before(X, Select(Y, Y, "<")), False),
        (Or(Select(X, X, "<="), And(Select(X, X, "=="), LATER)), False),
        (Or(Select(X, X, "<"), And(Select(Y, Y, "=="), LATER)), False),
    ],
)
def test_total_orders(selector: SelectorNode, total: bool) -> None:
    """Where one is named, the widths are the ranks of every word, each once; the other way round some word shows it."""
    assert is_total_order(selector) is total
    words = [w for n in range(1, 5) for w in itertools.product((-1, 0, 1), repeat=n)]
    ranks = all(sorted(reference.evaluate(Width(selector), w)) == list(range(len(w))) for w in words)
    assert ranks is total
