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
