"""Sorting and numbering of arrays against Python's own."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.rasp.meaning.vector import distinct as module
from capax.rasp.meaning.vector.distinct import distinct, is_sorted, repeated, sortable, stable_order

INTS = st.one_of(
    st.lists(st.integers(-3, 9), max_size=12),
    st.lists(st.integers(-(2**40), 2**40), max_size=12),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=12),
    st.lists(st.sampled_from([0, 65_535, 65_536, 2**32 - 1, 2**32, 2**48 + 1, -1]), max_size=12),
)


@pytest.mark.parametrize("long", [0, 1000])
@pytest.mark.parametrize("table", [True, False])
@given(values=INTS)
def test_distinct_values_and_numbers(values: list[int], table: bool, long: int) -> None:
    """By a table, digit by digit, and by comparison: the values in order, and the number of each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONG", long)
        if not table:
            patch.setattr(module, "table_pays", lambda span, size: False)
        known, numbers = distinct(np.array(values, dtype=np.int64))
    assert known.tolist() == sorted(set(values))
    assert [known[number] for number in numbers] == values


@pytest.mark.parametrize("long", [0, 1000])
@given(values=st.lists(st.integers(0, 2**50) | st.integers(0, 300), max_size=12))
def test_orders_are_stable(values: list[int], long: int) -> None:
    """Equal codes stay in their order, whichever way they are sorted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LONG", long)
        order = stable_order(np.array(values, dtype=np.int64), max(values, default=0) + 1)
    assert order.tolist() == sorted(range(len(values)), key=values.__getitem__)


@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=2))
def test_sortable_floats(pair: list[float]) -> None:
    """Integers compare as the floats do: zeros of both signs are equal, infinities at the ends."""
    a, b = sortable(np.array(pair)).tolist()
    assert (a < b, a == b) == (pair[0] < pair[1], pair[0] == pair[1])


@given(st.lists(st.integers(0, 3), max_size=5))
def test_sorted_lists(values: list[int]) -> None:
    """No value less than the one before."""
    assert is_sorted(np.array(values, dtype=np.int64)) == (values == sorted(values))


@pytest.mark.parametrize("value", [3, 2.5, True, "x"])
def test_repeated_values(value: Any) -> None:
    """The one value, some times, in the type that it has."""
    one = np.array([value], dtype=object if isinstance(value, str) else None)
    many = repeated(one, 4)
    assert (many.tolist(), many.dtype) == ([value] * 4, one.dtype)
