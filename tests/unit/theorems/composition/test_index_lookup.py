"""Index lookup, and equality of two strings."""

from hypothesis import given
from hypothesis import strategies as st

from capax import theorems
from capax.tasks.equality import TASK as EQUALITY
from capax.tasks.index_lookup import TASK as LOOKUP
from capax.theorems.weights.bits import digits


@given(st.integers(3, 40), st.integers(0, 10_000))
def test_lookup_and_equality(n: int, seed: int) -> None:
    """Random words of any length, in dimensions that grow with the logarithm."""
    word = LOOKUP.samples(1, n, seed, symbols=5)[0]
    model = theorems.theorem("index-lookup").build(n=n, symbols=5)
    assert model.size.head_dimension == digits(n)
    assert model(word)[-1] == LOOKUP.reference(word, symbols=5)
    pair = EQUALITY.samples(1, n, seed)[0]
    assert theorems.theorem("equality").build(n=n)(pair)[-1] == EQUALITY.reference(pair)
