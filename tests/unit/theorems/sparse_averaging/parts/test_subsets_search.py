"""The search for the smallest size."""

from hypothesis import assume, given
from hypothesis import strategies as st

from capax.theorems.sparse_averaging.parts.subsets import smallest


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60))
def test_search_finds_the_smallest(threshold: int, start: int, most: int) -> None:
    """Of a property that holds from a threshold on."""
    assume(start <= most)
    expected = max(threshold, start) if threshold <= most else None
    assert smallest(lambda size: size >= threshold, start, most) == expected
