"""Products and quotients: small, right at every pair of values, and certified where fractions are near each other."""

from typing import Any

import pytest

import capax
from capax import indices, length, select, selector_width, tokens
from capax.compiler.encode.relu import MANY_STEPS

A, SAME = select(tokens, "a", "=="), select(tokens, tokens, "==")
a, others = selector_width(A), selector_width(~A)
ROWS: list[tuple[Any, int, int]] = [
    ((indices + 1) / length, 60, 2_000),
    (selector_width(SAME) / length, 60, 4_000),
    (a / (others + 1), 60, 2_500),
    (a / (others + 1), 150, 6_000),
    (a / (others + 1) > 0.5, 150, 7_000),
    (selector_width(SAME) / (indices + 1), 40, 4_500),
    (a * others, 60, 5_000),
    (a * length, 60, 4_000),
    ((indices - length) * a, 40, 6_000),
]


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_small_and_certified_whole(number: int) -> None:
    program, longest, most = ROWS[number]
    assert longest > MANY_STEPS  # two digits are looked at
    compiled = capax.compile(program, alphabet="ab", max_length=longest, words=10)
    assert compiled.certified_length == longest
    assert compiled.size.parameters <= most


@pytest.mark.parametrize("number", range(len(ROWS)))
@pytest.mark.parametrize("longest", [3, 26])
def test_right_on_words_with_every_count(number: int, longest: int) -> None:
    program = ROWS[number][0]
    compiled = capax.compile(program, alphabet="ab", max_length=longest, words=5, certify=False)
    for size in range(1, longest + 1):
        for count in range(size + 1):
            word = "a" * count + "b" * (size - count)
            assert compiled(word) == pytest.approx(program(word)), word


def test_a_dividend_with_few_values_is_looked_up_in_a_table() -> None:
    """A unit for each of two tokens, and none for each of sixty lengths."""
    program = capax.where(tokens == "a", 1, 3) / length
    compiled = capax.compile(program, alphabet="ab", max_length=60, words=10)
    assert compiled.certified_length == 60
    assert compiled.size.parameters <= 1_500


def test_a_quotient_of_counts_beyond_128_is_told_apart_by_its_size() -> None:
    """Fractions of large counts are near each other where they are small, and large ones far apart."""
    program = a / others
    compiled = capax.compile(program, alphabet="ab", max_length=140, words=10)
    assert compiled.certified_length == 140
    assert compiled.size.parameters <= 13_000
    for count in (0, 1, 69, 70, 138, 139):
        word = "a" * count + "b" * (140 - count)
        assert compiled(word) == pytest.approx(program(word)), word
