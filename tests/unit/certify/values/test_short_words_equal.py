"""Means of numbers that are surely equal: of all that they may be, rounded, and of no others."""

from fractions import Fraction

import capax
from capax import aggregate, indices, select, tokens
from capax.certify.certify_budget import WorkBudget
from capax.certify.values.means import means_of_equal
from capax.certify.values.short_words import means_or_listed

SAME = select(tokens, tokens, "==")
TWICE = aggregate(SAME, aggregate(SAME, indices))


def test_every_mean_of_a_program_is_among_them() -> None:
    inner = aggregate(SAME, indices)
    words = ["".join("ab"[k >> i & 1] for i in range(n)) for n in range(1, 8) for k in range(2**n)]
    inputs = sorted({v for word in words for v in inner(word)})
    listed = set(means_or_listed(TWICE.node, inputs, 7, "ab", 7, WorkBudget()))
    assert {v for word in words for v in TWICE(word)} <= listed
    assert all(min(abs(v - other) for other in inputs) < 1e-15 for v in listed)


def test_rounded_sums_divided() -> None:
    assert set(means_of_equal([0.1, 2], 4, WorkBudget())) == {0.1, float(Fraction(0.1) * 3) / 3, 2.0}


def test_a_mean_of_equal_means_is_certified_whole() -> None:
    compiled = capax.compile(TWICE, alphabet="abc", max_length=12, words=10)
    assert compiled.certified_length == 12


def test_a_multiple_of_the_position_is_a_position() -> None:
    """`1 * indices` selects itself, so that no default is needed."""
    program = aggregate(select(indices, capax.indicator(indices < capax.length) * indices, "=="), tokens)
    assert capax.compile(program, alphabet="ab", max_length=9, words=10).certified_length == 9
