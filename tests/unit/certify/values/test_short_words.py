"""Values of an aggregate by all words: those that it has, and no others."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

import capax
from capax import aggregate, full_s, indices, select, tokens, tokens_asis
from capax.certify.certify_budget import WorkBudget
from capax.certify.values.axes import Axes
from capax.certify.values.short_words import values_on_words
from capax.rasp.analysis.all_words import MOST_TOKENS
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning import reference

SO_FAR = select(indices, indices, "<=")
SELECTORS = (SO_FAR, full_s, select(tokens_asis, tokens_asis, "=="), select(tokens_asis, tokens_asis, "<"))


def node_of(program: capax.SOp) -> SOpNode:
    """The node of a program."""
    assert isinstance(program.node, SOpNode)
    return program.node


@given(
    *(st.sampled_from(SELECTORS) for _ in range(2)),
    st.sampled_from([tokens_asis, indices]),
    st.sets(st.sampled_from([0, 1, -2, 0.5, 7]), min_size=1, max_size=2),
    st.integers(1, 4),
)
def test_the_values_on_words_are_those_of_the_definition(
    outer: capax.Selector, inner: capax.Selector, what: capax.SOp, alphabet: set[float], longest: int
) -> None:
    node = node_of(aggregate(outer, aggregate(inner, what, 3)))
    words = [word for n in range(1, longest + 1) for word in product(sorted(alphabet), repeat=n)]
    slow = {v for word in words for v in reference.evaluate(node, word).values}  # type: ignore[union-attr]
    listed = values_on_words(node, sorted(alphabet), longest, WorkBudget())
    assert listed is not None
    assert {*listed} == slow
    assert slow <= {*Axes(node, tuple(sorted(alphabet)), longest).values[node]}


def test_an_axis_has_the_values_on_words_where_means_are_too_many() -> None:
    """Of the means of up to 9 fractions there are millions; 1,022 words have fewer."""
    node = node_of(aggregate(SO_FAR, aggregate(SO_FAR, tokens_asis)))
    values = Axes(node, (0, 1), 9).values[node]
    for word in [(1, 0, 0, 1, 1, 0, 1, 0, 1), (0, 0, 0, 0, 0, 0, 0, 0, 1), (1,) * 8]:
        assert {*reference.evaluate(node, word).values} <= {*values}  # type: ignore[union-attr]
    assert len(values) < 2_000


def test_words_that_are_many_or_fail_list_nothing() -> None:
    node = node_of(aggregate(full_s, tokens, ""))
    assert values_on_words(node, ("a", "b"), 1, WorkBudget()) == ["a", "b"]
    assert values_on_words(node, ("a", "b"), 2, WorkBudget()) is None, "two strings have no mean"
    many = tuple(range(MOST_TOKENS + 1))
    assert values_on_words(node_of(aggregate(full_s, tokens_asis)), many, 1, WorkBudget()) is None
