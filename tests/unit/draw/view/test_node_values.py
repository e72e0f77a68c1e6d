"""Values and cells of selectors where there is no numpy."""

import pytest

from capax import CapaxError, aggregate, indices, select, tokens
from capax.draw.view import node_values
from capax.draw.view.flow import flow

PREVIOUS = aggregate(select(indices, indices - 1, "=="), tokens, "-")


def test_without_arrays_pictures_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    word = "abcde" * 10
    with_arrays = flow(PREVIOUS, word)
    monkeypatch.setattr(node_values, "has_arrays", lambda: False)
    assert flow(PREVIOUS, word) == with_arrays


def test_without_arrays_a_long_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_values, "has_arrays", lambda: False)
    with pytest.raises(CapaxError, match="pictures of more than 300 tokens need numpy"):
        flow(PREVIOUS, "a" * 301)
