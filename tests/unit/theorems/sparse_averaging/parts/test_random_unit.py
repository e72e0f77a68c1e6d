"""Random keys in several number systems."""

import pytest

from capax import theorems
from capax.theorems.sparse_averaging.parts.random_unit import (
    RandomKeys,
    random_unit,
    smallest_m,
    smallest_working_m,
    subsets_for,
)
from capax.theorems.sparse_averaging.parts.reading import TokenReading
from capax.theorems.sparse_averaging.parts.worst_error import measure


@pytest.mark.parametrize(
    ("numbers", "most"),
    [
        ("float64", 0.02),
        ("float32", 0.02),
        ("float16", 0.03),
        ("bfloat16", 0.4),
        ("fixed:16.9", 0.03),
        ("fixed:12.6", 0.2),
    ],
)
def test_number_systems(numbers: str, most: float) -> None:
    """What the unit costs in each number system, at N = 12, q = 3."""
    keys = RandomKeys(12, 3, seed=0, sets=10)
    m = smallest_m(keys) + 4
    model = random_unit(keys, m, dimension=1, error=0.1, numbers=numbers)
    which = subsets_for(keys, m)
    assert which.all
    assert measure(model, TokenReading(12, 3, 1), which.subsets, 0).worst <= most


def test_too_few_bits_fail() -> None:
    """Numbers of six bits do not hold the queries; no m is found, and the smallest with dual vectors is built."""
    assert smallest_working_m(RandomKeys(8, 3, seed=0, sets=10), 0.05, "fixed:6.2") is None
    report = theorems.theorem("q-sparse-random").run(length=8, q=3, error=0.05, dtype="fixed:6.2").check
    assert not report.holds
    assert report.counterexample is not None
