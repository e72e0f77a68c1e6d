"""Hops by definition."""

from hypothesis import given
from hypothesis import strategies as st

from capax.tasks.k_hop import NOWHERE
from capax.tasks.k_hop import TASK as K_HOP


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.integers(1, 5))
def test_hops_by_definition(word: list[int], hops: int) -> None:
    """find(i) is the last j <= i, counted from 1, whose token before is x_i; 0 if there is none."""
    x = [None, *word]

    def find(i: int) -> int:
        return max([0, *(j for j in range(2, i + 1) if x[j - 1] == x[i])])

    wanted = []
    for i in range(1, len(x)):
        place = i
        for _ in range(hops):
            place = find(place) if place else 0
        wanted.append(x[place] if place else NOWHERE)
    assert K_HOP.reference(word, hops=hops, symbols=4) == wanted
