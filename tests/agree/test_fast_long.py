"""The fast evaluator on long words gives what the definition gives: the ways that short words do not take."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax.rasp.ir.nodes import COMPARISONS, Aggregate, And, Best, Const, Indices, Input, Map, Node, Or, Select, Width
from capax.rasp.meaning import fast, reference
from capax.rasp.meaning.vector import codes, column, distinct, elementwise, index, strings
from tests.agree.test_fast import attempt, plain, selections
from tests.support.programs import graphs, words


def as_if_long(patch: pytest.MonkeyPatch, *, tables: bool) -> None:
    """Has short arrays treated as long ones, with tables of codes wherever possible or nowhere."""
    patch.setattr(distinct, "LONG", 0)
    patch.setattr(strings, "FEW", 0)
    patch.setattr(column, "MANY", 0)
    patch.setattr(elementwise, "FEW", 0)
    for module in (codes, distinct, index):
        patch.setattr(module, "table_pays", lambda span, size: tables and span < 100_000)


@pytest.mark.parametrize("tables", [False, True])
@given(node=graphs(), batch=st.lists(words(), min_size=1, max_size=3))
@settings(max_examples=100)
def test_any_program(node: Node, batch: list[Any], tables: bool) -> None:
    """Values, types and errors of random programs."""
    expected = [attempt(reference.evaluate, node, word) for word in batch]
    with pytest.MonkeyPatch.context() as patch:
        as_if_long(patch, tables=tables)
        assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected


@pytest.mark.parametrize("tables", [False, True])
@given(node=selections(), batch=st.lists(st.lists(st.integers(-2, 5), min_size=1, max_size=9), min_size=1, max_size=3))
@settings(max_examples=100)
def test_combined_selectors(node: Node, batch: list[Any], tables: bool) -> None:
    """Groups, runs, towers and bests."""
    expected = [attempt(reference.evaluate, node, word) for word in batch]
    with pytest.MonkeyPatch.context() as patch:
        as_if_long(patch, tables=tables)
        assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected


LENGTH = capax.length.node
T, P = Input("asis"), Indices()
POSITIONS: list[Any] = [
    P,
    Map("-", (LENGTH, P)),
    Map("-", (Map("-", (LENGTH, P)), Const(1))),
    Map("+", (P, Const(1))),
    Map("/", (P, Const(2))),
    Map("*", (P, Const(1.0))),
    Map("==", (T, Const("a"))),
    Const(1),
    Const(-1),
    LENGTH,
    T,
    Width(Select(T, T, "==")),
    Width(Or(Select(T, T, "<"), And(Select(T, T, "=="), Select(P, P, "<")))),
]
"""What names a position, for some words or all, at some positions or all."""


@st.composite
def pointing(draw: st.DrawFn) -> Node:
    """An aggregate, width or best over keys that are named by position, with further conditions."""
    some = st.sampled_from(POSITIONS)
    selector: Any = Select(draw(st.sampled_from([P, P, draw(some)])), draw(some), "==")
    for _ in range(draw(st.integers(0, 2))):
        ops = st.sampled_from([*COMPARISONS, "==", "=="])
        selector = And(selector, Select(draw(some), draw(some), draw(ops)))
    if draw(st.booleans()):
        selector = Or(selector, Select(draw(some), draw(some), "=="))
    if draw(st.integers(0, 3)) == 0:
        selector = Best(selector, draw(some))
    value = draw(st.sampled_from([*POSITIONS, T]))
    return draw(st.sampled_from([Width(selector), Aggregate(selector, value, 0), Aggregate(selector, value, "-")]))


@given(pointing(), st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=4))
@settings(max_examples=250)
def test_named_positions(node: Node, batch: list[str]) -> None:
    """Keys that are looked at where the query says, keys in the order of a rank, and the same for whole words."""
    expected = [attempt(reference.evaluate, node, word) for word in batch]
    assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected
    assert [plain(fast.evaluate_batch(node, [word])[0]) for word in batch] == expected


def test_words_of_positive_floats_sorted_at_once() -> None:
    """Floats lie far apart as integers: with the word before them they would leave 64 bits."""
    batch = [[0.0], [0.5], [1.0, 0.5], [2**62, 1]]
    rank = Width(Or(Select(T, T, "<"), And(Select(T, T, "=="), Select(P, P, "<"))))
    for node in (rank, Aggregate(Select(rank, P, "=="), T, 0)):
        expected = [attempt(reference.evaluate, node, word) for word in batch]
        assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected


NUMBERS = st.one_of(
    st.integers(-3, 3), st.sampled_from([0.0, -0.0, 0.5, 2**53 + 1, 2**62, -(2**63), 2**70, 1e300, float("inf")])
)


@pytest.mark.parametrize("tables", [False, True])
@given(
    batch=st.lists(
        st.one_of(
            st.lists(st.integers(-3, 3), min_size=1, max_size=9),
            st.lists(st.floats(-2, 2), min_size=1, max_size=9),
            st.lists(st.floats(0, 1), min_size=1, max_size=9),
            st.lists(NUMBERS | st.booleans(), min_size=1, max_size=9),
            st.text("ab", min_size=1, max_size=9),
            st.lists(st.sampled_from(["ab", "a", "", "b"]), min_size=1, max_size=9),
        ),
        min_size=1,
        max_size=3,
    ),
    more=st.booleans(),
)
@settings(max_examples=60)
def test_ranks(batch: list[Any], more: bool, tables: bool) -> None:
    """Less, or equal and earlier: the place of each token in the sorted word, and what is sorted by it."""
    before: Any = Or(Select(T, T, "<"), And(Select(T, T, "=="), Select(P, P, "<")))
    rank = Width(Or(before, Select(P, Const(0), "==")) if more else before)
    for node in (rank, Aggregate(Select(rank, P, "=="), T, 0), Aggregate(before, P, 0)):
        expected = [attempt(reference.evaluate, node, word) for word in batch]
        with pytest.MonkeyPatch.context() as patch:
            as_if_long(patch, tables=tables)
            assert [plain(o) for o in fast.evaluate_batch(node, batch)] == expected
            assert [plain(fast.evaluate_batch(node, [word])[0]) for word in batch] == expected
