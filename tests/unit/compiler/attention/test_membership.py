"""Disjunctions of equalities with one s-op: without a table where each value has one owner, and right in any case."""

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import SOp, aggregate, indices, select, tokens, where

BITS = 4


def _row(bits: list[SOp], numbers: list[int], off: int, *, swapped: bool) -> SOp:
    """Averages the positions that a row of bits names."""
    named = [where(bit, number, off) for bit, number in zip(bits, numbers, strict=True)]
    parts = [select(name, indices, "==") if swapped else select(indices, name, "==") for name in named]
    chosen = reduce(lambda a, b: a | b, parts)
    return aggregate(chosen, where(tokens == "b", 1, 0), -1)


@settings(max_examples=15, deadline=None)
@given(
    numbers=st.lists(st.integers(0, 5), min_size=3, max_size=BITS),
    off=st.sampled_from([-1, 0, 9]),
    swapped=st.booleans(),
)
def test_rows_of_bits_select_positions(numbers: list[int], off: int, *, swapped: bool) -> None:
    """Numbers may repeat, and that for no position may be one: then it is a table that decides."""
    before = select(indices, indices - 1, "==")
    bits = [tokens == "a", aggregate(before, tokens, "") == "a", tokens != "c", aggregate(before, tokens, "") == "c"]
    program = _row(bits[: len(numbers)], numbers, off, swapped=swapped)
    compiled = capax.compile(program, alphabet="abc", max_length=5, words=20)
    words = ["abcab", "a", "ccccc", "cab", "bbaac"]
    assert [list(answer) for answer in compiled.batch(words)] == [list(answer) for answer in program.batch(words)]
    assert compiled.certified_length == 5


@pytest.mark.parametrize("swapped", [False, True])
def test_twenty_bits_need_no_table(swapped: bool) -> None:
    """A table over their combinations would have a million rows."""
    bits = [aggregate(select(indices, indices - k, "=="), tokens, "") == "a" for k in range(20)]
    program = _row(bits, list(range(20)), 50, swapped=swapped)
    compiled = capax.compile(program, alphabet="ab", max_length=20, words=5, certify=False)
    word = "abbaabababbbabaabbab"
    assert list(compiled(word)) == list(program(word))
