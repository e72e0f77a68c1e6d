"""Errors that the values do not exclude: each is looked for by itself."""

import capax
from capax import aggregate, indices, length, select, selector_width, tokens


def test_an_error_that_happens_does_not_stand_for_another() -> None:
    """Both quotients may have a divisor of zero as far as the values tell; only one ever has."""
    even = selector_width(select(tokens, tokens, "==")) + indices
    other = aggregate(select(indices, indices, "=="), even) - length - 3
    program = 10 / (indices - 2) + 1 / other
    found = {e.where: e for e in capax.compile(program, alphabet="ab", max_length=4, certify=False).errors}
    happens = found["10 / (indices - 2)"]
    assert happens.word == ("a", "a", "a")
    (rest,) = [e for where, e in found.items() if where != "10 / (indices - 2)"]
    word = rest.word
    assert rest.code == "division-by-zero"
    assert (rest.to_json()["outcome"] == "happens") is (word is not None)
    assert word is None or 0 in other(word)


def test_a_witness_has_the_error() -> None:
    program = aggregate(select(tokens, tokens, "=="), tokens)
    (error,) = capax.compile(program, alphabet="ab", max_length=5, certify=False).errors
    assert error.to_json()["outcome"] == "happens"
    assert error.word == ("a", "a")
