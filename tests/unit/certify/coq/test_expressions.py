"""Expressions of the Coq programs: their text, their values, and what they read."""

from hypothesis import given
from hypothesis import strategies as st

from capax.certify.coq.expressions import OPERATIONS, CoqExpr, apply, here, num, there

LEAVES = st.one_of(
    st.integers(-3, 3).map(num), st.integers(0, 2).map(here), st.integers(0, 2).map(there)
)  # numbers and entries of states of length 3
ARITIES = {name: function.__code__.co_argcount for name, function in OPERATIONS.items()}
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.sampled_from(sorted(ARITIES)).flatmap(
        lambda name: st.tuples(*[inner] * ARITIES[name]).map(lambda parts: apply(name, *parts))
    ),
    max_leaves=8,
)
STATES = st.lists(st.integers(-3, 3), min_size=3, max_size=3)


@given(EXPRESSIONS, STATES, STATES, STATES)
def test_value_depends_on_entries_read_alone(e: CoqExpr, query: list[int], key: list[int], other: list[int]) -> None:
    """Other entries of either state change nothing."""
    mixed = [x if c in e.entries("Here") else y for c, (x, y) in enumerate(zip(query, other, strict=True))]
    assert e.value(query, key) == e.value(mixed, key)
    mixed = [x if c in e.entries("There") else y for c, (x, y) in enumerate(zip(key, other, strict=True))]
    assert e.value(query, key) == e.value(query, mixed)


@given(EXPRESSIONS, STATES)
def test_an_expression_at_one_side_has_the_value_of_that_side(e: CoqExpr, state: list[int]) -> None:
    """Read at the key, it is what it is where both sides are the key."""
    assert e.at("There").entries("Here") == frozenset()
    assert e.at("There").value([], state) == e.value(state, state)


def test_text_has_brackets_around_operands() -> None:
    """As Coq reads applications; a negative number has brackets of its own."""
    assert apply("Plus", num(-1), apply("Not", there(2))).text() == "Plus (Num (-1)) (Not (There 2))"
