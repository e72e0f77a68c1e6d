"""The search for the greatest certified length: the same answer as trying all, in few trials."""

from hypothesis import given
from hypothesis import strategies as st

from capax.certify.length_search import LengthSearch
from capax.certify.not_certified import NotCertified


def searched(most: int, greatest: int, slope: float | None) -> tuple[LengthSearch, int]:
    """A search where lengths up to the greatest are certified, and how many trials it took."""
    search, trials = LengthSearch(most + 1, next_lengths=[most]), 0
    while (length := search.next()) is not None:
        trials += 1
        margin = None if slope is None else (greatest + 0.5 - length) * slope
        if length <= greatest:
            search.succeeded(length, margin)
        else:
            search.failed(length, NotCertified("too long", margin=margin))
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
    search, trials = LengthSearch(most + 1, next_lengths=[most]), 0
    while (length := search.next()) is not None:
        trials += 1
        margin = max(-2.0, min(0.5, 0.5 * (zero - length) / (zero * (1 - stays))))
        if margin > 0:
            search.succeeded(length, margin)
        else:
            search.failed(length, NotCertified("too near", margin=margin))
    assert search.low == -int(-zero // 1) - 1
    assert trials <= 16


def test_margins_make_it_short() -> None:
    assert searched(1000, 612, 0.01)[1] < searched(1000, 612, None)[1]


def test_every_fourth_guess_is_a_bisection() -> None:
    """And every guess is between what is certified and what is not."""
    search = LengthSearch(101, low=10, margin=0.5, missed=[(100, -4.0)])
    tried = [search.next() for _ in range(8)]
    assert [t for n, t in enumerate(tried, 1) if n % 4 == 0] == [55, 55]
    assert tried[0] == search.crossing() == 20
    assert LengthSearch(3, low=1, margin=0.5, missed=[(2, -4.0)]).next() == 2
    assert LengthSearch(2, low=1).next() is None
    assert LengthSearch(101).next() == 1
    assert LengthSearch(101, low=8).next() == 16
    assert LengthSearch(101, low=80).next() == 90


def test_where_the_margin_vanishes() -> None:
    """On the line through the nearest two lengths whose margins are known; with one, it stays for half of the way."""
    assert LengthSearch(101, missed=[(100, -1.0)]).crossing() == 50
    assert LengthSearch(101, low=40, margin=1.0, missed=[(100, -2.0)]).crossing() == 60
    assert LengthSearch(101, low=40, margin=None, missed=[(100, -2.5)]).crossing() == 50
    assert LengthSearch(101, missed=[(50, -1.0), (100, -6.0)]).crossing() == 40
    assert LengthSearch(30, missed=[(50, -1e-9)]).crossing() == 29


def test_failures() -> None:
    """One without words is no failure while others are to be tried; one with a margin is worth a guess."""
    search = LengthSearch(101, next_lengths=[2, 4])
    search.failed(1, NotCertified("nothing", empty=True))
    assert (search.high, search.next_lengths) == (101, [2, 4])
    search.failed(60, NotCertified("too near", margin=-2.0))
    assert (search.high, search.next_lengths, search.missed) == (60, [], [(60, -2.0)])
    search.failed(30, NotCertified("too near", margin=-1.0))
    assert search.missed == [(30, -1.0), (60, -2.0)]
    search.failed(20, NotCertified("another reason"))
    assert (search.high, search.missed) == (20, [])
    search.failed(10, NotCertified("nothing", empty=True))
    assert search.high == 10


def test_a_rough_search_tries_the_first_lengths_and_then_half_will_do() -> None:
    """Lengths to try first are tried; without any, it ends when no length of twice the certified one is left."""
    assert LengthSearch(6, low=4, next_lengths=[5], rough=True).next() == 5
    assert LengthSearch(6, low=4, rough=True).next() is None
    assert LengthSearch(9, low=4, rough=True).next() == 6
    assert LengthSearch(9, rough=True).next() == 1
