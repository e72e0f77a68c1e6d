"""Means over all places so far, by place and sum: the means of the language, and no others."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.certify_budget import WorkBudget
from capax.certify.values.prefix_means import prefix_means
from capax.rasp.analysis.split_sums import SumRange
from tests.support.outcomes import count_outcome, least_share


@least_share("sums", 0.5)
@given(st.lists(st.one_of(st.integers(-3, 3), st.sampled_from([0.1, 0.5, 1 / 3])), min_size=1, max_size=3, unique=True))
def test_the_means_at_each_place(numbers: list[float]) -> None:
    longest = 5
    found = prefix_means(numbers, longest, WorkBudget(), "x")
    count_outcome("no shorter list" if found is None else "sums")
    if found is None:
        return
    for place in range(longest):
        mine = {found.values[k] for k in found.index[place].tolist() if k >= 0}
        several = itertools.combinations_with_replacement(numbers, place + 1)
        assert mine == {math.fsum(v) / (place + 1) for v in several}


def test_sums_are_fewer_than_means() -> None:
    found = prefix_means([0, 1], 16, WorkBudget(), "x")
    assert found is not None
    assert found.index.shape == (16, 17)
    assert len(found.values) == 81


@pytest.mark.parametrize("numbers", [["a", 1], [True, False], [math.inf, 1], [0, 2**53]])
def test_other_values_keep_their_means_as_an_axis(numbers: list[float]) -> None:
    assert prefix_means(numbers, 8, WorkBudget(), "x") is None


@pytest.mark.parametrize("counts", [(1, 2, 3), (0, 1, 2, 3), (0, 2)])
@pytest.mark.parametrize("default", [0, 7])
def test_rows_for_some_numbers_of_keys(counts: tuple[int, ...], default: int) -> None:
    """Of no keys the mean is the default."""
    found = prefix_means([0, 1, 4], 5, WorkBudget(), "x")
    assert found is not None
    some = found.by_count(counts, default)
    for row, count in enumerate(counts):
        mine = {some.values[k] for k in some.index[row].tolist() if k >= 0}
        several = itertools.combinations_with_replacement([0, 1, 4], count)
        assert mine == ({math.fsum(v) / count for v in several} if count else {default})


def test_sums_out_of_range_are_left_out() -> None:
    ranges = {1: SumRange(0, 2), 2: SumRange(1, 3), 4: SumRange(7, 9)}
    found = prefix_means([0, 1, 2], 4, WorkBudget(), "x", ranges)
    assert found is not None
    rows = [[found.values[k] for k in row if k >= 0] for row in found.index.tolist()]
    assert rows == [[0, 1, 2], [0.5, 1, 1.5], [], [1.75, 2]]
