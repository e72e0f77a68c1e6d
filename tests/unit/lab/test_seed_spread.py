"""The interval from the least to the most of some runs holds the median as often as it says."""

import random

import pytest

from capax.lab.seed_spread import spread_of


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_the_interval_holds_the_median_as_often_as_it_says(count: int) -> None:
    """Of 4000 draws from a skew distribution whose median is ln 2, up to chance."""
    draws = random.Random(count)
    holds = 0
    for _ in range(4000):
        spread = spread_of([draws.expovariate(1.0) for _ in range(count)])
        holds += spread.least <= 0.6931471805599453 <= spread.most
    assert abs(holds / 4000 - spread.coverage) < 0.03


def test_one_run_has_no_interval() -> None:
    """It is printed as a number alone."""
    assert spread_of([0.5]).render() == "0.5000"
    assert spread_of([0.5, 1.0, 0.75]).render(".2f") == "0.75 (0.50 to 1.00)"
