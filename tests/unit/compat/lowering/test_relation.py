"""Predicates as selectors: every table of pairs, in whatever words it is put."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.compat.lowering.functions import COMPARISONS
from capax.compat.lowering.lowered import Lowered
from capax.compat.lowering.relation import selector_of
from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.python.program import Selector

KEYS = Lowered(build.inputs["tokens_asis"], (0, 1, 2, 3))
PLACES = Lowered(build.indices, (0, 1, 2, 3))


def rows_of(selector: Selector, word: list[Any]) -> list[list[bool]]:
    """The rows of a selector on a word."""
    return [list(row) for row in selector(word)]


@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_any_set_of_pairs(pairs: set[tuple[int, int]]) -> None:
    """The selector holds for exactly the pairs of the table."""
    selector = selector_of(KEYS, PLACES, lambda k, q: (k, q) in pairs)
    for word in product(range(4), repeat=2):
        assert rows_of(selector, list(word)) == [[(k, q) in pairs for k in word] for q in range(2)]
    long = [3, 1, 0, 2]
    assert rows_of(selector, long) == [[(k, q) in pairs for k in long] for q in range(4)]


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (lambda k, q: q == k + 1, "select(tokens_asis + 1, indices, ==)"),
        (lambda k, q: k < q, "select(tokens_asis, indices, <)"),
        (lambda k, q: q > k * 2, "select(tokens_asis * 2, indices, <)"),
        (lambda k, q: (k == q) | (q == 0), "(select(tokens_asis, indices, ==) or select(0, indices, ==))"),
        (lambda k, q: True, "full_s"),
        (lambda k, q: k == 2 if k else False, "select(tokens_asis in [2], True, ==)"),
        (COMPARISONS[">="], "select(tokens_asis, indices, >=)"),
    ],
)
def test_simple_predicates_stay_simple(predicate: Any, text: str) -> None:
    """Comparisons are written as comparisons, and a predicate of one side as a condition on that side."""
    assert str(selector_of(KEYS, PLACES, predicate)) == text


def test_a_predicate_that_looks_at_types_is_not_mistaken() -> None:
    """Tracing such a predicate gives a comparison that it is not; the values tell."""
    selector = selector_of(KEYS, PLACES, lambda k, q: k == q if isinstance(k, int) else k != q)
    assert rows_of(selector, [1, 0]) == [[False, True], [True, False]]


def test_a_predicate_that_always_fails_is_refused() -> None:
    """There is no pair for which it says anything."""
    with pytest.raises(CapaxError) as caught:
        selector_of(KEYS, PLACES, lambda k, q: k["x"])
    assert caught.value.code == "always-fails"
