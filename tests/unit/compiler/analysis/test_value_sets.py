"""Which values an s-op can have: orders, units, means, distances."""

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.compiler.analysis.value_sets import (
    Finite,
    Interval,
    ValueSet,
    bounds,
    common_unit,
    finite,
    is_integer,
    least_difference,
    means,
    rational,
    sum_of_ranges,
    unit_of,
)
from capax.rasp.ir.nodes import Aggregate, Const, Input, Select
from capax.rasp.meaning import reference

NUMBERS: st.SearchStrategy[Any] = st.one_of(
    st.integers(-9, 9), st.sampled_from([0.5, -0.25, 0.1, 1 / 3, 2.0, -0.0]), st.booleans()
)
ATOMS = NUMBERS | st.sampled_from(["", "a", "b", "ab", "1"])
FULL = Select(Const(1), Const(1), "==")


@given(st.lists(ATOMS, min_size=1, max_size=8))
def test_finite(values: list[Any]) -> None:
    """Each value once, numbers in order before strings in order, and every given value has a place."""
    found = finite(values)
    assert set(found.values) == set(values)
    assert len(found) == len(set(values))
    numbers = [v for v in found.values if not isinstance(v, str)]
    strings = [v for v in found.values if isinstance(v, str)]
    assert found.values == (*sorted(numbers), *sorted(strings))
    assert all(found.values[found.rank(v)] == v and v in found for v in values)
    assert "absent" not in found
    assert found.numeric == (not strings)
    assert found.integral == all(is_integer(v) for v in values)


def test_floats_stand_for_equal_numbers() -> None:
    """Of equal numbers a float is kept, whichever comes first."""
    assert [type(v) for v in finite([1, True, 1.0]).values] == [float]
    assert [type(v) for v in finite([True, 1]).values] == [bool]
    assert not finite([float("inf")]).numeric


@given(st.fractions(max_denominator=50), st.fractions(max_denominator=50))
def test_common_unit(one: Fraction, two: Fraction) -> None:
    """Both are whole multiples of it, and of no larger one: the multiples have no common factor."""
    unit = common_unit(one, two)
    if one or two:
        a, b = one / unit, two / unit
        assert a.denominator == b.denominator == 1
        assert math.gcd(a.numerator, b.numerator) == 1
    else:
        assert unit == 0


@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_unit_and_bounds(values: list[Any]) -> None:
    """All values are multiples of the unit and lie between the bounds."""
    found = finite(values)
    unit, (low, high) = unit_of(found), bounds(found)
    assert all((rational(v) / unit).denominator == 1 and low <= v <= high for v in values)
    assert all(abs(rational(v) - Fraction(v)) <= abs(Fraction(v)) / 2**48 for v in values)


@settings(max_examples=60)
@given(st.lists(NUMBERS, min_size=1, max_size=3), st.integers(1, 4))
@example([1 / 3, 4 / 3, 7 / 3], 4)
@example([0, 1], 4)
def test_means(values: list[Any], most: int) -> None:
    """Every mean that the interpreter gives is in the set, or a rounding error away from one that is."""
    found = means(finite(values), most, 20_000)
    assert isinstance(found, Finite)
    numbers = [float(v) for v in found.values]
    for count in range(1, most + 1):
        for word in itertools.combinations_with_replacement([v * 1.0 for v in values], count):
            mean = reference.evaluate(Aggregate(FULL, Input("asis"), 0), word)[0]
            assert min(abs(mean - x) for x in numbers) <= 2**-40 * max(abs(mean), 1e-9)
    gaps = [b - a for a, b in itertools.pairwise(numbers)]
    assert all(gap > 2**-42 * max(map(abs, numbers)) for gap in gaps)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=3), st.integers(2, 5))
def test_many_means(values: list[int], most: int) -> None:
    """Where they are too many, an interval has them, with their unit, and a gap that holds."""
    found = means(finite(values), most, 0)
    assert isinstance(found, Interval)
    seen = set()
    for count in range(1, most + 1):
        for word in itertools.combinations_with_replacement(values, count):
            mean = Fraction(sum(word), count)
            seen.add(mean)
            assert found.low <= mean <= found.high
            assert any((mean * m / found.unit).denominator == 1 for m in range(1, found.most + 1))
    assert all(b - a >= found.gap for a, b in itertools.pairwise(sorted(seen)))
    assert all(abs(v) >= found.from_zero for v in seen if v)


@given(st.lists(NUMBERS, min_size=1, max_size=4), st.lists(NUMBERS, min_size=1, max_size=4))
def test_least_difference(one: list[Any], two: list[Any]) -> None:
    """No two different values are nearer."""
    least = least_difference(finite(one), finite(two))
    assert least > 0
    assert all(abs(Fraction(a) - Fraction(b)) >= least for a in one for b in two if a != b)


@given(st.integers(-20, 20), st.integers(0, 12), st.integers(-20, 20), st.integers(0, 12), st.sampled_from("+-"))
def test_sums_and_differences_of_ranges(low: int, more: int, other: int, others: int, op: str) -> None:
    """All integers between two: so are the sums, and none is left out."""
    one, two = (range(start, start + size + 1) for start, size in ((low, more), (other, others)))
    result = sum_of_ranges(op, [Finite(tuple(one)), Finite(tuple(two))])
    assert result is not None
    assert list(result.values) == sorted({a + b if op == "+" else a - b for a in one for b in two})
    assert all(type(value) is int for value in result.values)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(Finite((0, 1, 3)), id="a gap"),
        pytest.param(Finite((0.0, 1.0)), id="floats"),
        pytest.param(Finite((0, 0.5, 1)), id="integers and floats"),
        pytest.param(Finite((False, True)), id="booleans"),
        pytest.param(Finite(("a", "b")), id="strings"),
        pytest.param(Finite(()), id="no value"),
        pytest.param(Interval(Fraction(0), Fraction(1), Fraction(1), 3), id="fractions"),
    ],
)
def test_what_is_no_range_of_integers_has_no_such_sum(values: ValueSet) -> None:
    whole = Finite((0, 1, 2))
    assert sum_of_ranges("+", [values, whole]) is None
    assert sum_of_ranges("-", [whole, values]) is None
