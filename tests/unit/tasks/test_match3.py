"""Match2, Match3 and their variants by definition."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from capax.tasks.match2 import TASK as MATCH2
from capax.tasks.match3 import TASK as MATCH3
from capax.tasks.match3_bigram import TASK as BIGRAM
from capax.tasks.match3_local import TASK as LOCAL

MODULI = st.integers(2, 9)


@st.composite
def residues(draw: st.DrawFn) -> tuple[int, list[int]]:
    """A modulus and a word over 1 ... M."""
    modulus = draw(MODULI)
    return modulus, draw(st.lists(st.integers(1, modulus), min_size=1, max_size=7))


@given(residues(), st.integers(1, 3))
def test_matches_by_definition(case: tuple[int, list[int]], reach: int) -> None:
    """For every place, all places and all pairs of places."""
    modulus, word = case
    n = len(word)

    def hit(*places: int) -> bool:
        return sum(word[p] for p in places) % modulus == 0

    span = range(n)
    assert MATCH2.reference(word, modulus=modulus) == [int(any(hit(i, j) for j in span)) for i in span]
    triple = [int(any(hit(i, j, k) for j, k in product(span, span))) for i in span]
    assert MATCH3.reference(word, modulus=modulus) == triple
    assert BIGRAM.reference(word, modulus=modulus) == [int(any(hit(i, j, j + 1) for j in range(n - 1))) for i in span]
    near = [
        int(any(hit(i, j, k) for j, k in product(span, span) if max(abs(i - j), abs(i - k)) <= reach)) for i in span
    ]
    assert LOCAL.reference(word, modulus=modulus, reach=reach) == near
