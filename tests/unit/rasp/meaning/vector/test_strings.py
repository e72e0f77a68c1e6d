"""The codes of strings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.meaning.vector.strings import StringTable

TEXTS = st.one_of(
    st.lists(st.text("ab§\U0001f600\ud800", max_size=3), min_size=1, max_size=20),
    st.lists(st.characters(exclude_categories=()), min_size=1, max_size=20),
)


@given(TEXTS)
def test_codes_stand_for_their_strings(texts: list[str]) -> None:
    """There and back, equal codes for equal strings, empty ones told apart."""
    table = StringTable()
    codes = table.codes(texts)
    assert table.texts(codes) == texts
    assert [table.text(code) for code in codes.tolist()] == texts
    assert len(set(codes.tolist())) == len(set(texts))
    assert table.truths(codes).tolist() == [bool(text) for text in texts]


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=20))
def test_a_string_is_its_characters(text: str) -> None:
    """Characters of every plane, and halves of surrogate pairs."""
    table = StringTable()
    assert table.codes(text).tolist() == table.codes(list(text)).tolist()
    assert table.texts(table.codes(text)) == list(text)


@given(TEXTS, TEXTS)
def test_ranks_are_in_the_order_of_the_strings(left: list[str], right: list[str]) -> None:
    """Across several arrays."""
    table = StringTable()
    ranks = np.concatenate(table.ranks(table.codes(left), table.codes(right))).tolist()
    texts = [*left, *right]
    assert [[a < b for b in ranks] for a in ranks] == [[a < b for b in texts] for a in texts]
