"""The search for the greatest certified length: the same answer as trying all, in few trials."""

from hypothesis import given
from hypothesis import strategies as st

from capax.certify.refusal import Refusal
from capax.certify.search import Search


def searched(most: int, greatest: int, slope: float | None) -> tuple[Search, int]:
    """A search where lengths up to the greatest are certified, and how many trials it took."""
    search, trials = Search(most + 1, tried=[most]), 0
    while (length := search.next()) is not None:
        trials += 1
        margin = None if slope is None else (greatest + 0.5 - length) * slope
        if length <= greatest:
            search.succeeded(length, margin)
        else:
            search.failed(length, Refusal("too long", margin=margin))
    return search, trials


@given(st.integers(1, 300), st.integers(0, 300), st.sampled_from([None, 0.01, 0.3]))
def test_it_finds_the_greatest_length(most: int, greatest: int, slope: float | None) -> None:
    search, trials = searched(most, min(greatest, most), slope)
    assert search.low == min(greatest, most)
    assert trials <= 30


@given(st.integers(20, 2000), st.floats(0.02, 0.9), st.floats(0.3, 0.8))
def test_a_margin_that_stays_and_then_falls(most: int, part: float, stays: float) -> None:
    """0.5 for some part of the way, then a line through zero, down to -2."""
    zero = most * part
    search, trials = Search(most + 1, tried=[most]), 0
    while (length := search.next()) is not None:
        trials += 1
        margin = max(-2.0, min(0.5, 0.5 * (zero - length) / (zero * (1 - stays))))
        if margin > 0:
            search.succeeded(length, margin)
        else:
            search.failed(length, Refusal("too near", margin=margin))
    assert search.low == -int(-zero // 1) - 1
    assert trials <= 16


def test_margins_make_it_short() -> None:
    assert searched(1000, 612, 0.01)[1] < searched(1000, 612, None)[1]
