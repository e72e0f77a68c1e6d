"""The means that a certificate goes through are those of the language."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.effort import Effort
from capax.certify.means import are_sums, is_sum, means, unit_of
from capax.certify.refusal import Refusal

numbers = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([0.1, 0.2, 0.1 * 3, 1 / 3, 2 / 3, -0.7, 2.0**40, 2**53, 2**60, 1e-9]),
    st.floats(-4, 4, width=16),
)


def mean(values: tuple[float, ...]) -> float:
    """As the language defines it."""
    whole = all(isinstance(v, int) for v in values)
    return (sum(values) if whole else math.fsum(values)) / len(values)


@given(st.lists(numbers, min_size=1, max_size=4), st.integers(1, 4))
def test_every_mean_is_found(values: list[float], most: int) -> None:
    found = set(means(values, most, Effort(), "x"))
    for count in range(2, most + 1):
        for several in itertools.combinations_with_replacement(values, count):
            assert mean(several) in found


def test_too_many_means_are_refused() -> None:
    with pytest.raises(Refusal, match="too many values"):
        means([2.0**-k for k in range(30)], 40, Effort(), "x")


@given(st.lists(numbers, min_size=1, max_size=4), st.integers(1, 5), st.lists(numbers, min_size=1, max_size=5))
def test_which_numbers_are_means(values: list[float], count: int, others: list[float]) -> None:
    """All at once, or one by one: the same answer, and yes for every mean of so many values."""
    unit = unit_of(values)
    several = [mean(v) for v in itertools.islice(itertools.combinations_with_replacement(values, count), 20)]
    tried = [*several, *others] if count > 1 else [*values, *others]
    whole = are_sums(tried, count, unit)
    assert whole.shape == (count, len(tried))
    found = whole[-1].tolist()
    assert found == [is_sum(v, count, unit) for v in tried]
    assert count == 1 or all(found[: len(several)])
