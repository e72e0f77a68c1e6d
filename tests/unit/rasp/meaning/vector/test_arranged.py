"""Words in the order of their values, against Python's sort."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.meaning.vector import arranged, index
from capax.rasp.meaning.vector.arranged import Arranged
from capax.rasp.meaning.vector.batch import make_batch
from capax.rasp.meaning.vector.codes import pair_codes
from capax.rasp.meaning.vector.column import from_values
from capax.rasp.meaning.vector.strings import StringTable

VALUES = [
    st.sampled_from("abc"),
    st.sampled_from(["a", "ab", "", "b", "§", "\U0001f600"]),
    st.integers(-3, 3),
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.sampled_from([0.0, -0.0, 1.5, -2.0]),
    st.sampled_from([0.0, 1, True, -0.0, False, 2]),
]


@pytest.mark.parametrize("tables", [False, True])
@pytest.mark.parametrize("values", VALUES)
@given(data=st.data(), lengths=st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_words_in_order(data: st.DataObject, values: Any, lengths: list[int], tables: bool) -> None:
    """Values and their types, word after word, equal ones as they were; and the same order for other values."""
    words = [data.draw(st.lists(values, min_size=n, max_size=n)) for n in lengths]
    batch, _ = make_batch(["a" * n for n in lengths])
    column = from_values([value for word in words for value in word], StringTable())
    codes = pair_codes(column, column, ordered=True)
    assert codes is not None
    chosen = Arranged(batch, column, lambda: codes[0])
    order = [sorted(range(len(word)), key=word.__getitem__) for word in words]
    with pytest.MonkeyPatch.context() as patch:
        for module in (arranged, index):
            patch.setattr(module, "table_pays", lambda span, size: tables and span < 1000)
        expected = [word[i] for word, places in zip(words, order, strict=True) for i in places]
        assert list(map(repr, chosen.picked(column).values())) == list(map(repr, expected))
        starts = batch.offsets.tolist()
        places = [start + i for start, each in zip(starts, order, strict=False) for i in each]
        assert chosen.single().tolist() == places
        other = from_values(list(range(batch.size)), column.vocabulary)
        assert chosen.picked(other).values() == places
        assert chosen.sums(other.data).tolist() == places
        assert chosen.counts().tolist() == [1] * batch.size
