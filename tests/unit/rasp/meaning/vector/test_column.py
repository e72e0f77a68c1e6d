"""Columns as Python values."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capax.rasp.meaning.vector import column
from capax.rasp.meaning.vector.column import from_values
from capax.rasp.meaning.vector.strings import StringTable


@given(st.lists(st.one_of(st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63)])), min_size=1))
@example([2**63 - 1, -(2**63)] * 20)
@example([2**63 - 1] * 40)
@example([-(2**63)] * 40 + [1 - 2**63])
def test_many_integers_are_the_same_integers(values: list[int]) -> None:
    """Whether or not equal ones share an object; and those of a part."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column, "MANY", 0)
        held = from_values(values, StringTable())
        assert held.values() == values
        assert all(type(value) is int for value in held.values())
        assert held.values(1, 3) == values[1:3]
