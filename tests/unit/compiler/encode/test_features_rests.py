"""What divisions leave of a noisy sum: taken as it is by an answer, and restored before anything else reads it."""

from itertools import product

import pytest

import capax
from capax import SOp, aggregate, full_s, indices, length, select, selector_width, tokens, tokens_int

TOTAL = round(length * aggregate(full_s, tokens_int * (indices + 1)))
EQUAL = selector_width(select(tokens, tokens, "=="))


@pytest.mark.parametrize(
    "program",
    [
        TOTAL % 97,
        TOTAL % 97 >= EQUAL,
        TOTAL % 97 + EQUAL,
        (TOTAL % 37) * EQUAL,
        selector_width(select(tokens_int, TOTAL % 29, "<")),
        aggregate(select(indices, TOTAL % 31, "=="), tokens, "-"),
    ],
)
def test_rests_of_sums(program: SOp) -> None:
    compiled = capax.compile(program, alphabet="0359", max_length=20, words=60, certify=False)
    for word in ("".join(w) for size in (1, 2, 4) for w in product("059", repeat=size)):
        assert compiled(word) == program(word), word
    assert compiled("9" * 20) == program("9" * 20)


@pytest.mark.parametrize("program", [TOTAL % 97 >= EQUAL, selector_width(select(tokens_int, TOTAL % 29, "<"))])
def test_what_reads_rests_is_certified_whole(program: SOp) -> None:
    assert capax.compile(program, alphabet="0359", max_length=20, words=10).certified_length == 20


@pytest.mark.parametrize("program", [TOTAL // 10, TOTAL // 3 % 10, TOTAL - TOTAL % 7])
def test_what_rises_with_every_period_takes_few_units(program: SOp) -> None:
    compiled = capax.compile(program, alphabet="0123456789", max_length=20, words=60)
    assert compiled.size.parameters <= 4_000
    assert compiled.certified_length == 20
    for word in ("90" * 10, "1", "57", "998", "1234567890"):
        assert compiled(word) == program(word), word


def test_sums_that_no_word_has_are_not_rounded() -> None:
    """No sum of 0s, 9s and 16s is 21: whether 21 comes in two roundings does not matter."""
    program = length * aggregate(full_s, tokens_int * tokens_int) > 21
    compiled = capax.compile(program, alphabet=["-3", "0", "4"], max_length=20, words=60)
    assert compiled.size.parameters <= 500
    assert compiled.certified_length == 20
