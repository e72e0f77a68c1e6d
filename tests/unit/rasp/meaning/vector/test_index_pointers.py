"""Queries that name a position, against the comparison of every key with every query."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.meaning.vector.batch import make_batch
from capax.rasp.meaning.vector.column import from_values
from capax.rasp.meaning.vector.index import pointed_positions
from capax.rasp.meaning.vector.strings import StringTable

VALUES = st.one_of(
    st.integers(-2, 5), st.booleans(), st.sampled_from([0.0, -0.0, 1.0, 1.5, 2**70, -(2**70), 1e30, float("inf")])
)


@pytest.mark.parametrize("uniform", [False, True])
@given(data=st.data(), lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_positions_that_values_name(data: st.DataObject, lengths: list[int], uniform: bool) -> None:
    """The position of the word that equals the value, if there is one."""
    batch, _ = make_batch(["a" * n for n in lengths])
    count = len(lengths) if uniform else sum(lengths)
    one_type = data.draw(st.sampled_from([VALUES, st.integers(-2, 5), st.sampled_from(["a", "b"])]))
    values: list[Any] = data.draw(st.lists(one_type, min_size=count, max_size=count))
    at, exists = pointed_positions(batch, from_values(values, StringTable()), uniform=uniform)
    words = range(len(lengths)) if uniform else batch.word.tolist()
    founds = [True] * count if exists is None else exists.tolist()
    for value, word, flat, found in zip(values, words, at.tolist(), founds, strict=True):
        keys = [position for position in range(lengths[word]) if position == value]
        assert found == bool(keys)
        assert 0 <= flat < batch.size
        assert not found or flat == batch.offsets[word] + keys[0]


def test_strings_name_no_position() -> None:
    """A string equals no position."""
    batch, _ = make_batch(["ab"])
    _, exists = pointed_positions(batch, from_values(["0", "1"], StringTable()), uniform=False)
    assert not np.any(exists)
