"""Alphabets as texts, and the theorems whose languages are given with one."""

import pytest

from capax.errors import CapaxError
from capax.formal.languages.language import letters_of
from capax.theorems import theorem


def test_letters_are_in_order_and_each_once() -> None:
    assert letters_of("baab") == ("b", "a")


@pytest.mark.parametrize("name", ["ltl", "monadic-predicates", "temporal-counting", "counting-quantifiers"])
def test_an_empty_alphabet_is_refused(name: str) -> None:
    with pytest.raises(CapaxError, match="the alphabet is empty"):
        theorem(name).build(alphabet="")
