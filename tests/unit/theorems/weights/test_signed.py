"""Least, greatest and size of sums by ReLU units."""

from hypothesis import given
from hypothesis import strategies as st

from capax.theorems.weights.signed import SignedUnits, minus, opposite, plus

NUMBERS = st.lists(st.integers(-20, 20), min_size=1, max_size=6)


def value(terms: dict[str, float], units: SignedUnits, at: dict[str, float]) -> float:
    """The value of a sum, with the units that it reads."""
    known = dict(at)
    for name, reads in units.units.items():
        known[name] = max(0.0, sum(times * (known[source] if source else 1.0) for source, times in reads.items()))
    return sum(times * (known[source] if source else 1.0) for source, times in terms.items())


@given(NUMBERS)
def test_least_greatest_and_size(numbers: list[int]) -> None:
    """Of several numbers, by units that each read units before them."""
    at = {f"x{k}": float(number) for k, number in enumerate(numbers)}
    sums = [{name: 1.0} for name in at]
    units = SignedUnits()
    assert value(units.least(sums), units, at) == min(numbers)
    assert value(units.greatest(sums), units, at) == max(numbers)
    assert value(units.size(sums[0]), units, at) == abs(numbers[0])
    before = len(units.units)
    units.size(sums[0])
    assert len(units.units) == before, "equal sums have one unit"


def test_sums_are_added() -> None:
    """And what cancels is left out."""
    assert plus({"a": 1.0, "": 2.0}, {"a": -1.0, "b": 3.0}) == {"": 2.0, "b": 3.0}
    assert minus({"a": 1.0}, {"a": 1.0}) == {}
    assert opposite({"a": 1.0, "": -2.0}) == {"a": -1.0, "": 2.0}
