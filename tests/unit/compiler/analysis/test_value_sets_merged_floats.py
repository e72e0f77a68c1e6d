"""One float for results of an operation that differ by rounding only."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, full_s, indices, select, selector_width, tokens_asis
from capax.compiler.analysis.value_sets import stand_ins_of_floats

DIGITS = range(10)
MEAN = aggregate(full_s, tokens_asis)
FRACTIONS = st.fractions(-5, 5, max_denominator=60)


@settings(max_examples=50)
@given(st.lists(st.tuples(FRACTIONS, FRACTIONS), min_size=2, max_size=8))
def test_equal_fractions_have_one_float_and_others_stay_apart(pairs: list[tuple[Fraction, Fraction]]) -> None:
    exact = {float(a) - float(b): a - b for a, b in pairs}
    stand = stand_ins_of_floats(exact)
    by_fraction: dict[Fraction, set[float]] = {}
    for value, fraction in exact.items():
        near = stand.get(value, value)
        assert abs(near - value) <= 2.0**-44
        by_fraction.setdefault(fraction, set()).add(near)
    assert all(len(floats) == 1 for floats in by_fraction.values())
    assert len({f for floats in by_fraction.values() for f in floats}) == len(by_fraction)


def test_numbers_that_are_apart_stay_as_they_are() -> None:
    assert stand_ins_of_floats([2**41, 2**41 + 1, 0.1, 0.2, "a", float("inf")]) == {}
    assert stand_ins_of_floats([0.1 * 3, 0.3, 81.0]) == {0.1 * 3: 0.3}


@pytest.mark.parametrize(
    ("program", "alphabet", "length", "most"),
    [
        (abs(tokens_asis - MEAN), DIGITS, 10, 300),
        (abs(tokens_asis - MEAN) > 2, DIGITS, 30, 150),
        (aggregate(select(tokens_asis, tokens_asis, "!="), indices, -1) - indices, range(3), 12, 1_000),
    ],
)
def test_differences_of_means_are_small_and_certified_whole(
    program: capax.SOp, alphabet: range, length: int, most: int
) -> None:
    compiled = capax.compile(program, alphabet=alphabet, max_length=length)
    assert compiled.size.parameters <= most
    assert compiled.certified_length == length


def test_small_domains_stay_small() -> None:
    product = indices * (aggregate(select(tokens_asis, tokens_asis, "=="), indices) + selector_width(full_s))
    compiled = capax.compile(product, alphabet="ab", max_length=8)
    assert compiled.size.parameters <= 5_000
    assert compiled.certified_length == 8


def test_where_all_floats_can_be_listed_the_last_bit_counts() -> None:
    above = (tokens_asis - MEAN) * 3 == 1  # 4 - 11/3 and 1 - 2/3 are rounded in two ways
    compiled = capax.compile(above, alphabet=DIGITS, max_length=3)
    assert all(compiled(word).values == above(word).values for word in product(DIGITS, repeat=3))


@pytest.mark.deep
def test_the_variance_of_eight_digits_stays_as_small_as_with_all_floats_listed() -> None:
    variance = aggregate(full_s, (tokens_asis - MEAN) * (tokens_asis - MEAN))
    compiled = capax.compile(variance, alphabet=DIGITS, max_length=8)
    assert compiled.size.parameters <= 120_000
    assert compiled.certified_length == 8
