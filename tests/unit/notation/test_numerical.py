"""Predicates of positions: what they mean, that they print as they read, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.positions import is_predicate, position_function, uses_length
from capax.notation.numerical import is_power, is_prime, parse_predicate

NUMBERS = st.recursive(
    st.sampled_from(["i", "n", "0", "1", "7"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner),
        st.builds("{} // 3".format, inner),
        st.builds("min({}, {})".format, inner, inner),
        st.builds("abs(-{})".format, inner),
    ),
    max_leaves=5,
)
TRUTHS = st.recursive(
    st.one_of(
        st.builds("{} {} {}".format, NUMBERS, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), NUMBERS),
        st.builds("isprime({})".format, NUMBERS),
        st.builds("{} in [1, 4, 9]".format, NUMBERS),
    ),
    lambda inner: st.one_of(
        st.builds("({}) and ({})".format, inner, inner),
        st.builds("({}) or ({})".format, inner, inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=3,
)


def as_python(text: str, i: int, n: int) -> bool:
    """The value that Python gives to the same text."""
    python = text.replace("!=", "<>").replace("<=", "≤").replace(">=", "≥").replace("=", "==")
    python = python.replace("<>", "!=").replace("≤", "<=").replace("≥", ">=")
    known = {"i": i, "n": n, "isprime": is_prime, "min": min, "abs": abs}
    return bool(eval(python, {"__builtins__": {}}, known))


@given(TRUTHS, st.integers(0, 12), st.integers(1, 13))
def test_a_predicate_is_what_python_makes_of_it(text: str, i: int, n: int) -> None:
    """And its canonical text is read as the same predicate."""
    predicate = parse_predicate(text)
    assert predicate.holds(i, n) == as_python(text, i, n)
    assert parse_predicate(predicate.text) == predicate
    assert predicate.uses_length == bool(re.search(r"\bn\b", text))


def test_primes_and_powers_are_those_of_the_definition() -> None:
    """On small numbers by trial, and on large ones that are known."""
    assert [x for x in range(-3, 60) if is_prime(x)] == [x for x in range(2, 60) if all(x % d for d in range(2, x))]
    assert is_prime(2**61 - 1)
    assert not is_prime((2**31 - 1) * (2**19 - 1))
    assert [x for x in range(100) if is_power(x, 3)] == [1, 3, 9, 27, 81]
    with pytest.raises(CapaxError, match="digits"):
        is_prime(10**30)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i", "this is a number"),
        ("i + ", "ends too early"),
        ("(i < n) + 1 = 2", "between numbers"),
        ("i = (i < 2)", "truth values are not compared"),
        ("not i", "before what is true or false"),
        ("1 < 2 and 3", "joins what is true or false"),
        ("isprime(i, 2)", "has 1 argument"),
        ("foo(i) = 1", "'foo' is unknown"),
        ("i @ 2 = 1", "not a sign"),
        ("9999999999999 < i", "is unknown"),
        ("i = 1 i", "cannot stand here"),
        ("(" * 70 + "i" + ")" * 70 + " = 1", "inside each other"),
        ("i = " + "1 + " * 600 + "1", "at most 2,000 characters"),
        ("i in [1", "cannot stand here|ends too early"),
    ],
)
def test_what_is_no_predicate_is_refused(text: str, message: str) -> None:
    """With its place."""
    with pytest.raises(CapaxError, match=message):
        parse_predicate(text)


def test_a_division_by_zero_names_the_position() -> None:
    """Where a predicate has no value."""
    with pytest.raises(CapaxError, match="divides by 0 at position i = 2 of words of length 4"):
        parse_predicate("1 // (2 - i) = 1 and i < n").row(4)


def test_a_predicate_is_a_position_function() -> None:
    """In brackets; one that cannot be read is refused with the reason."""
    assert position_function("[isprime(i + 1)]")(np.arange(5.0), 5).tolist() == [0, 1, 1, 0, 1]
    assert position_function("[2 * i < n]")(np.arange(1.0, 4.0), 4).tolist() == [1, 0, 0]
    assert [uses_length(name) for name in ("[2*i < n]", "[min(i, 3) = 1]", "i/n", "sin(i*0.5)")] == [1, 0, 1, 0]
    assert [is_predicate(name) for name in ("[i%3=1]", "[i=0]", "[isprime(i)]", "i")] == [0, 0, 1, 0]
    with pytest.raises(CapaxError, match="no predicate in its brackets: 'j' is unknown"):
        position_function("[j < 2]")
