"""The addition of two numbers in one string, against Python's."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import capax
from tests.unit.rasp.library.cases import value


def adds(left: str, right: str) -> bool:
    """Whether the sum stands at the right end, with blanks before it."""
    word = f"{left}+{right}"
    total = str(int(left or "0") + int(right or "0"))
    return bool(value("addition")(word) == list(total.rjust(len(word))))


def test_small_pairs() -> None:
    for numbers in (range(50), range(85, 121)):
        for a, b in itertools.product(numbers, repeat=2):
            assert adds(str(a), str(b)), (a, b)


@pytest.mark.deep
def test_all_pairs_up_to_120() -> None:
    for a, b in itertools.product(range(121), repeat=2):
        assert adds(str(a), str(b)), (a, b)


numbers = st.integers(0, 10**30).map(str) | st.text("0123456789", min_size=1, max_size=12)
nearly_all_nines = st.text("99990", min_size=1, max_size=20)


@given(numbers, numbers)
@example("999", "1")
@example("1", "999")
@example("9" * 30, "1")
@example("1", "9" * 30)
@example("5", "5")
@example("0", "0")
@example("000", "00")
@example("007", "0003")
@example("", "12")
@example("12", "")
def test_numbers_of_different_lengths(left: str, right: str) -> None:
    assert adds(left, right)


@given(nearly_all_nines, nearly_all_nines)
def test_long_carries(left: str, right: str) -> None:
    assert adds(left, right)


@pytest.mark.parametrize("longest", [16, 32])
def test_addition_is_small_and_certified(longest: int) -> None:
    """Its weights are proved right at the whole length."""
    compiled = capax.compile(capax.library.addition, alphabet="0123456789+", max_length=longest)
    assert compiled.certified_length == longest
    assert compiled.size.parameters < 4000
