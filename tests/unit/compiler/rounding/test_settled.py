"""Comparisons that bounds leave open: assumed to be free of rounding where no word shows a tie, and never silently."""

from itertools import product

import pytest

import capax
from capax import CapaxError, aggregate, indicator, indices, select, tokens, tokens_asis
from capax.app.commands._check_text import check_lines

SO_FAR = select(indices, indices, "<=")
NESTED = aggregate(SO_FAR, aggregate(SO_FAR, tokens_asis))
SHARES = [aggregate(SO_FAR, indicator(tokens == token)) for token in "ab"]


def test_an_assumption_is_in_the_report():
    """No mean of means of bits is a half; bounds do not know it, and words of up to 20 are too many to go through."""
    compiled = capax.compile(NESTED > 0.5, alphabet=[0, 1], max_length=20, dtype="float64", words=20)
    (assumption,) = compiled.check.assumptions
    assert assumption.startswith("no word makes equal the sides of `")
    assert "> 0.5` but for rounding; none that was tried does" in assumption
    assert f"--  assumed: {assumption}" in check_lines(compiled.check)
    assert compiled.model.provenance.check is not None
    assert assumption in compiled.model.provenance.check["assumptions"]
    assert compiled.certified_length == 13, "the certificate goes through the words, and assumes nothing"
    words = [word for n in (3, 9) for word in product([0, 1], repeat=n)]
    assert [list(a) for a in compiled.batch(words)] == [list((NESTED > 0.5)(list(word))) for word in words]


def test_sides_that_are_the_same_number_may_meet():
    """The shares of two tokens add up to one, exactly: rounding changes nothing, though bounds allow it."""
    compiled = capax.compile(SHARES[0] + SHARES[1] == 1, alphabet="ab", max_length=60, certify=False, words=20)
    assert len(compiled.check.assumptions) == 1
    assert list(compiled("ab" * 30)) == [True] * 60


def test_nothing_is_assumed_where_a_word_shows_a_tie():
    mean = aggregate(SO_FAR, tokens_asis)
    with pytest.raises(CapaxError) as caught:
        capax.compile(mean * (indices + 1) == 1, alphabet=[0, 1], max_length=100)
    assert caught.value.code == "rests-on-rounding"
    assert len(caught.value.data["words"]) == 2
