"""Widths of disjunctions: one table where it is small, the counts of disjoint parts where it would be large."""

import pytest

from capax import compile, indices, library, select, selector_width, tokens_int
from capax.compiler.attention import plan_heads as heads

BEFORE = select(tokens_int, tokens_int, "<") | (select(tokens_int, tokens_int, "==") & select(indices, indices, "<"))
RANK = selector_width(BEFORE)


def test_many_kinds_of_keys_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 40 kinds of keys there are two heads, and fewer parameters than with one table; answers are the same."""
    parts = compile(RANK, alphabet=range(4), max_length=10, certify=False, words=20)
    few = compile(RANK, alphabet=range(2), max_length=3, certify=False, words=20)
    assert [len(b.heads) for b in parts.model.blocks] == [2]
    assert [len(b.heads) for b in few.model.blocks] == [1]
    monkeypatch.setattr(heads, "FEW_CELLS", 10**6)
    whole = compile(RANK, alphabet=range(4), max_length=10, certify=False, words=20)
    assert [len(b.heads) for b in whole.model.blocks] == [1]
    assert parts.model.size.parameters < whole.model.size.parameters
    for word in ([3, 1, 1, 0, 2], [0] * 10, [1, 0]):
        assert list(parts(word)) == list(whole(word)) == list(RANK(word))


def test_an_order_of_counts_is_small_and_certified() -> None:
    """Three heads that count by digits, and no more first tokens than there are tokens."""
    compiled = compile(library.sort_by_most_freq, alphabet="§abcdefg", max_length=64)
    assert compiled.size.parameters <= 12_000
    assert compiled.certified_length == 64


@pytest.mark.parametrize("longest", [11, 12, 13])
def test_counts_by_digits_are_those_of_the_program(longest: int) -> None:
    """Where orders of counts begin to go by digits."""
    often = selector_width(select(tokens_int, tokens_int, "=="))
    program = selector_width(select(often, often, "<") | (select(often, often, "==") & select(indices, indices, "<")))
    compiled = compile(program, alphabet=range(3), max_length=longest)
    assert compiled.certified_length == longest
    for word in ([0] * longest, [0, 1, 2, 2, 1, 1], [2, 2, 0, 0, 1, 0, 1, 1, 1, 1, 1], [1]):
        assert list(compiled(word)) == list(program(word))
