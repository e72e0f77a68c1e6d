"""MAJORITY on long words."""

import pytest

from capax import theorems
from capax.model.model import Model


@pytest.mark.deep
@pytest.mark.parametrize("length", [10_000, 30_000])
def test_long_words_of_counting_languages(length: int) -> None:
    """Words on the edge: one vote, one bracket."""
    ones = length // 2 + 1
    word = ["1"] * ones + ["0"] * (length - ones)
    model: Model = theorems.theorem("majority").build(attention="softmax", length=length, dtype="float32")
    assert model(word)[-1] is True
    assert model(["0", *word[1:]])[-1] is False
