"""Sums of many numbers: small models, certified whole, equal to the interpreter on all short words and long ones."""

import random
from itertools import product
from typing import Any

import pytest

import capax
from capax import SOp, aggregate, full_s, indices, length, select, tokens, tokens_asis, tokens_int, where

HUNDRED = list(range(100))
DIGITS = "0123456789"
SO_FAR = select(indices, indices, "<=")


def summed(x: SOp) -> SOp:
    """The sum over the word."""
    return round(length * aggregate(full_s, x))


def roman() -> SOp:
    """The value of a Roman number: a numeral before a greater one is taken away."""
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    value = where(tokens == "I", 1, 1000)
    for numeral, worth in values.items():
        value = where(tokens == numeral, worth, value)
    following = aggregate(select(indices, indices + 1, "=="), value, 0)
    return summed(where(value < following, -value, value))


CHECKSUM = summed(where(indices % 2 == 0, tokens_int, 3 * tokens_int)) % 10 == 0
ROWS: dict[str, tuple[SOp, Any, int, int]] = {
    "sum": (length * aggregate(full_s, tokens_asis), HUNDRED, 50, 1_700),
    "running sum": ((indices + 1) * aggregate(SO_FAR, tokens_asis), HUNDRED, 50, 2_000),
    "rounded running sum": (round((indices + 1) * aggregate(SO_FAR, tokens_asis)), HUNDRED, 50, 1_500),
    "sum % 7": (summed(tokens_asis) % 7, HUNDRED, 50, 2_000),
    "digits % 10": (summed(tokens_int) % 10, DIGITS, 100, 2_000),
    "roman": (roman(), "IVXLCDM", 15, 1_000),
    "checksum": (CHECKSUM, DIGITS, 13, 900),
    "weighted sum": (summed(tokens_int * (indices + 1)), DIGITS, 60, 1_500),
    "weighted sum % 97": (summed(tokens_int * (indices + 1)) % 97, DIGITS, 20, 4_000),
    "two sums": (summed(tokens_int) - summed(where(tokens_int > 4, tokens_int, 0)), DIGITS, 20, 4_000),
}


@pytest.mark.parametrize("name", ROWS)
def test_sums_are_small_and_certified_whole(name: str) -> None:
    program, alphabet, longest, most = ROWS[name]
    compiled = capax.compile(program, alphabet=alphabet, max_length=longest, words=20)
    assert compiled.size.parameters <= most
    assert compiled.certified_length == longest
    source, tokens_of = random.Random(1), list(alphabet)
    words = [[source.choice(tokens_of) for _ in range(source.randint(1, longest))] for _ in range(40)]
    for word in [[tokens_of[-1]] * longest, [tokens_of[0]] * longest, *words]:
        assert list(compiled(word)) == pytest.approx(list(program(word)), rel=2.0**-40)


@pytest.mark.parametrize("name", ["sum % 7", "rounded running sum", "roman", "checksum", "weighted sum % 97"])
def test_all_short_words(name: str) -> None:
    program, alphabet, _, _ = ROWS[name]
    compiled = capax.compile(program, alphabet=alphabet, max_length=30, words=5, certify=False)
    few = random.Random(2).sample(list(alphabet), 4)
    for word in (list(w) for size in range(1, 5) for w in product(few, repeat=size)):
        assert list(compiled(word)) == list(program(word)), word


def test_a_sum_of_many_numbers_is_restored_before_a_factor_makes_its_noise_larger() -> None:
    """Half a million is told from the next number where the sum itself is, and not where its noise is."""
    program = 1000 * summed(tokens_int) + summed(tokens_int * tokens_int)
    compiled = capax.compile(program, alphabet=DIGITS, max_length=60, words=100, certify=False)
    word = "98" * 30
    assert compiled(word) == program(word)


def test_rounding_of_an_integer_takes_no_units() -> None:
    plain, rounded = (
        capax.compile(p, alphabet=HUNDRED, max_length=20, certify=False, words=5).size.parameters
        for p in (length * aggregate(full_s, tokens_asis), summed(tokens_asis))
    )
    assert rounded <= plain


def test_integers_beyond_the_budget_are_rounded() -> None:
    """A sum from an interval of more than 20,000 integers, as an answer."""
    program = summed(where(tokens == "M", 1000, where(tokens == "n", -999, 1)))
    compiled = capax.compile(program, alphabet="MnI", max_length=25, words=60)
    assert compiled.certified_length == 25
    assert compiled("M" * 25)[0] == 25_000
