"""Equality where few values can be equal, and comparisons with means that are not listed."""

import itertools
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import capax
from capax import aggregate, indices, length, select, selector_width, tokens_asis
from capax.compiler.analysis.value_sets import Finite, finite
from capax.compiler.attention.matched_codes import MatchedCodes
from capax.compiler.check.agreement import compare, meaning
from capax.compiler.domain import domain
from capax.rasp.ir.nodes import Comparison

SAME = select(tokens_asis, tokens_asis, "==")
SO_FAR = select(indices, indices, "<=")
MEAN = aggregate(SAME, indices, -1)
NUMBERS = st.sets(st.integers(-3, 9) | st.sampled_from([0.5, 1 / 3, 2.5, "a"]), min_size=1)


@given(NUMBERS, NUMBERS)
@example({0, 1, 2}, {5})
@example({1}, {1.0})
def test_codes_are_equal_where_values_are_and_rise(keys: set[Any], queries: set[Any]) -> None:
    one, two = finite(keys), finite(queries)
    codes = MatchedCodes(finite(v for v in one.values if v in two), finite([*one.values, *two.values]))
    for key, query in itertools.product(one.values, two.values):
        assert (codes.code(key, of_key=True) == codes.code(query, of_key=False)) is (key == query)
    for side, of_key in ((one, True), (two, False)):
        numbers = [codes.code(v, of_key=of_key) for v in side.values]
        assert numbers == sorted(numbers)
        assert all(abs(n) <= codes.largest and n == int(n) for n in numbers)


@pytest.mark.parametrize("op", get_args(Comparison))
@pytest.mark.parametrize("mean_is_key", [False, True])
@pytest.mark.parametrize("budget", [30, 20_000])
def test_means_beside_positions_and_tokens(op: Comparison, mean_is_key: bool, budget: int) -> None:
    """On all words: with a small budget the means are not listed, and are compared with the listed values."""
    for other, mean, longest in ((indices, MEAN, 6), (tokens_asis, aggregate(SO_FAR, tokens_asis * 7 - 3), 5)):
        chosen = select(mean, other, op) if mean_is_key else select(other, mean, op)
        program = aggregate(chosen, tokens_asis, 9) + selector_width(chosen)
        compiled = capax.compile(program, alphabet=[0, 1, 2], max_length=longest, budget=budget, certify=False)
        words = [w for n in range(1, 6) for w in itertools.product((0, 1, 2), repeat=n)]
        node = meaning(program.node, domain((0, 1, 2), longest))
        assert compare(compiled.model, node, words).wrong is None


@pytest.mark.parametrize("longest", [20, 40])
def test_the_position_that_a_mean_names_is_found_with_few_units(longest: int) -> None:
    """As ranks of all means such a model had 6 million parameters at length 20, and was refused at 40."""
    compiled = capax.compile(
        aggregate(select(indices, MEAN, "=="), tokens_asis), alphabet=[0, 1], max_length=longest, words=40
    )
    assert compiled.certified_length == longest
    assert compiled.size.parameters < 10_000


def test_means_that_are_not_listed_are_compared_by_thresholds() -> None:
    """Each length and number of equal tokens has its own means: 32,000 up to length 40."""
    program = selector_width(select(MEAN, length - indices, "<"))
    compiled = capax.compile(program, alphabet=[0, 1], max_length=40, words=40)
    assert compiled.certified_length == 40
    word = [0, 1, 1, 0, 1]
    assert list(compiled(word)) == list(program(word))


def test_a_side_without_common_values_selects_nothing() -> None:
    codes = MatchedCodes(Finite(()), finite([0, 1, 0.5]))
    assert {codes.code(v, of_key=True) for v in (0, 1)}.isdisjoint({codes.code(0.5, of_key=False)})
