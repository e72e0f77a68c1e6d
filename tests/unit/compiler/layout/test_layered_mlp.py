"""Where an MLP is cut into pieces of few stages."""

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from capax.compiler.layout.layered_mlp import cheapest_cuts


@given(st.lists(st.integers(1, 9), min_size=1, max_size=7), st.integers(1, 7))
def test_cuts_are_the_cheapest_of_all(units: list[int], most: int) -> None:
    """Of all choices of stages, among those with the fewest pieces: the narrowest widest cut, then the fewest units."""
    depth = len(units)
    every = [tuple(i + 1 for i, cut in enumerate(way) if cut) for way in product((False, True), repeat=depth - 1)]
    fitting = [c for c in every if all(b - a <= most for a, b in pairwise([0, *c, depth]))]
    fewest = min(map(len, fitting))

    def cost(cuts: tuple[int, ...]) -> tuple[int, int]:
        passing = [units[c - 1] for c in cuts]
        return max(passing, default=0), sum(passing)

    chosen = cheapest_cuts(units, most)
    assert chosen in fitting
    assert len(chosen) == fewest
    assert cost(chosen) == min(cost(c) for c in fitting if len(c) == fewest)


def test_cuts_avoid_wide_stages() -> None:
    """Five stages in pieces of up to four: the cut is after a narrow one."""
    assert cheapest_cuts([30, 3, 30, 30, 30], 4) == (2,)
    assert cheapest_cuts([5] * 40, 3) == tuple(range(3, 40, 3))
